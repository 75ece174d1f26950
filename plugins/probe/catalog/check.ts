/** The form of a check. `plan` and `judge` are pure. */
import type { Evidence } from '../client/evidence.ts'
import type { ConnectionSpec, ExchangeRecord } from '../client/exchange.ts'
import type { Field } from '../client/response-parser.ts'
import type { FoundPair, Pair } from '../pairs/pair.ts'
import type { LlmRoutes, Marks } from '../pairs/llm-routes.ts'
import type { Wire } from '../wires/types.ts'
import type { CauseId } from './causes.ts'

export type Level = 'must' | 'other-spec' | 'integrity' | 'should' | 'hazard' | 'proxy-only' | 'observation' | 'timing'
/** In which the client half speaks to the gateway. */
export type Protocol = '1.1' | '2'
export type Impact = 'low' | 'medium' | 'high'
export type VerdictWord = 'pass' | 'fail' | 'warn' | 'note' | 'skip' | 'error' | 'flaky'

export const GROUPS = [
  'reach',
  'headers',
  'targets',
  'framing',
  'responses',
  'streaming',
  'connections',
  'caching',
  'websocket',
  'grpc',
  'trust',
  'llm',
  'translate',
  'guardrails',
  'realtime',
  'gql',
  'mcp',
  'a2a',
  'oauth',
  'authz',
  'ratelimit',
  'proc',
  'report',
] as const

/** Of gateways that call svc as a service, or report to it. They run only if they are named. */
export const SERVICE_GROUPS: readonly string[] = ['authz', 'ratelimit', 'proc', 'report']

export interface Source {
  spec: string
  section?: string
}

export interface Verdict {
  verdict: VerdictWord
  summary: string
  values: Record<string, unknown>
  /** What other checks find too, and one change ends. */
  cause?: CauseId
}

/** How the gateway tells the upstream under which URL clients reach it, as an ordinary request arrived. Null: not at all. */
export interface ArrivedOrigin {
  host: string | null
  forwardedHost: string | null
  forwardedProto: string | null
  forwardedPrefix: string | null
}

/** The MCP server that clients of the gateway see. */
export interface McpServer {
  /** The newest protocol revision that it speaks. */
  revision: string
  /** The revision has no sessions. */
  isStateless: boolean
  /** Id of a session of a client of its own; null if it gave none. */
  session: string | null
  /** What the tool echo of svc is called. */
  tool: string
}

/** How a gateway asks the subgraphs of svc. Plain JSON. */
export interface JoinedGraph {
  /** In front of `/graphql/subgraphs`, such as `/s/t-1`; null: nothing arrived at a subgraph. */
  prefix: string | null
  /** Why nothing did. */
  reason: string
  /** In which it asks: `1.1`. */
  protocol: string
  /** The gateway answers as one of GraphQL does, whatever it asks. */
  isOfGraph: boolean
}

/** What `--routes` says of a gateway that joins graphs. Plain JSON. */
export interface GraphSettings {
  /** Names of headers that the gateway forwards to subgraphs. */
  propagates: readonly string[] | null
  /** After which it gives a subgraph up. */
  timeoutS: number | null
  /** Id of a persisted document that it knows. */
  persisted: string | null
}

/** What `--routes` says of a gateway of models, without credentials. Plain JSON. */
export interface ModelSettings
  extends Pick<LlmRoutes, 'fallback' | 'replicas' | 'cost' | 'spend' | 'cache' | 'marks' | 'embeddings'> {
  guardrails: { value: string; ask: string | null }
  /** Number of credentials of users. */
  tenants: number
}

