/** The file with the rules of an upstream's conversations: `fixtures.yaml` in its folder. */
import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, unlink, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { parse, stringify } from 'yaml'
import { StepBudget, type Json, type JsonObject } from 'svc/plugin'
import { deepEqual, isRecord } from 'svc/toolkit'
import type { FixtureRule } from './fixture-rule.ts'

const MAX_RULES = 2000
/** Steps of one rule. */
const MAX_STEPS = 50
const MAX_RULE_BYTES = 60 * 1024
const MAX_FILE_BYTES = 8 * 1024 * 1024
const MAX_ALIASES = 100

export class FixtureFile {
  readonly path: string
  readonly #prefix: string

  /** `prefix` begins the names of the rules. */
  constructor(path: string, prefix: string) {
    this.path = path
    this.#prefix = prefix
  }

  /**
   * Adds a rule; another reply to the same request becomes a further step. Returns false if nothing changed or a bound is
   * reached. Rejects if the file cannot be read or written. One call at a time.
   */
  async add(rule: FixtureRule): Promise<boolean> {
    const rules = await this.#read()
    const known = rules.find(({ match }) => deepEqual(match as Json, rule.match, StepBudget.unlimited()))
    if (known !== undefined && !appendStep(known, rule.then)) return false
    if (known === undefined) {
      if (rules.length >= MAX_RULES) return false
      rules.push({ name: this.#freeName(rules), ...rule })
    }
    if (JSON.stringify(known ?? rules.at(-1)).length > MAX_RULE_BYTES) return false
    const text = stringify({ rules }, { lineWidth: 0, aliasDuplicateObjects: false })
    if (text.length > MAX_FILE_BYTES) return false
    await this.#write(text)
    return true
  }

  async #read(): Promise<JsonObject[]> {
    const text = await readFile(this.path, 'utf8').catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
      throw error
    })
    const document: unknown = text === '' ? null : parse(text, { schema: 'core', maxAliasCount: MAX_ALIASES })
    if (document === null) return []
    if (!isRecord(document) || !Array.isArray(document.rules) || !document.rules.every(isRecord))
      throw new Error(`${this.path} is not a mapping with a list of rules`)
    return document.rules as JsonObject[]
  }

  #freeName(rules: readonly JsonObject[]): string {
    const names = new Set(rules.map(({ name }) => name))
    let number = rules.length + 1
    while (names.has(`${this.#prefix}-${number}`)) number++
    return `${this.#prefix}-${number}`
  }

  async #write(text: string): Promise<void> {
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 })
    const temporary = `${this.path}.${randomBytes(4).toString('hex')}.tmp`
    try {
      await writeFile(temporary, text, { mode: 0o600 })
      await rename(temporary, this.path)
    } catch (error) {
      await unlink(temporary).catch(() => {})
      throw error
    }
  }
}

/** Adds a step to a rule, whose last step acts again and again. Returns false if it is there already. */
function appendStep(rule: JsonObject, then: FixtureRule['then']): boolean {
  const steps = [rule.then].flat() as JsonObject[]
  const replies = steps.map(({ reply }) => withoutPace(reply))
  if (deepEqual(replies.at(-1) as Json, withoutPace(then.reply), StepBudget.unlimited()) || steps.length >= MAX_STEPS)
    return false
  rule.then = [...steps.map(({ times: _times, ...step }) => step), { ...then, times: 'always' }]
  return true
}

/** The pace and the ids of calls differ each time. */
function withoutPace(reply: Json | undefined): Json {
  if (!isRecord(reply)) return null
  const { stream: _stream, tool_calls: calls, ...rest } = reply as JsonObject
  return {
    ...rest,
    calls: Array.isArray(calls)
      ? calls.map(call => (isRecord(call) ? { ...(call as JsonObject), id: null } : call))
      : null,
  }
}
