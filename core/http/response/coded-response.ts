/**
 * Sends the response of a request in a content coding (`X-Svc-Encoding`), whoever writes it. The methods of that one response are
 * replaced, so that other responses cost nothing. The head waits until it is known whether the body is written at once or in parts.
 */
import type { ServerResponse } from 'node:http'
import type { ContentEncoder, EncoderStream } from '../../toolkit/content-encoder.ts'
import type { ResponseEncoding } from '../../rules/encoding.ts'
import type { RequestContext } from '../request/context.ts'
import type { FaultOrigin } from '../../contract/plugin.ts'
import { eachHeader, type Headers } from './header-list.ts'

/** Statuses whose responses have no content, or a part of one (RFC 9110, 15.3.7). */
const UNCODED_STATUSES = new Set([204, 205, 206, 304])
/** Checksum and length at the end of gzip (RFC 1952, 2.3). */
const GZIP_TRAILER_BYTES = 8

export interface CodingSource {
  encoding: ResponseEncoding
  encoder: ContentEncoder
  /** What asked for it: the header, or a rule. */
  source: string
  origin: FaultOrigin
  /** Whether each part of a stream can be decoded when it arrives. Default: true. */
  flushes?: boolean
}

type Head = [status: number, reason: string | undefined, headers: Headers | undefined]

/** From now on the response is coded, unless it has a coding already, or no body that can have one. */
export function codeResponse(context: RequestContext, source: CodingSource): void {
  if (context.coding !== null || context.upgrade !== null || context.method === 'HEAD') return
  if (context.response.headersSent) return
  context.coding = new CodedResponse(context, source)
}

interface Methods {
  writeHead(...given: unknown[]): unknown
  write(...given: unknown[]): boolean
  end(...given: unknown[]): unknown
  flushHeaders(): void
}

class CodedResponse {
  readonly #context: RequestContext
  readonly #source: CodingSource
  readonly #response: ServerResponse
  /** The methods of the class. */
  readonly #base: Methods
  #head: Head | null = null
  #stream: CodedStream | null = null
  #isEnded = false
  /** Whether a method of the class runs, which may call others. */
  #isInside = false

