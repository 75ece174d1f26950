/** Parses what came back as messages in order (RFC 9112). Bytes are never searched for a status. */

export type Field = readonly [name: string, value: string]

export interface Response {
  version: string
  status: number
  reason: string
  fields: Field[]
  /** Interim responses (1xx) in front of the final one. */
  interims: { status: number; fields: Field[]; atMs: number }[]
  /** The head as received. */
  head: Buffer
  /** Content without its framing. */
  body: Buffer
  trailers: Field[]
  framing: 'none' | 'length' | 'chunked' | 'close' | 'upgrade' | 'invalid'
  /** The message ended by its framing. */
  isComplete: boolean
  headAtMs: number
  endAtMs: number
  /** Content with the time at which each part came. */
  parts: { atMs: number; bytes: Buffer }[]
}

interface Input {
  atMs: number
  bytes: Buffer
}

const MAX_HEAD = 1024 * 1024
const CRLF2 = Buffer.from('\r\n\r\n')

/** What happens while a response is parsed. */
export interface ParserEvents {
  onHead?(status: number, fields: readonly Field[], isInterim: boolean): void
  onContent?(bytes: Buffer): void
  onComplete?(trailers: readonly Field[]): void
}

export class ResponseParser {
  readonly #events: ParserEvents
  readonly responses: Response[] = []
  /** Bytes behind the last expected response. */
  extra: Buffer = Buffer.alloc(0)
  readonly #methods: readonly string[]
  #pending: Buffer = Buffer.alloc(0)
  #current: Response | null = null
  #interims: Response['interims'] = []
  #left = 0
  #chunkPart: 'size' | 'data' | 'end' | 'trailers' = 'size'
  #isBroken = false

  /** Methods of the requests on the connection, in order. */
  constructor(methods: readonly string[], events: ParserEvents = {}) {
    this.#methods = methods
    this.#events = events
  }

