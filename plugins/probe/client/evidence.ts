/** What was recorded of one run of a check, in the form that its judge reads. */
import { createHash } from 'node:crypto'
import type { ArrivalRecord } from '../upstream/arrival-record.ts'
import type { StepScript } from '../upstream/script.ts'
import type { CallRecord, ExchangeRecord } from './exchange.ts'
import { fieldsOfLines } from './http2-message.ts'
import { lastChunkAt, unchunked } from './http2-request.ts'
import type { ReportedRequest } from './reports.ts'
import { valuesOf, type Field, type Response } from './response-parser.ts'
import type { ServiceCall } from './service-scene.ts'

/** A request as it arrived at the upstream. */
export class ArrivalView {
  readonly record: ArrivalRecord
  readonly fields: Field[]
  /** The request line. */
  readonly line: string
  /** Of the session. */
  readonly nonce: string

  constructor(record: ArrivalRecord, nonce: string) {
    this.record = record
    this.nonce = nonce
    const [line = '', ...lines] = this.head.replace(/^[\r\n]+/, '').split(/\r?\n/)
    this.line = line
    this.fields = fieldsOfLines(lines)
  }

  get head(): string {
    return this.record.bytes.slice(0, this.record.head_size)
  }
  get text(): string {
    return this.record.bytes
  }
  /** Everything behind the head, with its framing. */
  get rawBody(): string {
    return this.record.bytes.slice(this.record.head_size)
  }
  /** The body without the chunked coding. */
  get content(): Buffer {
    const body = Buffer.from(this.rawBody, 'latin1')
    return this.has('transfer-encoding') ? unchunked(body) : body
  }
  get trailers(): readonly Field[] {
    if (this.record.protocol === '2') return this.record.trailers
    if (!this.has('transfer-encoding')) return []
    const at = lastChunkAt(Buffer.from(this.rawBody, 'latin1'))
    return at === null ? [] : fieldsOfLines(this.rawBody.slice(at).split(/\r?\n/).slice(1))
  }
  get method(): string {
    return this.line.split(/[ \t]/, 1)[0]!
  }
  get target(): string {
    const words = this.line.split(/[ \t]/)
    const isVersioned = /^HTTP\//i.test(words.at(-1) ?? '')
    return words
      .slice(1, isVersioned ? -1 : undefined)
      .join(' ')
      .trim()
  }
  /** The target behind the number of the step; the whole target if the nonce is not in it. */
  get rest(): string {
    const at = this.target.indexOf(this.nonce)
    if (at === -1) return this.target
    return this.target.slice(at + this.nonce.length).replace(/^\/[a-z0-9-]+\/\d+/, '')
  }
  /** The target in front of the nonce, without the path of the probe. */
  get prefix(): string {
    const at = this.target.indexOf(`/probe/${this.nonce}`)
    return at === -1 ? this.target : this.target.slice(0, at)
  }
  values(name: string): string[] {
    const values = valuesOf(this.fields, name)
    // In HTTP/2 the name of the host is in :authority (RFC 9113, 8.3.1).
    const isHost = name === 'host' && values.length === 0 && this.record.protocol === '2'
    return isHost ? valuesOf(this.fields, ':authority') : values
  }
  has(name: string): boolean {
    return this.values(name).length > 0
  }
  get isComplete(): boolean {
    return this.record.framing === 'complete'
  }
}

/** One request of a check, with what became of it. */
export class Call {
  readonly record: CallRecord
  readonly exchange: ExchangeRecord
  readonly arrivals: ArrivalView[]

  constructor(record: CallRecord, exchange: ExchangeRecord, arrivals: ArrivalView[]) {
    this.record = record
    this.exchange = exchange
    this.arrivals = arrivals
  }

  /** The first arrival. */
  get arrival(): ArrivalView | null {
    return this.arrivals[0] ?? null
  }
  get count(): number {
    return this.arrivals.length
  }
  get response(): Response | null {
    return this.record.response
  }
  get status(): number | null {
    return this.response === null || (this.response.framing === 'invalid' && this.response.status === 0)
      ? null
      : this.response.status
  }
  /** Whether it was refused: `#A` is 0 and an error, or no status, came back. */
  get isRefused(): boolean {
    return this.count === 0 && (this.status === null || this.status >= 400)
  }
  /** Values of a field of the response. */
  values(name: string): string[] {
    return valuesOf(this.response?.fields ?? [], name)
  }
  /** What the upstream wrote. */
  get answered(): ArrivalRecord['answered'] | null {
    return this.arrival?.record.answered ?? null
  }
  /** Whether the response is that of the upstream. */
  get isOurs(): boolean {
    return this.response?.body.toString('latin1').includes(`probe ${this.record.step}`) ?? false
  }
  get bodyText(): string {
    return this.response?.body.toString('latin1') ?? ''
  }
  get label(): string {
    return this.record.spec.label ?? ''
  }
  /** What the gateway asked the service of the scene. */
  get asked(): readonly ServiceCall[] {
    return this.exchange.asked ?? []
  }
}

export class Evidence {
  readonly exchanges: { record: ExchangeRecord; calls: Call[] }[]
  /** Arrivals of embedded requests, by the label of their specification. */
  readonly embedded: { label: string; step: number; arrivals: ArrivalView[] }[]
  readonly through: 'direct' | 'gateway'
  /** Scripts of the upstream, by step. */
  readonly scripts: ReadonlyMap<number, StepScript>
  /** What the gateway reported, of plans that read it. */
  reports: readonly ReportedRequest[] = []

  constructor(
    through: 'direct' | 'gateway',
    exchanges: { record: ExchangeRecord; calls: Call[] }[],
    embedded: { label: string; step: number; arrivals: ArrivalView[] }[],
    scripts: ReadonlyMap<number, StepScript> = new Map(),
  ) {
    this.through = through
    this.scripts = scripts
    this.exchanges = exchanges
    this.embedded = embedded
  }

  get calls(): Call[] {
    return this.exchanges.flatMap(({ calls }) => calls)
  }
  /** The call with this label; throws without one, since the judge is wrong then. */
  call(label: string): Call {
    const found = this.calls.find(call => call.label === label)
    if (found === undefined) throw new Error(`no call "${label}"`)
    return found
  }
  get first(): Call {
    return this.calls[0]!
  }
  /** Whether an embedded request arrived as a request of its own. */
  get hasSmuggled(): boolean {
    return this.embedded.some(({ arrivals }) => arrivals.length > 0)
  }
}

export function sha256(bytes: Buffer | string): string {
  return createHash('sha256')
    .update(Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes, 'latin1'))
    .digest('hex')
}
