/**
 * The extension points `probe.checks` and `probe.wires`, for checks and formats of other plugins, `probe.client`, for their traffic,
 * `probe.targets`, for where it may go, and `probe.upstream`, for routes that gateways call themselves.
 */
import type { CheckPage, Impact, Level, Protocol, Source } from './catalog/check.ts'

import type { Reply as ModelReply, Request as ModelRequest, Wire, WireError as ModelError } from './wires/types.ts'

export type { CheckPage, Impact, Level, ModelError, ModelReply, ModelRequest, Protocol, Source, Wire }

/** A header field; the value is text in ISO 8859-1. */
export type CheckField = readonly [name: string, value: string]

/** What the upstream answers. */
export interface StepAnswer {
  /** 200 to 599; default 200. */
  status?: number
  /** Replace Content-Type and Cache-Control; Date and the framing are added. */
  fields?: readonly CheckField[]
  /** At most 1 MiB; default: a short text. */
  body?: string | Buffer
  /** Replaces `body`: parts of a chunked answer, each written `afterMs` after the one before. At most 100. */
  parts?: readonly { text: string; afterMs?: number }[]
  /** How long the upstream waits with its answer, up to 30 s. */
  delayMs?: number
  /** What becomes of the connection afterwards; default `keep`. */
  then?: 'keep' | 'end' | 'reset'
}

/** One request through the gateway, and the answer of the upstream. Requests are well-formed. */
export interface CheckStep {
  /** By which messages and reports call it; unique in its check. */
  name: string
  /** Default: GET. */
  method?: string
  /** Follows the path of the probe: `/a/b` or `?q=1`. At most 8 KiB, without spaces. */
  rest?: string
  /**
   * Replaces the path of the probe, for gateways that treat some paths in a special way. The upstream then recognizes the
   * request by `X-Svc-Probe`, which the gateway must forward.
   */
  path?: string
  /** At most 100. Host and the framing are added. */
  fields?: readonly CheckField[]
  /** At most 1 MiB; text is encoded in UTF-8. */
  body?: string | Buffer
  /** The body is sent in chunked coding. */
  isChunked?: boolean
  /** On the connection of the step before; default: on a new one. */
  sameConnection?: boolean
  answer?: StepAnswer
}

/** A request as the upstream received it. */
export interface ArrivedRequest {
  readonly protocol: '1.0' | '1.1' | '2'
  readonly method: string
  /** The whole request target. */
  readonly target: string
  /** The target behind the path of the probe; as the gateway left it. */
  readonly rest: string
  readonly fields: readonly CheckField[]
  /** Values of all fields of this name, which is written in lower case. */
  field(name: string): string[]
  /** Without its framing; at most the first 128 KiB. */
  readonly body: Buffer
  /** Behind a chunked body, or behind the content in HTTP/2. */
  readonly trailers: readonly CheckField[]
  /** In HTTP/2, the error code with which the gateway reset the stream (RFC 9113, 7); otherwise null. */
  readonly resetCode: number | null
  /** The request ended by its framing. */
  readonly isComplete: boolean
  /** Number of the upstream's connection. */
  readonly connection: number
}

/** An answer as the client received it. */
export interface ReceivedAnswer {
  readonly status: number
  readonly fields: readonly CheckField[]
  field(name: string): string[]
  readonly body: Buffer
  readonly trailers: readonly CheckField[]
  /** Status codes of interim responses. */
  readonly interims: readonly number[]
  readonly isComplete: boolean
  /** When each part of the body came, in milliseconds since the request was sent. */
  readonly parts: readonly { atMs: number; bytes: Buffer }[]
}

export interface StepRecord {
  readonly name: string
  /** Empty: the request was not forwarded. */
  readonly arrivals: readonly ArrivedRequest[]
  /** Null: nothing came back. */
  readonly answer: ReceivedAnswer | null
}

export interface CheckFacts {
  /** In which the probe speaks to the gateway. */
  readonly protocol: Protocol
  readonly gateway: { readonly origin: string; readonly authority: string }
  /** Origins of the upstreams. */
  readonly upstreamOrigins: readonly string[]
}

export interface CheckVerdict {
  verdict: 'pass' | 'fail' | 'warn' | 'note' | 'skip'
  /** One sentence, cut after 500 characters. For `skip`: the reason. */
  summary?: string
  /** JSON for the report, at most 16 KiB. */
  values?: Record<string, unknown>
}

