/** Limits of the mocks, for private and public instances. */

export interface Bounds {
  mocks: number
  /** Bytes of all documents, including versions and drafts. */
  totalDocumentBytes: number
  /** Memory in bytes of all documents, as text and parsed, with their rules and overrides. */
  totalDocumentMemory: number
  /** Bytes of one decoded document. */
  documentBytes: number
  levels: number
  nodes: number
  operations: number
  /** Maximum length of a chain of `$ref`s. */
  refChain: number
  versions: number
  rules: number
  conditions: number
  /** Steps of checking the patterns and queries of a list of rules. */
  ruleSteps: number
  /** Bytes of a body in a rule or an override. */
  ruleBodyBytes: number
  stateKeys: number
  stateValueBytes: number
  sessions: number
  sessionIdleMs: number
  /** Memory in bytes of all sessions of all mocks. */
  sessionBytes: number
  trafficEntries: number
  trafficBytes: number
  /** Maximum duration of a check in milliseconds. */
  checkMs: number
  /** Of GraphQL schemas. */
  graph: GraphBounds
}

/** Limits of mocks of GraphQL schemas. */
export interface GraphBounds {
  /** Bytes of a schema. */
  bytes: number
  types: number
  fields: number
  /** Operations of a batch. */
  batch: number
  /** Fields that are resolved for one answer, and bytes of its values. */
  answerFields: number
  answerBytes: number
  /** Stored objects of a session and mock, and bytes of one. */
  objects: number
  objectBytes: number
}

const NORMAL: Bounds = {
  mocks: 50,
  totalDocumentBytes: 64 << 20,
  totalDocumentMemory: 512 << 20,
  documentBytes: 16 << 20,
  levels: 100,
  nodes: 1_000_000,
  operations: 2000,
  refChain: 32,
  versions: 10,
  rules: 100,
  conditions: 20,
  ruleSteps: 10_000_000,
  ruleBodyBytes: 256 << 10,
  stateKeys: 100,
  stateValueBytes: 1024,
  sessions: 1000,
  sessionIdleMs: 3_600_000,
  sessionBytes: 32 << 20,
  trafficEntries: 200,
  trafficBytes: 4 << 20,
  checkMs: 30_000,
  graph: {
    bytes: 4 << 20,
    types: 3000,
    fields: 30_000,
    batch: 10,
    answerFields: 5000,
    answerBytes: 256 << 10,
    objects: 500,
    objectBytes: 16 << 10,
  },
}

const PUBLIC: Bounds = {
  ...NORMAL,
  mocks: 20,
  totalDocumentBytes: 16 << 20,
  totalDocumentMemory: 64 << 20,
  documentBytes: 2 << 20,
  nodes: 200_000,
  operations: 500,
  versions: 5,
  rules: 50,
  conditions: 10,
  ruleBodyBytes: 64 << 10,
  stateKeys: 20,
  sessions: 200,
  sessionIdleMs: 900_000,
  sessionBytes: 8 << 20,
  trafficEntries: 50,
  trafficBytes: 512 << 10,
  checkMs: 10_000,
  graph: {
    ...NORMAL.graph,
    bytes: 256 << 10,
    types: 500,
    fields: 5000,
    batch: 5,
    objects: 50,
    objectBytes: 4 << 10,
  },
}

/** The limits of an instance. */
export function boundsFor(publicMode: boolean): Bounds {
  return publicMode ? PUBLIC : NORMAL
}

/** What to do about a document above the limit in bytes. */
export function tooLargeMessage(limit: number): string {
  return `a document can have at most ${limit} bytes, also in svc.yaml and SVC_MOCKS_DIR; remove what is not called, descriptions and examples first, or split it into several mocks`
}
