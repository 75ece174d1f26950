/** The extension point `probe.checks`: checks of other plugins. */
import type { CheckPage, Impact, Level, Protocol, Source } from './catalog/check.ts'

export type { CheckPage, Impact, Level, Protocol, Source }

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
  add(check: CustomCheck): void
  /** All that were added, in this order. */
  list(): readonly CustomCheck[]
}

declare module 'svc/plugin' {
  interface ExtensionPoints {
    'probe.checks': ProbeChecks
  }
}
