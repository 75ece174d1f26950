/** What a route refuses as its vendor does: rules as data, and the check that finds their violations in a request. */
import type { RequestHeaders } from './provider.ts'

/** When a rule is evaluated: head, shape of the body, what the model takes, order of the conversation. */
export const PHASES = ['head', 'shape', 'model', 'conversation'] as const
export type Phase = (typeof PHASES)[number]

/**
 * How certain a rule is. `documented`: in the vendor's reference, SDK, API definition or service model. `reported`: the text is
 * quoted by several independent projects, or was captured from the service. `assumed`: likely, so it refuses nothing unless
 * a request or the configuration names it.
 */
export const CONFIDENCES = ['documented', 'reported', 'assumed'] as const
export type Confidence = (typeof CONFIDENCES)[number]

export interface RuleSource {
  title: string
  url?: string
  kind: 'reference' | 'sdk' | 'definition' | 'report' | 'capture'
  /** Date of reading. */
  read: string
}

/** What the vendor answers. `{at}` is the place of the violation, `{name}` a value that the check has reported. */
export interface ViolationError {
  message: string
  /** The parameter of the error, in formats that have it; with placeholders. Default: none. */
  param?: string
  /** The code of the error, in formats that have it; with placeholders. Default: none. */
  code?: string
  type?: string
}

/** A rule of a vendor. Rules of one route are evaluated by phase, then in the order of their list. */
export interface ValidationRule extends ViolationError {
  /** Prefix of the format, a dot, and a name: `openai.tool-orphan`. */
  rule: string
  phase: Phase
  confidence: Confidence
  /** What is refused, in one sentence. */
  condition: string
  /** Default 400. */
  status?: number
  /** Other errors of the same rule, by the name that the check reports as the value `form`. */
  forms?: Readonly<Record<string, ViolationError>>
  /** The vendor's text is not known word by word. */
  wording?: 'assumed'
  sources: readonly RuleSource[]
}

/** Names that a vendor knows and that change with its versions, such as values of a header. */
export interface ValidationList {
  list: string
  version: string
  date: string
  values: readonly string[]
}

/** A size or count of the vendor that may not be a rule, for the catalog. */
export interface ValidationLimit {
  what: string
  /** As the vendor writes it: `32 MB`. */
  value: string
  sources: readonly RuleSource[]
}

export type ViolationValues = Readonly<Record<string, unknown>>

/** Reports a violation: the rule's id, the place in the vendor's path notation, and the values of its placeholders. */
export type Report = (rule: string, at: string, values?: ViolationValues) => void

export interface CheckedRequest {
  body: Readonly<Record<string, unknown>>
  /** Size of the body as received. */
  bytes: number
  headers: RequestHeaders
  /** Without the query. */
  path: string
  /** Parameters of the path. */
  params: Readonly<Record<string, string>>
  /** Members that the provider takes in addition, anywhere in the body. */
  fields: ReadonlySet<string>
  /** Nodes of schemas that may still be visited. */
  nodes: { left: number }
}

/** Checks requests of a route as its vendor does. */
export interface RouteValidation {
  /** Name of the variant of the wire, such as `openai` or `azure`. */
  flavour: string
  rules: readonly ValidationRule[]
  lists?: readonly ValidationList[]
  limits?: readonly ValidationLimit[]
  /** Must not throw, whatever the body contains, and must not change it. */
  check(request: CheckedRequest, report: Report): void
}

/** A violation of a request. */
export interface Violation {
  rule: ValidationRule
  at: string
  values: ViolationValues
}

/** What a refusal was about, for formats whose errors say more than a message. */
export interface RefusedViolations {
  rule: string
  /** All violations of the same rule, with their messages filled in. */
  all: readonly { at: string; message: string; values: ViolationValues }[]
}
