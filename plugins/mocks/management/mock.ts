/** A mock: the live definition, its versions, its draft and its traffic. */
import { createHash } from 'node:crypto'
import { heldBytes, heldValueBytes } from 'svc/plugin'
import { CompiledApi } from '../exchange/compiled-api.ts'
import { readParts, partsToJson, type GivenParts, type Limits, type Parts } from './definition.ts'
import type { Live } from '../exchange/engine.ts'
import type { Json, JsonObject } from '../document/json.ts'
import type { Report } from '../check/report.ts'
import { Renderer } from '../response/rendering.ts'
import { Traffic } from '../exchange/traffic.ts'

export type MockSource = 'builtin' | 'file' | 'directory' | 'cli' | 'api'

/** An immutable definition, as part of a version. */
export interface Frozen {
  /** The document as uploaded. */
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

/** A definition that has passed the check and can be deployed. */
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
  /** Absolute path; null if the mock does not come from a file. */
  readonly file: string | null
  readonly traffic: Traffic
  /** Number of requests by operation key. The empty key counts requests that matched no operation. */
  readonly requests = new Map<string, number>()
  enabled = true
  revision = 0
  /** Whether the live definition was edited since the deployment. */
  modified = false
  draft: Draft | null = null
  /** Oldest first. */
  versions: Version[] = []
  #live: Live
  #liveBytes: number
  readonly #limits: Limits

  /** `live` is the result of `compile` for `first`. */
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

  /** Replaces the live definition. Requests in flight finish with the previous one. */
  deploy(next: Deployable, live: CompiledLive): void {
    this.#live = live
    this.#liveBytes = live.bytes
    this.#push(next)
    this.modified = false
  }

  /** Edits the live definition, for this version only. */
  edit(parts: Partial<Parts>): void {
    this.#live = { ...this.#live, parts: { ...this.#live.parts, ...parts } }
    this.modified = true
    this.revision++
  }

  /** The parts of the live definition as JSON. */
  partsAsJson(): { settings: JsonObject; rules: Json[]; overrides: JsonObject } {
    return partsToJson(this.#live.parts)
  }

  /** Drops the oldest version, but never the newest one. Returns whether a version was dropped. */
  dropOldestVersion(): boolean {
    if (this.versions.length < 2) return false
    this.versions.shift()
    return true
  }

  /** Bytes of all documents. A document shared by several versions counts once. */
  documentBytes(): number {
    const texts = new Set([...this.versions.map(version => version.text), ...(this.draft ? [this.draft.text] : [])])
    let bytes = 0
    for (const text of texts) bytes += text.length
    return bytes
  }

  /** Memory in bytes of all documents: the texts, the live definition, and the parts of versions and draft. */
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
      // Versions with the same text share one string.
      text: same?.text ?? next.text,
      format: next.format,
      ...partsToJson(this.#live.parts),
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

/** A compiled definition, with the memory of its document in bytes. */
export interface CompiledLive extends Live {
  bytes: number
}

/** Compiles a checked definition. Throws if a part is invalid, which the check excludes. */
export function compile(next: Deployable, limits: Limits): CompiledLive {
  const root = JSON.parse(next.json) as JsonObject
  const api = new CompiledApi(root, limits.bounds)
  const read = readParts(next.given, limits, name => api.operation(name)?.key)
  if ('errors' in read) throw new Error(read.errors[0]?.message ?? 'invalid definition')
  return { api, parts: read.parts, renderer: new Renderer(api), bytes: heldValueBytes(root) }
}
