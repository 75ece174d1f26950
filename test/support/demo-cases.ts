/** The gateways with which the demos of a test run: with the feature, without it, and with one mistake. */
import {
  agentCards,
  enrichment,
  federation,
  mcpAuth,
  mcpWithoutQuestions,
  mcpSessions,
  openApiTools,
  semanticCache,
  toolSearch,
} from './demo-agent-gateways.ts'
import { losing, stating } from './demo-conversations.ts'
import { grpcJson, grpcWeb } from './demo-grpc-gateways.ts'
import type { ProxySwitches } from './demo-proxy.ts'
import { oidcLogin } from './demo-login-gateway.ts'
import { certificateOfGateway, clientCertificates, passthrough } from './demo-tls-gateways.ts'
import {
  apiKey,
  blueGreen,
  concurrencyLimit,
  cors,
  failover,
  injectionBlock,
  outlierEjection,
  pathRewrite,
  retryBudget,
  sizeLimit,
  timed,
  tokenExchange,
} from './demo-traffic-gateways.ts'

export interface Case {
  set?: Record<string, unknown>
  on: Gateway
  /** The gateway without the feature; the default does nothing. */
  off?: Gateway
  /** A mistake, and what the reason says about it. */
  wrong: [Gateway, RegExp]
  /** A second mistake. */
  wrongToo?: [Gateway, RegExp]
  control?: 'seen' | 'not-seen'
  plugins?: string[]
}

/** Switches, or what makes them for the URL of the upstream and the clock of the case. */
export type Gateway = ProxySwitches | ((upstream: string, clock: Clock) => ProxySwitches)

/** A window ends when a step waits for its end, or asks a person for something. */
export interface Clock {
  window: number
}

const LLM = ['llm', 'llm-openai']
const INSIDE = 'http://agents.internal:8080'
const ORIGIN = 'https://app.example'