  constructor(context: RequestContext, source: CodingSource) {
    this.#context = context
    this.#source = source
    const response = context.response as ServerResponse
    this.#response = response
    this.#base = Object.getPrototypeOf(response)
    const isSent = (): boolean => Reflect.get(this.#base, 'headersSent', response) === true
    Object.defineProperty(response, 'headersSent', { configurable: true, get: () => this.#head !== null || isSent() })
    Object.assign(response, {
      writeHead: (...given: never[]) => this.#writeHead(given),
      write: (chunk: unknown, encoding?: unknown, callback?: unknown) => this.#write(chunk, encoding, callback),
      end: (chunk?: unknown, encoding?: unknown, callback?: unknown) => this.#end(chunk, encoding, callback),
      flushHeaders: () => this.#flushHeaders(),
    })
  }

  /** The response is sent as it is: a fault breaks it. Has no effect once the head is written. */
  off(): void {
    if (this.#head !== null) return
    for (const name of ['headersSent', 'writeHead', 'write', 'end', 'flushHeaders'] as const)
      Reflect.deleteProperty(this.#response, name)
  }

  #writeHead(given: unknown[]): ServerResponse {
    const [status, second, third] = given as [number, unknown, Headers | undefined]
    const reason = typeof second === 'string' ? second : undefined
    const headers = typeof second === 'string' ? third : (second as Headers | undefined)
    if (this.#isInside || this.#response.headersSent || status < 200) {
      this.#through(() => this.#base.writeHead.apply(this.#response, given))
    } else if (this.#canCode(status, headers)) {
      this.#head = [status, reason, headers]
      this.#response.statusCode = status
    } else {
      this.off()
      this.#base.writeHead.apply(this.#response, given)
    }
    return this.#response
  }

  #canCode(status: number, headers: Headers | undefined): boolean {
    const type = this.#field('content-type', headers)
    return (
      !UNCODED_STATUSES.has(status) &&
      this.#field('content-encoding', headers) === undefined &&
      !/^application\/grpc/i.test(String(type ?? ''))
    )
  }

  #field(wanted: string, headers: Headers | undefined): unknown {
    let found: unknown = this.#response.getHeader(wanted)
    eachHeader(headers, (name, value) => {
      if (name.toLowerCase() === wanted) found = value
    })
    return found
  }

  #write(chunk: unknown, encoding: unknown, callback: unknown): boolean {
    if (this.#isInside) return this.#base.write.call(this.#response, chunk, encoding, callback)
    if (this.#isEnded) return false
    if (!this.#prepare()) return this.#response.write(chunk, encoding as BufferEncoding, callback as never)
    this.#context.copy?.keep(chunk, encoding)
    const done = [encoding, callback].find(value => typeof value === 'function') as (() => void) | undefined
    if (done !== undefined) setImmediate(done)
    return this.#open().write(bytesOf(chunk, encoding))
  }

  #end(chunk: unknown, encoding: unknown, callback: unknown): ServerResponse {
    const response = this.#response
    if (this.#isInside) {
      this.#base.end.call(response, chunk, encoding, callback)
      return response
    }
    if (this.#isEnded) return response
    if (!this.#prepare()) return response.end(chunk, encoding as BufferEncoding, callback as never)
    this.#isEnded = true
    const done = [chunk, encoding, callback].find(value => typeof value === 'function') as (() => void) | undefined
    if (done !== undefined) response.once('finish', done)
    const last = bytesOf(chunk, encoding)
    if (last.length > 0) this.#context.copy?.keepLast(chunk, encoding)
    if (this.#stream === null && this.#head !== null) this.#sendWhole(last)
    else this.#open().end(last)
    return response
  }

  #flushHeaders(): void {
    if (this.#isInside) return this.#base.flushHeaders.call(this.#response)
    if (this.#prepare()) this.#open()
    else this.#response.flushHeaders()
  }

  /** Whether the response is coded; without a head, it gets its own. */
  #prepare(): boolean {
    if (this.#stream !== null) return true
    if (this.#head === null) this.#response.writeHead(this.#response.statusCode)
    return this.#head !== null
  }

  #sendWhole(body: Buffer): void {
    const { encoder, encoding } = this.#source
    if (body.length === 0) return this.#finish(body, false)
    if (encoding.fault === 'mislabeled') return this.#finish(body, true)
    const coded = encoder.encode(body)
    const again = (once: Uint8Array): Uint8Array | Promise<Uint8Array> =>
      encoding.fault === 'twice' ? encoder.encode(Buffer.from(once)) : once
    const both = coded instanceof Promise ? coded.then(again) : again(coded)
    if (both instanceof Promise)
      both.then(bytes => this.#finish(bytes, true)).catch(error => this.#response.destroy(error))
    else this.#finish(both, true)
  }

  #finish(body: Uint8Array, isCoded: boolean): void {
    if (this.#context.closed) return
    const isCut = isCoded && this.#source.encoding.fault === 'cut'
    const sent = isCut ? body.subarray(0, -GZIP_TRAILER_BYTES) : body
    this.#sendHead(sent.length, isCoded)
    this.#through(() => {
      if (sent.length > 0) this.#base.end.call(this.#response, sent)
      else this.#base.end.call(this.#response)
    })
  }

  /** Sends the head of a body in parts. */
  #open(): CodedStream {
    if (this.#stream !== null) return this.#stream
    this.#sendHead(null, true)
    this.#through(() => this.#base.flushHeaders.call(this.#response))
    this.#stream = new CodedStream(this.#source, this.#response, {
      write: part => this.#through(() => this.#base.write.call(this.#response, part)),
      end: () => this.#through(() => void this.#base.end.call(this.#response)),
    })
    return this.#stream
  }

  #sendHead(length: number | null, isCoded: boolean): void {
    const [status, reason, given] = this.#head!
    const lines: [string, unknown][] = []
    this.#response.removeHeader('content-length')
    eachHeader(given, (name, value) => {
      if (name.toLowerCase() === 'content-length') return
      for (const one of Array.isArray(value) ? value : [value]) lines.push([name, one])
    })
    const { encoding, source, origin } = this.#source
    if (isCoded) lines.push(['Content-Encoding', encoding.coding])
    if (length !== null) lines.push(['Content-Length', String(length)])
    if (isCoded && encoding.fault !== null) this.#context.injects('encoding', source, origin)
    this.#head = null
    this.#through(() => {
      const headers = Array.isArray(given) ? lines : merged(lines)
      if (reason === undefined) this.#base.writeHead.call(this.#response, status, headers)
      else this.#base.writeHead.call(this.#response, status, reason, headers)
    })
  }

  /** Calls the class. The copy for the inspector already has the plain body. */
  #through<T>(call: () => T): T {
    const context = this.#context
    const { copy } = context
    const wasInside = this.#isInside
    this.#isInside = true
    if (this.#response.headersSent) context.copy = null
    try {
      return call()
    } finally {
      this.#isInside = wasInside
      context.copy = copy
    }
  }
}

function merged(lines: readonly [string, unknown][]): Record<string, unknown> {
  const headers: Record<string, unknown> = {}
  for (const [name, value] of lines) headers[name] = name in headers ? [headers[name], value].flat() : value
  return headers
}

/** The argument of `write` or `end`. */
function bytesOf(chunk: unknown, encoding: unknown): Buffer {
  if (typeof chunk === 'string')
    return Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')
  return chunk instanceof Uint8Array ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength) : Buffer.alloc(0)
}

