/** Parses requested faults: `X-Svc-Fail`, `?fail=`, and `fail` of a named provider. */
import type { FaultOrigin } from 'svc/plugin'
import { kinds } from '../contract/errors.ts'
import type { AddedFault, ErrorKind, FaultKind } from '../contract/provider.ts'

/** Ways to break a stream after a number of tokens. */
export type StreamBreak = 'disconnect' | 'stream_error' | 'malformed' | 'stall'
export const streamBreaks: readonly StreamBreak[] = ['disconnect', 'stream_error', 'malformed', 'stall']

/** A requested fault, before the random decision whether it fires. */
export interface FaultSpec {
  /** Selects the format of the error. Absent for broken streams. */
  kind?: FaultKind
  /** For records and metrics. */
  label: string
  /** The status, if requested by number; default: the status of the kind. */
  status?: number
  message?: string
  code?: string
  type?: string
  break?: { what: StreamBreak; afterTokens: number }
  percent: number
  /** The source of the fault, as the inspector shows it: `X-Svc-Fail: overloaded`. */
  source?: string
  /** Seconds of `Retry-After`; default: those of the kind. */
  retryAfterSecs?: number
}

const byStatus: Readonly<Record<number, ErrorKind>> = {
  400: 'bad_request',
  401: 'invalid_credential',
  403: 'forbidden',
  404: 'not_found',
  413: 'too_large',
  429: 'rate_limit',
  500: 'server_error',
  503: 'unavailable',
  504: 'timeout',
  529: 'overloaded',
}

/** Parses fault specs; plugins can add kinds. */
export class FaultParser {
  readonly #kinds = new Map<string, Pick<FaultSpec, 'kind' | 'label' | 'status' | 'message' | 'code' | 'type'>>()

  constructor() {
    for (const [kind, row] of Object.entries(kinds) as [FaultKind, (typeof kinds)[FaultKind]][]) {
      if (row.isInternal) continue
      for (const word of [kind, ...row.aliases]) this.#kinds.set(word, { kind, label: kind })
    }
  }

  /** Throws if the kind or an alias already exists. */
  add({ kind, aliases = [], like, ...details }: AddedFault): void {
    const words = [kind, ...aliases]
    const duplicate = words.find(word => this.#kinds.has(word))
    if (duplicate !== undefined) throw new Error(`the fault kind ${duplicate} already exists`)
    for (const word of words) this.#kinds.set(word, { kind: like, label: kind, ...details })
  }

  /** All kinds that clients can request, including broken streams. */
  names(): string[] {
    return [...new Set([...this.#kinds.values()].map(spec => spec.label)), ...streamBreaks.map(what => `${what}@n`)]
  }

  /** The words for faults that become an error response, with the status of each. */
  words(): Record<string, number> {
    return Object.fromEntries(
      [...this.#kinds].flatMap(([word, { kind, status }]) => {
        const usual = status ?? (kind === undefined ? 0 : kinds[kind].status)
        return usual < 400 ? [] : [[word, usual]]
      }),
    )
  }

  /** Parses `<kind or status>[:<percent>]`; null if the text is invalid. */
  parse(text: string | undefined | null): FaultSpec | null {
    const match = /^([a-z0-9_@-]+)(?:\s*:\s*(\d{1,3})\s*%?)?$/i.exec(text?.trim() ?? '')
    if (match === null) return null
    const percent = match[2] === undefined ? 100 : Number(match[2])
    const spec = percent > 100 ? null : this.#read((match[1] ?? '').toLowerCase())
    return spec && { ...spec, percent }
  }

  #read(word: string): Omit<FaultSpec, 'percent'> | null {
    const named = this.#kinds.get(word)
    if (named !== undefined) return named
    const broken = /^([a-z_]+)@(\d{1,9})$/.exec(word)
    if (broken !== null) {
      const what = streamBreaks.find(candidate => candidate === broken[1])
      return what === undefined ? null : { label: what, break: { what, afterTokens: Number(broken[2]) } }
    }
    if (!/^[45]\d\d$/.test(word)) return null
    const status = Number(word)
    const kind = byStatus[status] ?? (status < 500 ? 'status_4xx' : 'status_5xx')
    return { kind, label: kind, status }
  }

  /** The fault of a request, from its header, otherwise its query, otherwise the provider's default. */
  ofRequest(
    headerValue: string | undefined,
    query: () => URLSearchParams,
    hasQuery: boolean,
    fallback: FaultSpec | null,
  ): FaultSpec | null {
    if (headerValue !== undefined) return sourced(this.parse(headerValue), `X-Svc-Fail: ${headerValue.trim()}`)
    const requested = hasQuery ? this.#ofQuery(query()) : null
    return requested ?? fallback
  }

  #ofQuery(query: URLSearchParams): FaultSpec | null {
    const rate = parseRate(query.get('fail_rate'))
    const word = query.get('fail')
    const spec = this.parse(word ?? (rate === null ? null : 'unavailable'))
    const source = [word === null ? '' : `fail=${word}`, rate === null ? '' : `fail_rate=${query.get('fail_rate')}`]
      .filter(part => part !== '')
      .join('&')
    return sourced(spec && (rate === null ? spec : { ...spec, percent: rate }), `?${source}`)
  }
}

/** What a kind that a plugin added says, as it is. */
export function exactDetails({ message, code, type }: FaultSpec): {
  message?: string
  code?: string
  type?: string
  isExact?: true
} {
  return {
    ...(message === undefined ? {} : { message, isExact: true }),
    ...(code === undefined ? {} : { code }),
    ...(type === undefined ? {} : { type }),
  }
}

/** What kind of thing a source of this plugin names. */
export function originOf(source: string): FaultOrigin {
  if (source.startsWith('X-Svc-')) return 'header'
  if (source.startsWith('?')) return 'query'
  if (source.startsWith('directive: ')) return 'directive'
  return /^rule[: ]/.test(source) ? 'rule' : 'configuration'
}

function sourced(spec: FaultSpec | null, source: string): FaultSpec | null {
  return spec && { ...spec, source }
}

/** A number from 0 to 1 is a probability; above 1, or with `%`, it is a percentage. Null if the text is invalid. */
function parseRate(text: string | null): number | null {
  const match = /^(\d{1,3}(?:\.\d{1,6})?|\.\d{1,6})(%?)$/.exec(text?.trim() ?? '')
  if (match === null) return null
  const value = Number(match[1])
  const percent = match[2] === '%' || value > 1 ? value : value * 100
  return percent > 100 ? null : percent
}

/** Decides at random, independently for each request. */
export function fires(spec: FaultSpec): boolean {
  return spec.percent >= 100 || Math.random() * 100 < spec.percent
}