/** A check of another plugin. */
export interface CustomCheck {
  /** A prefix in lower case, a dot, and a name in upper case: `acme.SOAP-ACTION`. Never change its meaning. */
  id: string
  title: string
  /** A group of the catalog, or a new one in lower case. `--routes` can give a new group a path or URL. */
  group: string
  level: Level
  /** Default: high for the level `integrity`, otherwise medium. */
  impact?: Impact
  sources?: readonly Source[]
  /** Default: only HTTP/1.1. */
  protocols?: readonly Protocol[]
  /** No other check runs at the same time. */
  isAlone?: boolean
  /** Makes the upstream fail in the eyes of the gateway: runs late and alone. */
  breaksUpstream?: boolean
  /** The judge decides about refused requests; otherwise a refusal is a `skip`. */
  judgesRefusal?: boolean
  page: CheckPage
  /** 1 to 50, sent in this order. */
  steps: readonly CheckStep[]
  /** A pure function, which runs on the evidence of a report too. If it throws, the verdict is `error`. */
  judge(steps: readonly StepRecord[], facts: CheckFacts): CheckVerdict
}

export interface ProbeChecks {
  /** Adds a check. Throws for an invalid one, and if another plugin has added its id. */
  add(check: CustomCheck | CustomPairCheck): void
  /** All that were added, in this order. */
  list(): readonly (CustomCheck | CustomPairCheck)[]
}

/** A pair of wires, and the model of the gateway that leads from one to the other. */
export interface CheckPair {
  readonly client: string
  readonly upstream: string
  readonly model: string
}

/** One request of a check for pairs, in the neutral form: the probe writes it on the client's wire. */
export interface PairStep {
  /** By which messages and reports call it; unique in its check. */
  name: string
  /** What is absent is empty. A marker is added to the last text of the user. */
  request: Partial<Omit<ModelRequest, 'problems' | 'model' | 'stream'>> & Pick<ModelRequest, 'turns'>
  /** Default: a complete reply. */
  isStream?: boolean
  /** The step of a rule, by which the upstream answers. Default: a short reply. */
  answer?: Readonly<Record<string, unknown>>
}

export interface PairStepRecord {
  readonly name: string
  /** As the probe sent it. */
  readonly sent: ModelRequest
  /** Empty: the request was not forwarded. */
  readonly arrivals: readonly ModelRequest[]
  /** What the upstream replied to the last of them; null: an error, or nothing arrived. */
  readonly answered: ModelReply | null
  /** Null: an error, or nothing came back. */
  readonly received: ModelReply | null
  /** What came back in place of a reply, or ended its stream. */
  readonly error: ModelError | null
  /** Null: nothing came back. */
  readonly status: number | null
}

/** A check of another plugin that runs once for each pair of wires of a gateway of models. */
export interface CustomPairCheck extends Omit<CustomCheck, 'steps' | 'judge' | 'protocols'> {
  forPairs: true
  /** 1 to 50, sent in this order. */
  steps(pair: CheckPair): readonly PairStep[]
  /** A pure function, which runs on the evidence of a report too. If it throws, the verdict is `error`. */
  judge(steps: readonly PairStepRecord[], pair: CheckPair): CheckVerdict
}

/** Formats of requests to models. */
export interface ProbeWires {
  /** Adds a wire. Throws for an invalid one, and if another plugin has added its id, which has a prefix and a dot. */
  add(wire: Wire): void
  /** All that were added, in this order. */
  list(): readonly Wire[]
}

/** Where a client connects. Its name is resolved once, so that all traffic goes to the same address. */
export interface ClientAddress {
  /** As given, without a slash at the end. */
  readonly url: string
  readonly isTls: boolean
  /** Name or address, without brackets. */
  readonly host: string
  readonly port: number
  /** Path in front of everything; empty or with a leading slash. */
  readonly prefix: string
  /** Value of the Host field. */
  readonly authority: string
  /** Resolved address; empty until `resolve`. */
  readonly ip: string
}

export interface ClientTrust {
  /** Certificates in PEM in place of those of the system; null: those of the system. */
  ca: string[] | null
  insecure: boolean
  /** Name for SNI and the certificate; null: the host of the address. */
  name: string | null
  /** What the client presents if the server asks for a certificate, as PEM; default: nothing. */
  client?: { certificate: string; key: string }
}