/** A body in parts, each of which can be decoded as soon as it is sent. Writers wait for the client as without a coding. */
class CodedStream {
  readonly #response: ServerResponse
  readonly #stages: readonly EncoderStream[]
  readonly #isCut: boolean
  readonly #plain: { write(part: Buffer): boolean; end(): void } | null = null
  #isEnding = false

  constructor(
    { encoder, encoding: { fault }, flushes = true }: CodingSource,
    response: ServerResponse,
    to: { write(part: Buffer): boolean; end(): void },
  ) {
    this.#response = response
    this.#isCut = fault === 'cut'
    if (fault === 'mislabeled') this.#stages = []
    else this.#stages = fault === 'twice' ? [encoder.stream(), encoder.stream()] : [encoder.stream({ flushes })]
    const last = this.#stages.at(-1)?.output
    if (last === undefined) {
      this.#plain = to
      return
    }
    const tail: Buffer[] = []
    const [first, second] = this.#stages
    if (second !== undefined) {
      first!.output.on('data', (part: Buffer) => {
        if (!second.write(part)) first!.output.pause()
      })
      second.output.on('drain', () => first!.output.resume())
      first!.output.on('end', () => second.output.end())
    }
    last.on('data', (part: Buffer) => {
      if (this.#isEnding) tail.push(part)
      else if (!to.write(part)) last.pause()
    })
    last.on('end', () => {
      const rest = Buffer.concat(tail)
      if (rest.length > GZIP_TRAILER_BYTES) to.write(rest.subarray(0, -GZIP_TRAILER_BYTES))
      to.end()
    })
    response.on('drain', () => last.resume())
    first!.output.on('drain', () => {
      if (!response.writableNeedDrain) response.emit('drain')
    })
    response.once('close', () => {
      for (const { output } of this.#stages) output.destroy()
    })
  }

  write(part: Buffer): boolean {
    if (this.#plain !== null) return this.#plain.write(part)
    if (part.length === 0) return !this.#response.writableNeedDrain
    return this.#stages[0]!.write(part) && !this.#response.writableNeedDrain
  }

  end(last: Buffer): void {
    if (last.length > 0) this.write(last)
    if (this.#plain !== null) return this.#plain.end()
    const { output } = this.#stages[0]!
    if (!this.#isCut) return void output.end()
    // What was written before has passed then.
    output.write(Buffer.alloc(0), () => {
      this.#isEnding = true
      output.end()
    })
  }
}
