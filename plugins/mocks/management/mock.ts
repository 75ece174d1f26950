/** A mock: what is stored of it, and its compiled form. */
import { createHash } from 'node:crypto'
import { heldBytes, heldValueBytes } from 'svc/toolkit'
import type { GivenParts, Limits } from '../definition/definition.ts'
import type { DocumentFormat, MockKind } from '../document/kind.ts'
import type { Json } from '../document/json.ts'
import type { Report } from '../check/report.ts'
import { factsOf, partsOfLive, type ApiLive, type CompiledLive, type GraphLive, type JsonParts } from './live.ts'

export type MockSource = 'builtin' | 'file' | 'directory' | 'cli' | 'api'

/** A document, which is stored separately under its SHA-256. */
export interface DocumentReference {
  /** Hexadecimal. */
  sha256: string
  kind: MockKind
  format: DocumentFormat
  characters: number
  /** Memory of the text. */
  textBytes: number
}

/** An immutable version. */
export interface Version extends DocumentReference, JsonParts {
  version: number
  deployedAt: string
  message: string | null
  title: string
  apiVersion: string
  operations: number
  rolledBackFrom: number | null
  /** Memory of settings, rules and overrides. */
  partBytes: number
}

export interface Draft extends DocumentReference {
  settings: Json
  rules: Json
  overrides: Json
  savedAt: string
  report: Report
  partBytes: number
}

/** What is stored of a mock. Plain data. */
export interface MockRecord {
  source: MockSource
  /** Digest of the files that define the mock; null for uploads. Edits of a mock hold for these files only. */
  digest: string | null
  enabled: boolean
  revision: number
  /** Whether the live definition was edited since the deployment. */
  modified: boolean
  /** The live parts. */
  parts: JsonParts
  draft: Draft | null
  /** Oldest first; at least one. */
  versions: Version[]
}

/** A definition that has passed the check and can be deployed. */
export interface Deployable {
  text: string
  kind: MockKind
  format: DocumentFormat
  /** What is compiled: an OpenAPI document as JSON text, or the SDL of a schema. */
  served: string
  given: GivenParts
  message: string | null
  rolledBackFrom: number | null
}

/** A mock of an OpenAPI document. */
export type ApiMock = Mock & { readonly live: ApiLive }
/** A mock of a GraphQL schema. */
export type GraphMock = Mock & { readonly live: GraphLive }

export function isApiMock(mock: Mock): mock is ApiMock {
  return mock.live.kind === 'openapi'
}

export function isGraphMock(mock: Mock): mock is GraphMock {
  return mock.live.kind === 'graphql'
}

/** A mock as this process serves it. Immutable: every change results in a new object. */
export class Mock {
  readonly name: string
  /** Absolute path; null if the mock does not come from a file. */
  readonly file: string | null
  readonly record: MockRecord
  readonly live: CompiledLive

  constructor(identity: { name: string; file: string | null }, record: MockRecord, live: CompiledLive) {
    this.name = identity.name
    this.file = identity.file
    this.record = record
    this.live = live
  }

  get source(): MockSource {
    return this.record.source
  }

  get enabled(): boolean {
    return this.record.enabled
  }

  get revision(): number {
    return this.record.revision
  }

  get draft(): Draft | null {
    return this.record.draft
  }

  get versions(): readonly Version[] {
    return this.record.versions
  }

  get version(): number {
    return this.current?.version ?? 0
  }

  get current(): Version | undefined {
    return this.record.versions.at(-1)
  }

  get isManaged(): boolean {
    return this.source !== 'api'
  }

  /** The parts of the live definition as JSON. */
  partsAsJson(): JsonParts {
    return partsOfLive(this.live)
  }
}

/** The documents of versions and draft. A document shared by several versions is listed once. */
export function documentsOf({ versions, draft }: MockRecord): Map<string, DocumentReference> {
  const references: DocumentReference[] = draft === null ? versions : [...versions, draft]
  return new Map(references.map(reference => [reference.sha256, reference]))
}

/** Characters of all documents of a mock. */
export function documentCharacters(record: MockRecord): number {
  let characters = 0
  for (const document of documentsOf(record).values()) characters += document.characters
  return characters
}

/** Memory in bytes of the parts of versions, draft and edits. */
export function partMemory({ versions, draft, modified, parts }: MockRecord): number {
  const edited = modified ? heldValueBytes([parts.settings, parts.rules, parts.overrides]) : 0
  return versions.reduce((sum, { partBytes }) => sum + partBytes, edited + (draft?.partBytes ?? 0))
}

/** Memory in bytes of all documents and parts: texts, parsed documents, versions, draft and edits. */
export function documentMemory({ record, live }: Mock): number {
  let bytes = live.bytes + partMemory(record)
  for (const { textBytes } of documentsOf(record).values()) bytes += textBytes
  return bytes
}

export function referenceTo(
  text: string,
  { kind, format }: Pick<DocumentReference, 'kind' | 'format'>,
): DocumentReference {
  return {
    kind,
    sha256: createHash('sha256').update(text).digest('hex'),
    format,
    characters: text.length,
    textBytes: heldBytes(text),
  }
}

/** A draft, saved now. */
export function draftOf(
  text: string,
  written: Pick<DocumentReference, 'kind' | 'format'>,
  given: Pick<Draft, 'settings' | 'rules' | 'overrides'>,
  report: Report,
): Draft {
  const { settings, rules, overrides } = given
  return {
    ...referenceTo(text, written),
    settings,
    rules,
    overrides,
    savedAt: new Date().toISOString(),
    report,
    partBytes: heldValueBytes([settings, rules, overrides]),
  }
}

/** The first version of a definition; `withVersion` numbers later ones. */
export function versionOf(next: Deployable, live: CompiledLive): Version {
  const own = plainParts(partsOfLive(live))
  const { title, apiVersion, operations } = factsOf(live)
  return {
    ...referenceTo(next.text, next),
    ...own,
    partBytes: heldValueBytes([own.settings, own.rules, own.overrides]),
    version: 1,
    deployedAt: new Date().toISOString(),
    message: next.message,
    title,
    apiVersion,
    operations: operations.length,
    rolledBackFrom: next.rolledBackFrom,
  }
}

/** The record of a new mock. */
export function firstRecord(
  { source, digest, enabled }: Pick<MockRecord, 'source' | 'digest' | 'enabled'>,
  version: Version,
): MockRecord {
  return {
    source,
    digest,
    enabled,
    revision: 1,
    modified: false,
    parts: partsIn(version),
    draft: null,
    versions: [version],
  }
}

/** The record with one more version, which becomes live. Drops the oldest versions above the limit. */
export function withVersion(record: MockRecord, version: Version, { bounds }: Limits): MockRecord {
  const number = (record.versions.at(-1)?.version ?? 0) + 1
  return {
    ...record,
    revision: record.revision + 1,
    modified: false,
    parts: partsIn(version),
    versions: [...record.versions, { ...version, version: number }].slice(-bounds.versions),
  }
}

/** The record with edited live parts, for this version only. */
export function withParts(record: MockRecord, edited: Partial<JsonParts>): MockRecord {
  return {
    ...record,
    parts: plainParts({ ...record.parts, ...edited }),
    modified: true,
    revision: record.revision + 1,
  }
}

function partsIn({ settings, rules, overrides }: JsonParts): JsonParts {
  return { settings, rules, overrides }
}

/** As JSON: YAML has numbers that JSON lacks. */
function plainParts(parts: JsonParts): JsonParts {
  return JSON.parse(JSON.stringify(partsIn(parts))) as JsonParts
}
