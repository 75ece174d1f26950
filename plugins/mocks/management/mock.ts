/** One mock: what answers now, its versions, its draft and its traffic. */
import { createHash } from 'node:crypto'
import { heldBytes, heldValueBytes } from 'svc/plugin'
import { CompiledApi } from '../exchange/compiled-api.ts'
import { readParts, showParts, type GivenParts, type Limits, type Parts } from './definition.ts'
import type { Live } from '../exchange/engine.ts'
import type { Json, JsonObject } from '../document/json.ts'
import type { Report } from '../check/report.ts'
import { Renderer } from '../response/rendering.ts'
import { Traffic } from '../exchange/traffic.ts'

export type MockSource = 'builtin' | 'file' | 'directory' | 'cli' | 'api'

/** A definition as a version freezes it. */
export interface Frozen {
  /** The document as it was given. */
  text: string
  format: 'json' | 'yaml'
  settings: JsonObject
  rules: Json[]
  overrides: JsonObject
}

export interface Version extends Frozen {
  version: number
  deployedAt: string
  message: string | null
  title: string
  apiVersion: string
  operations: number
  sha256: string
  rolledBackFrom: number | null
}

export interface Draft extends GivenParts {
  text: string
  format: 'json' | 'yaml'
  savedAt: string
  report: Report
}

/** A definition that has passed its check and can go live. */
export interface Deployable {
  text: string
  format: 'json' | 'yaml'
  /** The document as JSON text. */
  json: string
  given: GivenParts
  message: string | null
  rolledBackFrom: number | null
}

export class Mock {
  readonly name: string
  readonly source: MockSource
  /** Absolute path; null for those without one. */
  readonly file: string | null
  readonly traffic: Traffic
  /** Requests answered, by operation key; empty key: those that matched none. */
  readonly requests = new Map<string, number>()
  enabled = true
  revision = 0
  /** Whether live was edited since the version was deployed. */
  modified = false
  draft: Draft | null = null
  /** Oldest first. */
  versions: Version[] = []
  #live: Live
  #liveBytes: number
  readonly #limits: Limits

  /** `live` is what `compile` makes of `first`. */
  constructor(
    identity: { name: string; source: MockSource; file: string | null },
    first: Deployable,
    live: CompiledLive,
    limits: Limits,
  ) {
    this.name = identity.name
    this.source = identity.source
    this.file = identity.file
    this.#limits = limits
    this.traffic = new Traffic(limits.bounds.trafficEntries, limits.bounds.trafficBytes)
    this.#live = live
    this.#liveBytes = live.bytes
    this.#push(first)
  }

  get live(): Live {
    return this.#live
  }

  get version(): number {
    return this.versions.at(-1)?.version ?? 0
  }

  get current(): Version | undefined {
    return this.versions.at(-1)
  }

  get isManaged(): boolean {
    return this.source !== 'api'
  }

  /** Puts a checked definition in the place of what answers; requests on their way end with what they began with. */
  deploy(next: Deployable, live: CompiledLive): void {
    this.#live = live
    this.#liveBytes = live.bytes
    this.#push(next)
    this.modified = false
  }

  /** Edits what answers, at once and for this version only. */
  edit(parts: Partial<Parts>): void {
    this.#live = { ...this.#live, parts: { ...this.#live.parts, ...parts } }
    this.modified = true
    this.revision++
  }

  /** What answers, as JSON. */
  shownParts(): { settings: JsonObject; rules: Json[]; overrides: JsonObject } {
    return showParts(this.#live.parts)
  }

  /** Forgets versions but the newest, oldest first, until none is left to forget; answers whether one went. */
  dropOldestVersion(): boolean {
    if (this.versions.length < 2) return false
    this.versions.shift()
    return true
  }

  /** Bytes of all documents it holds; a document that several versions share counts once. */
  documentBytes(): number {
    const texts = new Set([...this.versions.map(version => version.text), ...(this.draft ? [this.draft.text] : [])])
    let bytes = 0
    for (const text of texts) bytes += text.length
    return bytes
  }

  /** Bytes of memory of all documents it holds: their texts, what answers, and the parts of its versions and its draft. */
  documentMemory(): number {
    const held = this.draft === null ? this.versions : [...this.versions, this.draft]
    const texts = [...new Set(held.map(({ text }) => text))]
    const parts = held.reduce(
      (sum, { settings, rules, overrides }) => sum + heldValueBytes([settings, rules, overrides]),
      0,
    )
    return texts.reduce((sum, text) => sum + heldBytes(text), this.#liveBytes + parts)
  }

  #push(next: Deployable): void {
    const { document } = this.#live.api
    const same = this.versions.find(version => version.text === next.text)
    this.versions.push({
      // One text for all versions that have it.
      text: same?.text ?? next.text,
      format: next.format,
      ...showParts(this.#live.parts),
      version: this.version + 1,
      deployedAt: new Date().toISOString(),
      message: next.message,
      title: document.title,
      apiVersion: document.apiVersion,
      operations: this.#live.api.operations.length,
      sha256: createHash('sha256').update(next.text).digest('hex'),
      rolledBackFrom: next.rolledBackFrom,
    })
    while (this.versions.length > this.#limits.bounds.versions) this.versions.shift()
    this.revision++
  }
}

/** What answers, and the bytes of memory of its document. */
export interface CompiledLive extends Live {
  bytes: number
}

/** Makes a checked definition ready to answer. Throws when its parts are wrong, which the check has excluded. */
export function compile(next: Deployable, limits: Limits): CompiledLive {
  const root = JSON.parse(next.json) as JsonObject
  const api = new CompiledApi(root, limits.bounds)
  const read = readParts(next.given, limits, name => api.operation(name)?.key)
  if ('errors' in read) throw new Error(read.errors[0]?.message ?? 'invalid definition')
  return { api, parts: read.parts, renderer: new Renderer(api), bytes: heldValueBytes(root) }
}