  feed({ atMs, bytes }: Input): void {
    this.#pending = this.#pending.length === 0 ? bytes : Buffer.concat([this.#pending, bytes])
    while (this.#pending.length > 0 && !this.#isBroken) {
      const before = this.#pending.length
      if (this.#current === null) {
        if (this.responses.length >= this.#methods.length) {
          this.extra = Buffer.concat([this.extra, this.#pending])
          this.#pending = Buffer.alloc(0)
          return
        }
        if (!this.#readHead(atMs)) return
      } else this.#readBody(this.#current, atMs)
      if (this.#pending.length === before && this.#current !== null && !this.#current.isComplete) return
    }
  }

  /** The connection has ended: a body without length is complete now. */
  end(how: 'fin' | 'reset', atMs: number): void {
    const current = this.#current
    if (current === null) return
    current.endAtMs = atMs
    if (current.framing === 'close' && how === 'fin') this.#complete(current, atMs)
  }

  /** Whether the responses to the first `count` requests are complete. */
  isDone(count: number): boolean {
    return this.responses.filter(({ isComplete }) => isComplete).length >= count || this.#isBroken
  }

  #readHead(atMs: number): boolean {
    const end = this.#pending.indexOf(CRLF2)
    if (end === -1) {
      if (this.#pending.length > MAX_HEAD) this.#isBroken = true
      return false
    }
    const head = this.#pending.subarray(0, end + 4)
    this.#pending = this.#pending.subarray(end + 4)
    const [line = '', ...lines] = head.toString('latin1', 0, end).split('\r\n')
    const status = /^(HTTP\/\d\.\d) (\d{3})(?: (.*))?$/.exec(line)
    const response: Response = {
      version: status?.[1] ?? '',
      status: Number(status?.[2] ?? 0),
      reason: status?.[3] ?? '',
      fields: lines.map(fieldOf),
      interims: this.#interims,
      head,
      body: Buffer.alloc(0),
      trailers: [],
      framing: 'none',
      isComplete: false,
      headAtMs: atMs,
      endAtMs: atMs,
      parts: [],
    }
    if (status === null) {
      this.#isBroken = true
      response.framing = 'invalid'
      this.responses.push(response)
      return false
    }
    if (response.status >= 100 && response.status < 200 && response.status !== 101) {
      this.#interims.push({ status: response.status, fields: response.fields, atMs })
      this.#events.onHead?.(response.status, response.fields, true)
      return true
    }
    this.#interims = []
    this.#events.onHead?.(response.status, response.fields, false)
    this.#begin(response, this.#methods[this.responses.length] ?? 'GET', atMs)
    this.responses.push(response)
    return true
  }

  /** RFC 9112, 6.3. */
  #begin(response: Response, method: string, atMs: number): void {
    this.#current = response
    const { status } = response
    const codings = valuesOf(response.fields, 'transfer-encoding').join(',').toLowerCase()
    const lengths = [
      ...new Set(
        valuesOf(response.fields, 'content-length')
          .flatMap(value => value.split(','))
          .map(value => value.trim()),
      ),
    ]
    this.#chunkPart = 'size'
    if (status === 101) response.framing = 'upgrade'
    else if (method === 'HEAD' || status === 204 || status === 304) this.#complete(response, atMs)
    else if (codings !== '') response.framing = /(?:^|,)\s*chunked$/.test(codings) ? 'chunked' : 'close'
    else if (lengths.length === 0) response.framing = 'close'
    else if (lengths.length > 1 || !/^\d{1,15}$/.test(lengths[0]!)) {
      response.framing = 'invalid'
      this.#isBroken = true
    } else {
      response.framing = 'length'
      this.#left = Number(lengths[0])
      if (this.#left === 0) this.#complete(response, atMs)
    }
  }

  #readBody(response: Response, atMs: number): void {
    response.endAtMs = atMs
    if (response.framing === 'length') {
      this.#takeContent(response, atMs)
      if (this.#left === 0) this.#complete(response, atMs)
    } else if (response.framing === 'chunked') this.#readChunk(response, atMs)
    else {
      this.#left = this.#pending.length
      this.#takeContent(response, atMs)
    }
  }

  #takeContent(response: Response, atMs: number): void {
    const taken = this.#pending.subarray(0, this.#left)
    this.#left -= taken.length
    this.#pending = this.#pending.subarray(taken.length)
    if (taken.length === 0) return
    response.parts.push({ atMs, bytes: taken })
    this.#events.onContent?.(taken)
  }

  #readChunk(response: Response, atMs: number): void {
    if (this.#chunkPart === 'data') {
      this.#takeContent(response, atMs)
      if (this.#left === 0) this.#chunkPart = 'end'
      return
    }
    const end = this.#pending.indexOf('\r\n')
    if (end === -1) return
    const line = this.#pending.toString('latin1', 0, end)
    this.#pending = this.#pending.subarray(end + 2)
    if (this.#chunkPart === 'end') this.#chunkPart = 'size'
    else if (this.#chunkPart === 'trailers') {
      if (line === '') this.#complete(response, atMs)
      else response.trailers.push(fieldOf(line))
    } else {
      const size = /^([\da-f]{1,12})\s*(?:;.*)?$/i.exec(line)
      if (size === null) {
        response.framing = 'invalid'
        this.#isBroken = true
        return
      }
      this.#left = Number.parseInt(size[1]!, 16)
      this.#chunkPart = this.#left === 0 ? 'trailers' : 'data'
    }
  }

  #complete(response: Response, atMs: number): void {
    response.isComplete = true
    response.endAtMs = atMs
    response.body = Buffer.concat(response.parts.map(({ bytes }) => bytes))
    this.#current = null
    this.#events.onComplete?.(response.trailers)
  }

  /** Joins the parts of responses that did not complete. */
  finish(): void {
    for (const response of this.responses)
      if (!response.isComplete) response.body = Buffer.concat(response.parts.map(({ bytes }) => bytes))
  }

  get rest(): Buffer {
    return this.#pending
  }
}

function fieldOf(line: string): Field {
  const colon = line.indexOf(':')
  return colon === -1 ? [line, ''] : [line.slice(0, colon), line.slice(colon + 1).trim()]
}

/** Values of the fields of this name, compared without case. */
export function valuesOf(fields: readonly Field[], name: string): string[] {
  return fields.filter(([found]) => found.toLowerCase() === name.toLowerCase()).map(([, value]) => value)
}
