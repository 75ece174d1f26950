/** The tap: requests as they arrive on the socket, before any parser has seen them, and answers written as bytes. */
import type { AnyRequest } from './http.ts'
import type { JsonObject } from './json.ts'

/** How a connection ended: still open, closed by the peer (`fin`), broken off, or not ended yet. */
export type ConnectionEnd = 'kept' | 'fin' | 'reset' | null

/** A part of a message as it was read or written. Times are milliseconds of `svc.tap.now()`. */
export interface TapChunk {
  atMs: number
  size: number
}

/**
 * A claimed request. The object is live: its fields change until `whenEnded` resolves. Times are milliseconds of the clock
 * that `svc.tap.now()` reads.
 */
export interface Arrival {
  /** What `claims` returned for the head. */
  readonly step: string
  /** Number of the connection; counted from the first one that was tapped. */
  readonly connection: number
  /** Position of the request on its connection, from 1. */
  readonly requestOnConnection: number
  readonly listener: 'http' | 'https' | 'grpc'
  /** Address and port of the peer. */
  readonly peer: string
  readonly tls: { version: string | null; alpn: string | null; sni: string | null; clientCertificate: boolean } | null
  readonly protocol: '1.0' | '1.1' | '2'
  /**
   * The head as received, with the empty line that ends it. HTTP/2 has no head as bytes: it is a request line, then a line
   * for each field in the order received, the pseudo-header fields included.
   */
  readonly head: Buffer
  /** Head and body as received; at most 1.25 MiB, see `truncated`. */
  readonly bytes: Buffer
  readonly size: number
  readonly truncated: boolean
  /** SHA-256 of all bytes, and of the body without its framing; hexadecimal. */
  readonly sha256: string
  readonly bodySize: number
  readonly bodySha256: string
  readonly chunks: readonly TapChunk[]
  readonly headAtMs: number
  readonly firstBodyByteMs: number | null
  readonly lastByteMs: number
  /** Whether the message is complete by its framing. `invalid`: it has no valid framing (RFC 9112, 6.3). */
  readonly framing: 'incomplete' | 'complete' | 'invalid'
  readonly ended: ConnectionEnd
  readonly endedMs: number | null
  /** HTTP/2 only: those of the request. In HTTP/1.1 they are in `bytes`. */
  readonly trailers: TapFields
  /** What plugins noticed while they served the request, by name. */
  readonly notes: Readonly<Record<string, unknown>>
  /**
   * HTTP/2 only: the error code with which the peer has reset the stream (RST_STREAM), or with which the server rejected a
   * malformed one. Null for a stream that was not reset, or by the claimer itself, and if the connection has ended.
   */
  readonly resetCode: number | null
  /** Resolves when `framing` is no longer `incomplete`, or the connection has ended. */
  readonly whenReceived: Promise<void>
  /** Resolves when the request was answered or the connection has ended. */
  readonly whenEnded: Promise<void>
}

/** Writes the answer to a claimed request to its connection. */
export interface TapReply {
  /** Resolves when the socket has taken the bytes; false if the connection has ended. */
  write(bytes: Buffer): Promise<boolean>
  /** The answer is complete, and the connection stays open for the next request. */
  keep(): void
  /** Ends the connection after what was written. */
  end(): void
  /** Breaks the connection off (TCP RST). */
  reset(): void
  /** Calls the listener with further bytes of the connection, which no longer are requests; for protocols after a 101. */
  onBytes(listener: (bytes: Buffer) => void): void
  /** Aborted when the peer has ended the connection. */
  readonly signal: AbortSignal
}

/** Fields of HTTP/2 with lower-case names; values are text in ISO 8859-1. */
export type TapFields = readonly (readonly [name: string, value: string])[]

/** Writes the response to a claimed request of HTTP/2 in parts. */
export interface TapHttp2Reply {
  /** Sends an interim response (1xx). */
  interim(status: number, fields: TapFields): void
  /** `isLast`: without content and trailers, so that the head ends the stream. */
  respond(status: number, fields: TapFields, isLast?: boolean): void
  /** Resolves when the stream has taken the bytes; false if it has ended. */
  write(bytes: Buffer): Promise<boolean>
  /** The response is complete; with trailers if there are any. */
  end(trailers?: TapFields): void
  /** Ends the stream with RST_STREAM and this error code (RFC 9113, 7). */
  reset(code: number): void
  /** Sends GOAWAY and closes the connection. The request counts as not processed if `isRefused`. */
  goAway(isRefused: boolean): void
  /** Aborted when the peer has ended the stream. */
  readonly signal: AbortSignal
}

export interface TapOptions {
  /** Replaces an armed tap with the same id, such as that of a generation with older code. */
  id?: string
  /** Called with each request head. Returns a name for the request, or null to leave it to the server. */
  claims(head: Buffer): string | null
  /**
   * Called with the head and up to 1 MiB of the JSON content of requests of HTTP/1 that `claims` returned null for. Each such
   * request waits for its content.
   */
  claimsContent?(head: Buffer, content: Buffer): string | null
  /** Called with each claimed request once its head has arrived. */
  onArrival(arrival: Arrival): void
  /** Responds to a claimed request. Without it, the server responds as to all others. */
  answer?(arrival: Arrival, reply: TapReply): void
  /** Responds to a claimed request of HTTP/2. Without it, the requests of HTTP/2 connections are left to the server. */
  answerHttp2?(arrival: Arrival, reply: TapHttp2Reply): void
  /** After this time the tap is disarmed. At most 15 minutes. */
  lifetimeMs: number
}

export interface ArmedTap {
  disarm(): void
}

/** How a claimed request is handed to the route that its path names. */
export interface TapServing {
  /** The step of a rule, which acts as if a rule in front of all others had matched. Null: the route answers as it does. */
  step: JsonObject | null
  /** Gets the bytes that the route writes; resolves with false once the connection is gone. */
  write(bytes: Buffer): Promise<boolean>
  /** Aborted when the peer is gone. */
  signal: AbortSignal
}

export interface TapServed {
  /** What is to become of the connection. */
  then: 'keep' | 'end' | 'reset'
}

/** Requests as bytes. Only claimed requests are kept. */
export interface SvcTap {
  /** Throws in public mode, and while four others are armed that are not replaced. */
  arm(options: TapOptions): ArmedTap
  /** Milliseconds of the clock of arrivals. */
  now(): number
  /** What is wrong with the step of a rule, with its place; null if it can be served. */
  stepProblem(step: unknown): string | null
  /**
   * Lets the route of a claimed and complete request answer it. Stored rules, faults of headers, limits and the inspector do not
   * see it. Rejects if the step is not valid.
   */
  serve(arrival: Arrival, serving: TapServing): Promise<TapServed>
  /** Whether a route answers the request for the tap: plugins do not count it then. */
  isServed(request: AnyRequest): boolean
  /** For plugins: what they notice of a request that is served, as JSON. Does nothing for other requests. */
  note(request: AnyRequest, name: string, value: unknown): void
}
