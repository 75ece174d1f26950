/** One entry of another tool while it becomes rules: its conditions, and what was found about it. */
import { isUtf8 } from 'node:buffer'
import { type Json, type JsonObject, StepBudget } from 'svc/plugin'
import { headerProblem, isRecord, readConditions } from 'svc/toolkit'
import { type Members, named } from '../source/members.ts'
import type { ImportFile, Importing, ItemPath, WrittenFile } from '../types.ts'
import { addConditions } from './match.ts'
import { wholePattern, type Pattern } from './patterns.ts'

/** Fields of the framing, which svc writes itself. */
const FRAMING = new Set(['content-length', 'transfer-encoding', 'connection', 'keep-alive', 'date'])
const MAX_DESCRIPTION = 200
/** Larger bodies are written as files, since a rule has at most 64 KiB. */
const MAX_BODY = 24 * 1024
const MAX_RULE = 60 * 1024
const MAX_HEADER_LINES = 50
const MAX_VALUES = 20
/** Conditions of the core; those of plugins are read when the rule is loaded. */
const OF_PLUGINS = new Set(['rpc', 'graphql', 'llm', 'scenario'])

export type Headers = Record<string, string | string[]>

export class Stub {
  readonly name: string
  readonly file: ImportFile
  readonly importing: Importing
  /** Where the entry is. */
  readonly path: ItemPath
  readonly match: JsonObject = {}
  /** Bodies that are written as files. */
  readonly files: WrittenFile[] = []
  readonly #reasons: string[] = []
  #isSkipped = false

  constructor(importing: Importing, file: ImportFile, path: ItemPath, name: string) {
    this.path = path
    this.importing = importing
    this.file = file
    this.name = name
  }

  get isDisabled(): boolean {
    return this.#reasons.length > 0
  }

  get isSkipped(): boolean {
    return this.#isSkipped
  }

  /** A condition cannot be expressed. */
  disabled(path: ItemPath, message: string, feature?: string): void {
    this.importing.find(this.file, path, 'disabled', message, {
      rule: this.name,
      ...(feature === undefined ? {} : { feature }),
    })
    this.#reasons.push(`${String(path.at(-1))}: ${message}`)
  }

  lost(path: ItemPath, message: string): void {
    this.importing.find(this.file, path, 'lost', message, { rule: this.name })
  }

  changed(path: ItemPath, message: string): void {
    this.importing.find(this.file, path, 'changed', message, { rule: this.name })
  }

  skipped(path: ItemPath, message: string): void {
    this.importing.find(this.file, path, 'skipped', message)
    this.#isSkipped = true
  }

  and(more: JsonObject): void {
    addConditions(this.match, more)
  }

  /** The test, or undefined after reporting what is wrong with the pattern. */
  pattern(
    path: ItemPath,
    source: string,
    read: (source: string) => Pattern = wholePattern,
  ): { matches: string } | undefined {
    const found = read(source)
    if ('matches' in found) return found
    this.disabled(path, found.problem)
    return undefined
  }

  /** Unread members: conditions disable the rule, others are lost. */
  others(members: Members, severity: 'disabled' | 'lost'): void {
    for (const name of members.others()) this[severity](members.at(name), members.problemOf(name))
  }

  /** Header fields that can be sent, without those of the framing. */
  headers(lines: readonly (readonly [name: string, value: string, path: ItemPath])[]): Headers {
    const headers: Headers = named()
    const spelling = new Map<string, string>()
    let count = 0
    for (const [name, value, path] of lines) {
      if (FRAMING.has(name.toLowerCase())) continue
      const problem = /^x-(?:svc-.*|request-id)$/i.test(name) ? 'reserved' : headerProblem(name, value)
      if (problem === null && value.length <= 8192 && count < MAX_HEADER_LINES) {
        const key = spelling.get(name.toLowerCase()) ?? name
        spelling.set(name.toLowerCase(), key)
        const before = headers[key]
        const values = before === undefined ? value : [...[before].flat(), value]
        if (Array.isArray(values) && values.length > MAX_VALUES)
          this.lost(path, `expected at most ${MAX_VALUES} values`)
        else headers[key] = values
        count++
      } else if (problem === null) this.lost(path, 'the field is too long, or there are too many')
      else
        this.lost(
          path,
          problem === 'name'
            ? 'this is not the name of a header'
            : problem === 'reserved'
              ? 'svc does not let rules set this header'
              : 'the value has characters that headers cannot have',
        )
    }
    return headers
  }

  /** Members of `respond` for a body: written as a file if it is large. `isTemplate`: it has references. */
  body(content: Buffer | string, isTemplate: boolean, extension = ''): JsonObject {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content
    if (bytes.length === 0) return {}
    if (bytes.length > MAX_BODY) return this.bodyFile(`${this.name}${extension}`, bytes, isTemplate)
    if (!isUtf8(bytes)) return { body_base64: bytes.toString('base64') }
    return { body: bytes.toString(), template: isTemplate }
  }

  /** The same for a file whose name is kept. */
  bodyFile(name: string, content: Buffer, isTemplate: boolean): JsonObject {
    const path = `files/${this.importing.bodyName(name, content)}`
    this.files.push({ path: `rules/${path}`, content })
    return { body_file: path, template: isTemplate && isUtf8(content) }
  }

  /** The rule with the conditions of the stub; `enabled: false` with the reasons if some are missing. Null if it cannot be written. */
  rule(
    then: Json,
    members: JsonObject = {},
    { name = this.name, match = this.match }: { name?: string; match?: JsonObject } = {},
  ): JsonObject | null {
    if (isUnseen(match)) {
      this.skipped(this.path, 'rules of svc never act on paths below /_svc and /s/<session>')
      return null
    }
    const problem = this.#problemOf(match)
    if (problem !== null) this.disabled(this.path, problem)
    const rule: JsonObject = {
      name,
      ...(this.isDisabled ? { enabled: false, description: this.#reasons.join('; ').slice(0, MAX_DESCRIPTION) } : {}),
      match: problem === null ? match : {},
      ...members,
      count: 'instance',
      then,
    }
    if (JSON.stringify(rule).length <= MAX_RULE) return rule
    this.skipped(this.path, `the rule would have more than ${MAX_RULE} bytes`)
    return null
  }

  /** What the core says about the conditions. */
  #problemOf(match: JsonObject): string | null {
    try {
      const own = Object.fromEntries(Object.entries(match).filter(([key]) => !OF_PLUGINS.has(key)))
      readConditions(own, 'match', { checks: StepBudget.unlimited() })
      return null
    } catch (error) {
      return (error as Error).message.slice(0, MAX_DESCRIPTION)
    }
  }
}

/** Whether the path is one of the control plane, or begins with the prefix of sessions. */
function isUnseen({ path, url }: JsonObject): boolean {
  const texts = [path, url].map(test => (isRecord(test) ? test.equals : test))
  return texts.some(text => typeof text === 'string' && /^\/(?:_svc(?:[/?]|$)|s\/[^/?])/.test(text))
}

/** Lines of an object of names and texts, or lists of texts. */
export function headerLines(value: Json | undefined, path: ItemPath): (readonly [string, string, ItemPath])[] {
  if (!isRecord(value)) return []
  return Object.entries(value as JsonObject).flatMap(([name, values]) =>
    [values].flat().map((text): readonly [string, string, ItemPath] => [name, textOf(text), [...path, name]]),
  )
}

/** Scalars as text, other values as JSON. */
export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value)
}