export const AGENT_CASES: Record<string, Case> = {
  'mcp-auth': {
    plugins: ['mcp', 'identity'],
    on: upstream => ({ handle: mcpAuth(upstream, 'svc') }),
    wrong: [
      upstream => ({ handle: mcpAuth(upstream, 'svc', { forwards: true }) }),
      /step 4, A good token.*arrived in the header authorization/,
    ],
  },
  'mcp-federation': {
    plugins: ['mcp'],
    on: () => ({ handle: federation() }),
    wrong: [() => ({ handle: federation({ drops: true }) }), /step 1, One list.*"crm_inspect_request/],
  },
  'mcp-openapi': {
    on: { handle: openApiTools() },
    wrong: [{ handle: openApiTools({ forwardsAll: true }) }, /step 2, .*no arrivals.*jsonrpc.*got 1 arrival/],
  },
  'mcp-tool-search': {
    plugins: ['mcp', 'mcp-hostile'],
    on: { handle: toolSearch() },
    wrong: [{ handle: toolSearch({ listsAll: true }) }, /step 1, The list is short.*tools\/10 absent/],
  },
  'mcp-session': {
    plugins: ['mcp'],
    on: {},
    off: { handle: mcpSessions('drops') },
    wrong: [() => ({ handle: mcpSessions('shares') }), /step 2, Three agents at once.*3 for /],
    control: 'seen',
  },
  'mcp-elicitation': {
    plugins: ['mcp'],
    on: { streams: true },
    off: {},
    wrong: [{ handle: mcpWithoutQuestions() }, /step 1, .*text with "User confirmed.*did not declare the capability/],
    control: 'seen',
  },
  'prompt-enrichment': {
    plugins: LLM,
    on: { handle: enrichment('Answer in English.') },
    wrong: [{ handle: enrichment('Answer in English.', { after: true }) }, /step 1, .*1 without it/],
  },
  'semantic-cache': {
    plugins: LLM,
    on: () => ({ handle: semanticCache() }),
    wrong: [() => ({ handle: semanticCache({ shared: true }) }), /step 4, Another tenant.*got no arrival/],
  },
  'llm-streaming': {
    plugins: LLM,
    on: { streams: true },
    off: {},
    wrong: [{}, /step 1, Token by token.*count at least 4.*got 1 response: 502; 0 events/],
    control: 'seen',
  },
  'coding-agent': {
    plugins: ['llm', 'llm-anthropic'],
    on: {},
    off: { handle: losing('signature') },
    wrong: [{ handle: losing('marks') }, /step 1, .*loses nothing; got 4 turns, completed; lost turn 1: \/marks/],
    wrongToo: [
      { handle: losing('index') },
      /step 1, .*loses nothing; got 4 turns.*lost turn 1: event \d+: block 0 starts as number 1/,
    ],
    control: 'seen',
  },
  'llm-cost': {
    plugins: LLM,
    on: { handle: stating('x-litellm-response-cost') },
    wrong: [
      { handle: stating('x-litellm-response-cost', { ignoresPrompts: true }) },
      /step 1, .*both equal; got \$[\d.e-]+ in the header x-litellm-response-cost, \$[\d.e-]+ in the ledger/,
    ],
  },
  'a2a-card': {
    plugins: ['a2a'],
    on: { handle: agentCards(INSIDE) },
    wrong: [
      { handle: agentCards(INSIDE, { urlOnly: true }) },
      /step 1, The card.*no response has body with "http:\/\/agents/,
    ],
  },
}

export const GRPC_CASES: Record<string, Case> = {
  'grpc-retry': {
    plugins: ['grpc'],
    on: { grpc: { attempts: 3 } },
    off: { grpc: {} },
    wrong: [{ grpc: { attempts: 3, retriesAll: true } }, /step 3, A call that is refused.*got 3 arrivals.*gRPC 7/],
  },
  'grpc-web': {
    plugins: ['grpc'],
    on: upstream => ({ handle: grpcWeb(upstream) }),
    wrong: [
      upstream => ({ handle: grpcWeb(upstream, { losesStatus: true }) }),
      /step 2, A call that fails.*grpc_status 5.*grpc_status is absent/,
    ],
  },
  'grpc-json': {
    plugins: ['grpc'],
    on: upstream => ({ handle: grpcJson(upstream) }),
    wrong: [
      upstream => ({ handle: grpcJson(upstream, { alwaysOk: true }) }),
      /step 2, The service says no.*status 404.*got 1 response: 200/,
    ],
  },
}

export const TRAFFIC_CASES: Record<string, Case> = {
  failover: {
    set: { settle_s: 0 },
    on: (_, clock) => ({ handle: failover(() => clock.window) }),
    wrong: [
      (_, clock) => ({ handle: failover(() => clock.window, { stays: true }) }),
      /step 4, The first one is well again.*at least 1 arrival.*got no arrival/,
    ],
  },
  'outlier-ejection': {
    set: { settle_s: 0 },
    on: (_, clock) => ({ handle: outlierEjection(() => clock.window) }),
    wrong: [
      (_, clock) => ({ handle: outlierEjection(() => clock.window, { stays: true }) }),
      /step 4, It is well again.*got 0 at one/,
    ],
  },
  'blue-green': {
    on: (_, clock) => ({ handle: blueGreen(() => clock.window) }),
    wrong: [
      (_, clock) => ({ handle: blueGreen(() => clock.window, { leaves: true }) }),
      /step 2, Green serves.*exactly 10 arrivals.*at green.*got [789] arrivals/,
    ],
  },
  'token-exchange': {
    plugins: ['auth', 'identity'],
    on: upstream => ({ handle: tokenExchange(upstream) }),
    wrong: [
      upstream => ({ handle: tokenExchange(upstream, { leaves: true }) }),
      /step 1, .*arrived in the header x-original-authorization/,
    ],
  },
  'api-key': {
    on: { handle: apiKey() },
    wrong: [{ handle: apiKey({ query: true }) }, /step 4, With the key in the query.*got 1 response: 200/],
  },
  cors: {
    on: { handle: cors(ORIGIN) },
    wrong: [
      { handle: cors(ORIGIN, { echoes: true }) },
      /step 3, Another page.*access-control-allow-origin is "https:\/\/else/,
    ],
  },
  'path-rewrite': {
    on: { handle: pathRewrite() },
    wrong: [{ handle: pathRewrite({ everywhere: true }) }, /step 2, The prefix once more.*got no arrival/],
  },
  'request-size': {
    on: { handle: sizeLimit(100 * 1024) },
    wrong: [{ handle: sizeLimit(100 * 1024, { cuts: true }) }, /step 2, Over the limit.*got 1 response: 200/],
  },
  'large-upload': {
    on: {},
    off: { handle: sizeLimit(500_000) },
    wrong: [{ handle: sizeLimit(500_000, { cuts: true }) }, /step 1, .*arrived changed \(500000 bytes\)/],
    control: 'seen',
  },
  'concurrency-limit': {
    set: { delay_ms: 5000 },
    on: () => ({ handle: concurrencyLimit(2) }),
    wrong: [
      () => ({ handle: concurrencyLimit(2, { leaks: true }) }),
      /step 2, One after the other.*got 8 responses: 503/,
    ],
  },
  'retry-budget': {
    on: () => ({ handle: retryBudget() }),
    wrong: [() => ({ handle: retryBudget({ unlimited: true }) }), /step 2, Everything fails.*got 150 arrivals/],
  },
  'injection-block': {
    on: { handle: injectionBlock() },
    wrong: [{ handle: injectionBlock({ queryOnly: true }) }, /step 3, A script in the body.*got 1 response: 200/],
  },
  websocket: {
    plugins: ['websocket'],
    on: { upgrades: 'all' },
    off: {},
    wrong: [{ upgrades: 'handshake' }, /step 1, .*body "first.*body is ""/],
    control: 'seen',
  },
  overhead: {
    // As much as a busy machine adds.
    set: { rounds: 20, p50_ms: 20_000, p99_ms: 20_000 },
    on: { handle: timed(1) },
    // Longer than any request straight to svc takes on a busy machine.
    off: { handle: timed(60_000) },
    wrong: [() => ({ handle: timed(1, { slowMs: 60_000, every: 15 }) }), /step 1, .*p99 [56]\d{4}/],
    control: 'seen',
  },
}

export const ACCESS_CASES: Record<string, Case> = {
  'oidc-login': {
    plugins: ['auth', 'identity'],
    on: upstream => ({ handle: oidcLogin(upstream, 'full') }),
    wrong: [
      upstream => ({ handle: oidcLogin(upstream, 'full', { sharesStates: true }) }),
      /step 4, An answer for another browser.*no arrivals.*got 1 arrival/,
    ],
    wrongToo: [
      upstream => ({ handle: oidcLogin(upstream, 'full', { open: true }) }),
      /step 1, Without a session.*no arrivals.*got 1 arrival/,
    ],
  },
  'mtls-client': {
    plugins: ['auth'],
    on: { serves: clientCertificates() },
    wrong: [
      { serves: clientCertificates({ keepsHeader: true }) },
      /step 2, With a certificate, and another name.*"CN=admin" arrived in the header x-client-dn/,
    ],
    wrongToo: [
      { serves: clientCertificates({ anyCa: true }) },
      /step 4, With a certificate that has expired.*got 1 response: 200/,
    ],
  },
  'mtls-upstream': {
    plugins: ['auth', 'tls'],
    on: upstream => ({ handle: certificateOfGateway(upstream) }),
    wrong: [
      upstream => ({ handle: certificateOfGateway(upstream, { trustsAll: true }) }),
      /step 2, The certificate of the API has expired.*no arrivals.*got 1 arrival/,
    ],
  },
  'tls-passthrough': {
    plugins: ['auth', 'tls'],
    on: { serves: passthrough() },
    wrong: [
      { serves: passthrough({ ends: true }) },
      /step 1, The client presents a certificate.*client_certificate.subject/,
    ],
    wrongToo: [{ serves: passthrough({ all: true }) }, /step 3, A name without a route.*no arrivals.*got 1 arrival/],
  },
}