/** Facts about the run that judges may use. */
export interface Facts {
  /** Origin and authority of the gateway. */
  gateway: { origin: string; authority: string; host: string }
  /** What the gateway's origin is if the upstream is reached without it, under the name of the gateway. */
  directOrigin: string
  /** Null before a request has arrived. */
  arrivedOrigin: ArrivedOrigin | null
  /** Null: nothing answers as an MCP server, or nobody asked. */
  mcp: McpServer | null
  /** Null: the probe did not ask. */
  graph: JoinedGraph | null
  graphs: GraphSettings
  /** `http://host:port` of the upstreams. */
  upstreamOrigins: readonly string[]
  /** Whether the gateway reuses answers; null if it is not known. */
  reuses: boolean | null
  /** The gateway's own pseudonym in Via, as seen by HDR-VIA. */
  viaPseudonym: string | null
  /** Requests to the gateway carry an Authorization of the user. */
  hasCredentials: boolean
  asksForCertificates: boolean
  /** A token of the gateway's own issuer. */
  mcpToken: string | null
  /** Of realtime sockets. */
  realtimeModel: string
  /** Tools that it must not show. */
  hiddenTools: readonly string[]
  /** Names of the routes that `--routes` gives. */
  routes: ReadonlySet<string>
  /** Tokens of the upstream's issuer by preset, for checks that ask for them. */
  tokens: Readonly<Record<string, string>>
  /** The gateway has a credential of its own for the provider of models. */
  hasOwnLlmCredential: boolean
  timeoutMs: number
  isSlow: boolean
  /** What recognition found; empty before, and if it was not asked for. */
  pairs: readonly FoundPair[]
  models: ModelSettings
  protocol: Protocol
  /** Protocols that the gateway speaks with clients. */
  clientProtocols: Protocol[]
}

export interface Plan {
  connections: ConnectionSpec[]
  /** One after the other, instead of all at once. */
  inOrder?: boolean
  /** With `inOrder`: whether the remaining connections are not needed any more. */
  isEnough?(record: ExchangeRecord): boolean
  /**
   * With `inOrder`: a request that the gateway answers with an error without asking the upstream is sent again for a while, since a
   * gateway may take an upstream out of service after an error. The requests are valid ones, each on a separate connection.
   */
  waitsForService?: boolean
  /** With `inOrder`: the connection that follows from what came back so far. */
  follow?(records: readonly ExchangeRecord[]): ConnectionSpec | null
  /** How often `follow` is called; default 8. */
  maxFollowed?: number
  /** What the gateway reports about the requests is waited for. */
  readsReports?: boolean
}

/** Finds out what the checks of a group have to know of the gateway, before any of them runs. */
export interface Discovery {
  id: string
  /** Tried in this order until one learns something. */
  attempts: readonly {
    plan(facts: Facts): Plan
    /** Null: nothing, so the next one is tried. */
    learn(evidence: Evidence): Partial<Facts> | null
  }[]
}

export interface CheckPage {
  /** What is sent, expected, and why it matters. */
  sent: string
  expected: string
  why: string
  configure?: Record<string, string>
  /** What each wire has no word for. */
  cannot?: Readonly<Record<string, string>>
  /** Public threads that show the same kind of fault: `owner/name#number`. */
  seen?: readonly string[]
}

/** What a check for pairs knows of the gateway besides the pair. */
export interface PairContext {
  pair: Pair
  /** Also those of other plugins. */
  wires: readonly Wire[]
  marks: Marks
  /** Models of embeddings that the routes file gives. */
  embeddings: readonly string[] | null
  /** Fields of the routes file for the model. */
  fields: readonly Field[]
}

