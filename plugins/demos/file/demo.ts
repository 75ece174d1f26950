/** A demo as it was read: what is shown, with which traffic, and what must be seen. */
import type { Json, JsonObject } from 'svc/plugin'

export const AREAS = [
  'reliability',
  'traffic',
  'security',
  'caching',
  'streaming',
  'observability',
  'ai',
  'agents',
  'protocols',
] as const
export type Area = (typeof AREAS)[number]

/** Verdict of an expectation, a step or a demo. */
export type Verdict = 'seen' | 'not-seen' | 'not-judged'

export interface Demo {
  demo: string
  title: string
  area: Area
  shows: string
  minutes: number
  feature: string
  route: DemoRoute
  /** As written, with its references. */
  rawRoute: Json
  needs: string[]
  settings: Record<string, string>
  lanes: string[]
  mocks: Record<string, JsonObject>
  tokens: Record<string, JsonObject>
  variables: Record<string, Variable>
  presenter: string
  learn: string[]
  control: 'seen' | 'not-seen'
  gateways: Record<string, GatewayFiles>
  /** Files that configurations name, and where svc has them. */
  files: Record<string, string>
  /** As written: references are replaced when a run comes to the step. */
  steps: JsonObject[]
  /** Variables that no text uses. */
  warnings: string[]
}

export type Variable = string | number | boolean

export interface DemoRoute {
  path: string
  headers: Record<string, string>
  bearer: string | null
  certificate: CertificateKind | null
  serverName: string | null
  /** The route check logs in. */
  login: LoginTraffic | null
  /** What the route check asks of an MCP server. */
  action: McpAction
}

export interface GatewayFiles {
  snippet: string | null
  compose: string | null
  note: string | null
}

/** A step whose references are replaced. */
export interface Step {
  /** From 1. */
  number: number
  id: string
  title: string
  say: string
  look: string
  rules: StepRule[]
  remove: string[]
  identity: JsonObject | null
  send: Traffic[]
  during: { atMs: number; rules: StepRule[]; remove: string[] }[]
  ask: { text: string; optional: boolean } | null
  wait: Wait | null
  expect: Expectation[]
  chart: string | null
}

/** A rule of the control plane; `lane`: it is stored for that lane. */
export interface StepRule {
  lane: string | null
  rule: JsonObject
}

/** A pause before sending, or an expectation to wait for after it. */
export type Wait = { forMs: number } | { until: Expectation; timeoutMs: number }

export interface Traffic {
  times: number
  /** Null: the next request follows the answer. */
  perSecond: number | null
  forMs: number | null
  concurrency: number
  variants: Variant[]
  /** Null: that of the run. */
  timeoutMs: number | null
  leaveAfterMs: number | null
  /** The scenario whose state becomes the number of events that came; null: none. */
  acknowledge: string | null
  kind: TrafficKind
}

export interface Variant {
  /** Null: the variants take turns. */
  share: number | null
  headers: Record<string, string>
  bearer: string | null
  path: string | null
}

export type TrafficKind =
  | HttpTraffic
  | LlmTraffic
  | McpTraffic
  | A2aTraffic
  | WebSocketTraffic
  | GrpcTraffic
  | AgentTraffic
  | LoginTraffic

export interface HttpTraffic {
  kind: 'http'
  method: string
  path: string
  query: Record<string, string>
  headers: Record<string, string>
  /** Null: none. */
  body: string | null
  bearer: string | null
  basic: string | null
  http2: boolean
  follow: boolean
  cookies: boolean
  read: 'all' | 'events' | 'none'
  /** What the client presents if the gateway asks for a certificate. */
  certificate: CertificateKind | null
  /** Name for SNI and the certificate; null: that of the gateway's address. */
  serverName: string | null
}

/** Client certificates that svc has for tests. */
export const CERTIFICATES = ['valid', 'expired', 'self-signed'] as const
export type CertificateKind = (typeof CERTIFICATES)[number]

export const LLM_FORMATS = ['openai', 'responses', 'anthropic', 'gemini', 'bedrock', 'ollama'] as const
export type LlmFormat = (typeof LLM_FORMATS)[number]

export interface LlmTraffic {
  kind: 'llm'
  format: LlmFormat
  model: string
  messages: { role: string; content: string }[]
  system: string | null
  stream: boolean
  tools: JsonObject[]
  maxTokens: number | null
  headers: Record<string, string>
  bearer: string | null
}

export interface McpTraffic {
  kind: 'mcp'
  path: string
  actions: McpAction[]
  revision: string | null
  token: string | null
  /** The result with which questions of the server (elicitations) are answered; null: the client takes none. */
  elicit: JsonObject | null
  headers: Record<string, string>
}