export interface ClientOptions {
  /** Resolved. */
  address: ClientAddress
  trust: ClientTrust
  /** For everything together, in milliseconds; what has come until then is returned. */
  limitMs: number
  signal: AbortSignal
  /**
   * Called with the number of bytes that came. False: they are too many; the exchange ends with the error `too_large`.
   * Default: only the bound of a connection holds, 8 MiB.
   */
  onReceived?(bytes: number): boolean
  /** Called when content of the last answer that began has come, with all of its parts. */
  onParts?(parts: readonly { atMs: number; bytes: Buffer }[]): void
}

export interface ClientRequest {
  /** Default: GET. */
  method?: string
  /** Path and query as they are sent; the prefix of the address is not added. */
  target: string
  /** Host and the framing are added. Values are text in ISO 8859-1. */
  fields?: readonly CheckField[]
  /** Text is encoded in UTF-8. */
  body?: string | Buffer
  /** A length is stated even without a body. */
  expectsBody?: boolean
  /** Value of the Host field; default: that of the address. */
  authority?: string
}

/** The requests of one connection, in order, each after the answer to the one before. */
export interface ClientConnection {
  requests: readonly ClientRequest[]
  /** HTTP/2: by ALPN with TLS, with prior knowledge without. Default: HTTP/1.1. */
  http2?: boolean
  /** Between an answer and the next request. */
  gapMs?: number
  /** The client leaves this long after it has sent the last request. */
  leaveAfterMs?: number
}

/** Times are those of `clock`. */
export interface ClientAnswer extends ReceivedAnswer {
  readonly sentAtMs: number
  readonly sentEndMs: number
  readonly headAtMs: number
  readonly endAtMs: number
}

export interface ClientExchange {
  readonly startedAtMs: number
  readonly endedAtMs: number
  /** Why there was no connection, such as ECONNREFUSED; null if there was one. */
  readonly connectError: string | null
  /** One for each request; null: nothing came back. */
  readonly answers: readonly (ClientAnswer | null)[]
  /** The client left before the answer was complete. */
  readonly hasLeft: boolean
  /** Why an answer is missing or not complete. */
  readonly error: 'refused' | 'timeout' | 'reset' | 'too_large' | null
}

export interface ReceivedMessage {
  readonly atMs: number
  readonly isText: boolean
  readonly data: Buffer
}

export interface ClientConversation {
  readonly startedAtMs: number
  readonly connectError: string | null
  /** Of the opening handshake; null: nothing came back. */
  readonly status: number | null
  readonly fields: readonly CheckField[]
  readonly messages: readonly ReceivedMessage[]
  /** Of the close frame of the peer. */
  readonly closeCode: number | null
  readonly error: 'refused' | 'timeout' | 'reset' | 'bad_handshake' | null
}

export interface ClientGrpcCall {
  /** `/<service>/<method>`, in front of it what the gateway needs. */
  path: string
  messages: readonly Buffer[]
  metadata?: readonly CheckField[]
  deadlineMs?: number
  /** gRPC-Web over HTTP/1.1, as browsers send it. Default: gRPC over HTTP/2. */
  isWeb?: boolean
  /** Value of the Host field; default: that of the address. */
  authority?: string
  /** The client leaves this long after it has sent the call. */
  leaveAfterMs?: number
}

export interface ClientGrpcResult extends ClientExchange {
  readonly messages: readonly Buffer[]
  /** `grpc-status`; null without one. */
  readonly status: number | null
  /** `grpc-message`, decoded; null without one. */
  readonly statusMessage: string | null
}

/** The client of the probe. It follows no redirects, keeps no cookies and adds no fields but Host and the framing. */
export interface ProbeClient {
  /** Reads the URL of a gateway or an upstream; a sentence for one that is not valid. */
  address(url: string): ClientAddress | string
  /** Resolves the name. Rejects with Node's error. */
  resolve(address: ClientAddress): Promise<ClientAddress>
  /** Reads what a file of `--routes` contains; a sentence if it is not valid. */
  routes(value: unknown): ClientRoutes | string
  /** Never rejects because of the peer. */
  exchange(connection: ClientConnection, options: ClientOptions): Promise<ClientExchange>
  /** Opens a WebSocket, sends the text messages, and collects what comes back for `forMs`, or until the peer closes. */
  webSocket(
    conversation: {
      target: string
      authority?: string
      fields?: readonly CheckField[]
      messages: readonly string[]
      forMs: number
    },
    options: ClientOptions,
  ): Promise<ClientConversation>
  /** Calls a method of gRPC with encoded messages. */
  grpc(call: ClientGrpcCall, options: ClientOptions): Promise<ClientGrpcResult>
  /** Milliseconds since the epoch that never go backwards. */
  clock(): number
  /** Watches until `stop` whether this process had to wait for the processor. */
  watchLoad(): ProcessLoad
  /** Replaces the secrets wherever they occur in the texts of a value. */
  masked<T>(value: T, secrets: readonly string[]): T
}