export interface Check {
  id: string
  title: string
  group: string
  since: string
  level: Level
  impact?: Impact
  sources: readonly Source[]
  hostile?: boolean
  /** In which it runs. Default: only HTTP/1.1. */
  protocols?: readonly Protocol[]
  when?: {
    /** Runs while no other check does. */
    alone?: boolean
    /** Makes the upstream fail in the gateway's eyes: runs late, alone. */
    breaks?: boolean
    /** The upstream has to be spoken to in HTTP/1.1. */
    http11?: boolean
    /** Other checks use its result. */
    first?: boolean
    /** Only waits: runs alongside everything else. */
    waits?: boolean
    /** The judge itself decides about requests that were refused. */
    judgesRefusal?: boolean
    /** The number of arrivals matters: late ones are waited for. */
    counts?: boolean
    /** The judge gets the evidence of the direct run too. */
    comparesDirect?: boolean
    /** Routes of `--routes`, one of which it needs. */
    routes?: readonly string[]
    /** Presets of tokens of the upstream's issuer that it needs. */
    tokens?: readonly string[]
    /** Changes the signing key of the issuer before it runs through the gateway. */
    rotatesKeys?: boolean
    /** A note says how late something came: it counts if no repeat passes. */
    measuresLag?: boolean
    /** There is no direct run, since the upstream itself rejects what is sent, or would send to the gateway. */
    noDirect?: boolean
    /**
     * The upstream answers itself, so the direct run is not compared by bytes. It has the gateway's name as its Host, and the judge
     * gets its evidence: what is wrong there too comes from the upstream's own settings.
     */
    showsOwnAnswers?: boolean
    /** The pairs of wires are found out first. */
    pairs?: boolean
    /** Of checks with `forModels`: svc itself passes if the judge has no finding there, for each of its wires on both sides. */
    judgesDirect?: boolean
    /** What is found out first. */
    discovery?: Discovery
  }
  page: CheckPage
  /** It runs once for each pair of wires: as the check that this returns. */
  forPair?(context: PairContext): Check
  /**
   * It runs once, as the check that this returns, with the client wires that reach a model: `chat` and `messages` first, each
   * with its first pair. `tenants`: credentials of users.
   */
  forModels?(clients: readonly PairContext[], tenants: readonly string[]): Check
  /** Of a check that `forPair` made: `chat:messages`. */
  pair?: string
  plan(facts: Facts): Plan
  judge(evidence: Evidence, facts: Facts, direct: Evidence | null): Verdict
}

export function defineCheck(check: Check): Check {
  return check
}

/** For checks that run in both protocols. */
export const BOTH: readonly Protocol[] = ['1.1', '2']

type Values = Record<string, unknown>
const verdict =
  (word: VerdictWord) =>
  (summary: string, values: Values = {}): Verdict => ({ verdict: word, summary, values })

export const pass = (summary = '', values: Values = {}): Verdict => ({ verdict: 'pass', summary, values })
export const fail = verdict('fail')
export const warn = verdict('warn')
export const note = verdict('note')
export const skip = verdict('skip')
/** The recorded evidence can't be: a fault of the probe. */
export const fault = verdict('error')

const ORDER: readonly VerdictWord[] = ['pass', 'note', 'skip', 'warn', 'flaky', 'fail', 'error']

/** The worst of several verdicts. Summaries of the same word are joined. */
export function worst(verdicts: readonly Verdict[]): Verdict {
  const highest = Math.max(...verdicts.map(({ verdict }) => ORDER.indexOf(verdict)))
  const chosen = verdicts.filter(({ verdict }) => ORDER.indexOf(verdict) === highest)
  return {
    verdict: ORDER[highest]!,
    summary: [...new Set(chosen.map(({ summary }) => summary).filter(text => text !== ''))].join('; '),
    values: Object.assign({}, ...verdicts.map(({ values }) => values)) as Values,
  }
}

const HIGH =
  /^(?:FRM-CLTE|FRM-TE-.*|FRM-CL-.*|FRM-HOST|FRM-TRAILER|FRM-H2-BAD|RSP-TRUNC|RSP-EXTRA|RSP-CL-BAD|RSP-103|HDR-CONN-ABUSE|HDR-XFF|CON-RETRY|CCH-PRIVATE|CCH-AUTH|CCH-VARY|MTL-SPOOF|JWT-BAD|MCP-AUTH|MCP-SESSION)$/
const LOW = /^(?:HDR-VIA|HDR-MAXFWD|RSP-DATE|HDR-TRACE|TGT-ABS|FRM-CHUNK-EXT|CON-CLOSE)$/

export function impactOf({ id, level, impact }: Pick<Check, 'id' | 'level' | 'impact'>): Impact {
  if (impact !== undefined) return impact
  if (LOW.test(id)) return 'low'
  return level === 'integrity' || HIGH.test(id) ? 'high' : 'medium'
}
