/** What the protocols of `ForwardEcho` have in common: one request, its lines, and bounds of what is read. */
import type { Svc } from 'svc/plugin'
import type { ServiceDefinition } from '@grpc/grpc-js'
import type { Destination } from './destination.ts'
import type { ForwardPlan, NamedTarget } from './plan.ts'

/** Bytes of a response. */
export const MAX_RESPONSE_BYTES = 65_536

/** One request. */
export interface Exchange {
  svc: Svc<unknown>
  plan: ForwardPlan
  /** The number of the request, from 0. */
  id: number
  /** `Via` of everything that is sent. */
  via: string
  /** The service that `grpc` calls. */
  service: ServiceDefinition
  /** Checks a target: the first one, and that of each redirect. */
  destinationOf(target: NamedTarget): Promise<Destination>
  /** Open requests of this call. */
  active(): number
  signal: AbortSignal
}

/** The lines of a request, as Istio's client writes them. */
export class Lines {
  readonly #id: number
  #text = ''

  constructor(id: number) {
    this.#id = id
  }

  add(name: string, value: string | number): void {
    this.#text += `[${this.#id}] ${name}=${value}\n`
  }

  body(text: string): void {
    for (const line of text.split('\n')) if (line !== '') this.#text += `[${this.#id} body] ${line}\n`
  }

  toString(): string {
    return this.#text
  }
}

/** The lines in front of a request: its URL, and its fields sorted by name. */
export function requestLines({ id, plan }: Exchange): Lines {
  const lines = new Lines(id)
  lines.add('Url', plan.target.url)
  const fields = plan.host === null ? plan.headers : [['Host', plan.host] as [string, string], ...plan.headers]
  for (const [name, value] of fields.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
    lines.add('Header', `${name}:${value}`)
  return lines
}

/** The lines about a response that has begun. */
export function connectionLines(
  lines: Lines,
  exchange: Exchange,
  startedAt: number,
  sourceIp: string | undefined,
): void {
  lines.add('SourceIP', sourceIp ?? '')
  lines.add('Latency', `${(performance.now() - startedAt).toFixed(3)}ms`)
  lines.add('ActiveRequests', exchange.active())
}

/** Collects the pieces of a response, up to the bound. */
export class Collected {
  #pieces: Buffer[] = []
  #bytes = 0

  /** Throws if there are more bytes than a response may have. */
  add(piece: Buffer): void {
    this.#bytes += piece.length
    if (this.#bytes > MAX_RESPONSE_BYTES) throw new Error(`the response has more than ${MAX_RESPONSE_BYTES} bytes`)
    this.#pieces.push(piece)
  }

  toString(): string {
    return this.bytes.toString()
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#pieces, this.#bytes)
  }
}

/** `user-agent` as `User-Agent`. */
export function canonicalName(name: string): string {
  return name.toLowerCase().replaceAll(/(?:^|-)[a-z]/g, start => start.toUpperCase())
}