export interface ProcessLoad {
  /** Milliseconds between these times of `clock` in which this process did not run. */
  stalledMs(fromMs: number, toMs: number): number
  stop(): void
}

/** A request as one side of a gateway saw it. */
export interface SeenRequest {
  method: string
  /** The whole request target. */
  target: string
  fields: readonly CheckField[]
  body: string
}

export interface SeenDifferences {
  /** Wires of the two sides, such as `messages` and `chat`. */
  client: string
  upstream: string
  /** In the neutral form: `/turns/2/parts/0/text`. */
  differences: { at: string; kind: string; sent?: unknown; arrived?: unknown; why?: string }[]
}

/** Without content coding. */
export interface SeenAnswer {
  status: number
  fields: readonly CheckField[]
  body: string
  isComplete: boolean
}

export interface SeenReply {
  text: string
  /** Null: the reply has none. */
  calls: { id: string | null; name: string; args: unknown; signature: string | null }[]
  thoughts: { signature: string | null }[]
  /** An error in the words of the vendor, in a stream too. */
  error: { status: number; message: string } | null
  /** Rules of the format that the reply violates, in words. */
  problems: string[]
  /** For `continued`. */
  turn: unknown
}

export interface ReplyTurn {
  turn: unknown
  /** Of the calls, in their order. */
  results: readonly { id: string | null; name: string; text: string }[]
}

export interface ProbeConversations {
  /** Null: one of the two is not a request for a generation in a format that the probe reads. */
  compare(sent: SeenRequest, arrived: SeenRequest): SeenDifferences | null
  /** What a client makes of an answer. Null: the request is not one for a generation. */
  read(request: Pick<SeenRequest, 'method' | 'target'>, answer: SeenAnswer): SeenReply | null
  /** What a client of this format adds to its conversation after a reply: items of `messages`, `input` or `contents`. */
  continued(request: Pick<SeenRequest, 'method' | 'target'>, turn: ReplyTurn): unknown[]
}

/** Where groups of paths are at the gateway. */
export interface ClientRoutes {
  /** By group, such as `llm`. `address` null: that of the gateway. */
  readonly paths: Readonly<Record<string, { address: ClientAddress | null; path: string }>>
  readonly model: string | null
}

/** The upstream half of a probe. */
export interface ProbeUpstream {
  /**
   * Requests below these paths are not taken for a request of the probe although they name one: gateways send them themselves,
   * about requests of clients. Call it while the plugin registers.
   */
  ignore(...paths: string[]): void
}

/** Where runs that callers start over HTTP may send requests. */
export interface ProbeTargets {
  /** The origins in `probe.targets` of svc.yaml. */
  readonly origins: readonly string[]
  /** Origins in a list of another section; `onProblem` is called with the index of an item that is not an origin. */
  read(texts: readonly string[], onProblem: (index: number, message: string, remedy: string) => void): string[]
  /** This server, as it reaches itself. Throws 503 if it has no listener for HTTP. */
  own(): ClientAddress
  /**
   * Throws 403 `target_not_allowed` for an address that is in no list, unless callers may choose it: on an instance that
   * restricts nobody, loopback, and with `allowsTarget` all others. In public mode there are no targets at all.
   */
  check(addresses: readonly ClientAddress[], options: CheckedTargets): void
}

export interface CheckedTargets {
  /** The caller allows the addresses. */
  allowsTarget: boolean
  /** Origins that are allowed besides those of the probe. */
  more?: readonly string[]
  /** For the remedy: the section of svc.yaml whose `targets` are meant. */
  section: string
}

declare module 'svc/plugin' {
  interface ExtensionPoints {
    'probe.checks': ProbeChecks
    'probe.client': ProbeClient
    'probe.conversations': ProbeConversations
    'probe.upstream': ProbeUpstream
    'probe.wires': ProbeWires
    'probe.targets': ProbeTargets
  }
}
