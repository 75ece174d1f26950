/** Owns the supported protocol revisions and their features. */

/** The features of a protocol revision. */
export interface Version {
  readonly name: string
  /** There are no sessions; every request has an envelope. */
  readonly isStateless: boolean
  /** Arrays of messages in one POST. */
  readonly batches: boolean
  readonly annotations: boolean
  readonly audio: boolean
  readonly completions: boolean
  readonly progressMessage: boolean
  /** `title` in addition to `name`. */
  readonly titles: boolean
  /** `outputSchema` and `structuredContent`. */
  readonly structuredOutput: boolean
  readonly resourceLinks: boolean
  readonly elicitation: boolean
  /** `serverInfo.description`, `mode` in elicitation. */
  readonly descriptions: boolean
  /** SSE streams of sessions begin with an event that has only an id. */
  readonly priming: boolean
  /** Protocol extensions in the capabilities. */
  readonly extensions: boolean
  /** `x-mcp-header` in input schemas. */
  readonly routedArguments: boolean
}

const version20241105: Version = {
  name: '2024-11-05',
  isStateless: false,
  batches: false,
  annotations: false,
  audio: false,
  completions: false,
  progressMessage: false,
  titles: false,
  structuredOutput: false,
  resourceLinks: false,
  elicitation: false,
  descriptions: false,
  priming: false,
  extensions: false,
  routedArguments: false,
}
const version20250326: Version = {
  ...version20241105,
  name: '2025-03-26',
  batches: true,
  annotations: true,
  audio: true,
  completions: true,
  progressMessage: true,
}
const version20250618: Version = {
  ...version20250326,
  name: '2025-06-18',
  batches: false,
  titles: true,
  structuredOutput: true,
  resourceLinks: true,
  elicitation: true,
}
const version20251125: Version = {
  ...version20250618,
  name: '2025-11-25',
  descriptions: true,
  priming: true,
  extensions: true,
}

/** The revision without sessions. */
export const STATELESS: Version = {
  ...version20251125,
  name: '2026-07-28',
  isStateless: true,
  priming: false,
  routedArguments: true,
}
/** The revision of an HTTP+SSE client before `initialize`. */
export const OLDEST: Version = version20241105
/** Newest first. */
export const VERSIONS: readonly Version[] = [
  STATELESS,
  version20251125,
  version20250618,
  version20250326,
  version20241105,
]
export const VERSION_NAMES: readonly string[] = VERSIONS.map(version => version.name)

/** The legacy revision with this name. */
export function legacyVersion(name: unknown): Version | undefined {
  return VERSIONS.find(version => version.name === name && !version.isStateless)
}

/** The revision for `initialize`: the requested one, or else the newest legacy revision. */
export function negotiate(asked: unknown): Version {
  return legacyVersion(asked) ?? version20251125
}