export type McpAction =
  | { do: 'list_tools' | 'list_prompts' | 'list_resources' | 'ping' }
  | { do: 'call'; name: string; arguments: JsonObject }
  | { do: 'prompt'; name: string; arguments: JsonObject }

export interface A2aTraffic {
  kind: 'a2a'
  /** The agent card alone is fetched. */
  isCard: boolean
  agent: string
  text: string
  stream: boolean
  headers: Record<string, string>
  bearer: string | null
}

export interface WebSocketTraffic {
  kind: 'websocket'
  path: string
  messages: string[]
  forMs: number
  headers: Record<string, string>
}

/** A browser opens a page, and its user logs in at an issuer of svc. */
export interface LoginTraffic {
  kind: 'login'
  issuer: string
  /** Whose password is their name. */
  user: string
  path: string
  headers: Record<string, string>
  /** The answer of the issuer comes to another browser than the one that logged in, as an attacker would have it. */
  isInjected: boolean
}

export interface GrpcTraffic {
  kind: 'grpc'
  service: string
  method: string
  /** Several: a stream of the client. */
  messages: JsonObject[]
  deadlineMs: number | null
  /** gRPC-Web, as browsers send it. */
  isWeb: boolean
  headers: Record<string, string>
  bearer: string | null
}

export const AGENT_CLIENTS = ['claude-code', 'codex', 'gemini-cli', 'opencode', 'openai-agents', 'mcp-host'] as const
export type AgentClient = (typeof AGENT_CLIENTS)[number]

export interface AgentTraffic {
  kind: 'agent'
  client: AgentClient
  /** Null: the first of the client. */
  scenario: string | null
  /** Requests to the model, at most; null: as many as the scenario has. */
  turns: number | null
  headers: Record<string, string>
  bearer: string | null
}

/** How many must pass. */
export type Quantity =
  | { how: 'every' | 'some' | 'none' }
  | { how: 'count'; min: number; max: number | null }
  | { how: 'share'; min: number; max: number }

export interface Expectation {
  why: string | null
  soft: boolean
  /** Variables and their values: otherwise it is not judged at all. */
  when: readonly (readonly [name: string, value: Variable])[]
  test: ExpectationTest
}

export type ExpectationTest =
  | ResponsesTest
  | ArrivalsTest
  | EventsTest
  | TokensTest
  | CostTest
  | AgentTest
  | CompareTest
  | CaptureTest
  | VerifiedTest

/** Which responses. */
export interface Selection {
  /** Number of the traffic, from 1; null: all. */
  of: number | null
  variant: number | null
  fromMs: number | null
  toMs: number | null
}

export interface ResponsesTest {
  kind: 'responses'
  selection: Selection
  /** Tests by name: `status`, `header.<name>`, `body`, `ms`, `error`; `json` has pointers. */
  tests: Record<string, Json>
  quantity: Quantity
}

export interface ArrivalsTest {
  kind: 'arrivals'
  /** `match`, or `order` with `strict`, as in `POST /_svc/verify`. */
  verification: JsonObject
  lane: string | null
  exactly: number | null
  atLeast: number | null
  atMost: number | null
  withinMs: number | null
  settleMs: number | null
  fromMs: number | null
  toMs: number | null
  share: { lane: string; min: number; max: number } | null
  per: string | null
  gapMs: Json | null
  /** Conditions that every arrival must meet, as those of `match`. */
  every: JsonObject
  absent: string[]
  unchanged: string[]
}

export interface EventsTest {
  kind: 'events'
  selection: Selection
  tests: Record<string, Json>
}

export interface TokensTest {
  kind: 'tokens'
  counted: Json | null
  upstream: Json | null
  equal: boolean
}

/** As `TokensTest`, in dollars. */
export interface CostTest {
  kind: 'cost'
  counted: Json | null
  upstream: Json | null
  equal: boolean
  /** Of the answers: what a gateway says that they cost. Null: only the ledger is tested. */
  header: string | null
}

export interface AgentTest {
  kind: 'agent'
  selection: Selection
  completed: boolean | null
  turns: Json | null
  error: Json | null
  /** Texts, of which each that was lost has one; null: not tested. */
  lost: string[] | null
}

export interface CompareTest {
  kind: 'compare'
  same: string[]
  differ: string[]
  addedMs: Record<string, Json>
  rounds: number
}

export interface CaptureTest {
  kind: 'capture'
  values: Record<string, string>
}

/** `services` and `telemetry`: verified by svc. */
export interface VerifiedTest {
  kind: 'services' | 'telemetry'
  verification: JsonObject
}
