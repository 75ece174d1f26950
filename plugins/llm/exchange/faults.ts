/** Faults that a request asks for: `X-Svc-Fail`, `?fail=`, and the `fail` of a named provider. */
import { kinds } from '../errors.ts'
import type { ErrorKind, FaultKind } from '../provider.ts'
import type { AddedFault } from '../types.ts'

/** What breaks a stream after some tokens. */
export type StreamBreak = 'disconnect' | 'stream_error' | 'malformed' | 'stall'
export const streamBreaks: readonly StreamBreak[] = ['disconnect', 'stream_error', 'malformed', 'stall']

/** A fault as asked for, before the dice. */
export interface FaultWish {
  /** For the answer's form. Absent for breaks of a stream. */
  kind?: FaultKind
  /** For records and metrics. */
  label: string
  /** As asked for by number; absent: that of the kind. */
  status?: number
  message?: string
  break?: { what: StreamBreak; afterTokens: number }
  percent: number
  /** What asked for it, as the inspector shows it: `X-Svc-Fail: overloaded`. */
  source?: string
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

/** Reads fault words; plugins may have added some of their own. */
export class FaultWords {
  readonly #words = new Map<string, Pick<FaultWish, 'kind' | 'label' | 'status' | 'message'>>()

  constructor() {
    for (const [kind, row] of Object.entries(kinds) as [FaultKind, (typeof kinds)[FaultKind]][]) {
      if (row.isInternal) continue
      for (const word of [kind, ...row.aliases]) this.#words.set(word, { kind, label: kind })
    }
  }

  /** Throws for a word that is taken. */
  add({ kind, aliases = [], like, status, message }: AddedFault): void {
    const words = [kind, ...aliases]
    const taken = words.find(word => this.#words.has(word))
    if (taken !== undefined) throw new Error(`the fault kind ${taken} exists already`)
    for (const word of words) this.#words.set(word, { kind: like, label: kind, status, message })
  }

  /** Names of all kinds that can be asked for, breaks of streams included. */
  names(): string[] {
    return [...new Set([...this.#words.values()].map(wish => wish.label)), ...streamBreaks.map(what => `${what}@n`)]
  }

  /** `<kind or status>[:<percent>]`; null for what does not parse. */
  parse(text: string | undefined | null): FaultWish | null {
    const match = /^([a-z0-9_@-]+)(?:\s*:\s*(\d{1,3})\s*%?)?$/i.exec(text?.trim() ?? '')
    if (match === null) return null
    const percent = match[2] === undefined ? 100 : Number(match[2])
    const wish = percent > 100 ? null : this.#read((match[1] ?? '').toLowerCase())
    return wish && { ...wish, percent }
  }

  #read(word: string): Omit<FaultWish, 'percent'> | null {
    const named = this.#words.get(word)
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

  /** The wish of a request: its header, else its query, else what the provider does by default. */
  ofRequest(
    headerValue: string | undefined,
    query: () => URLSearchParams,
    hasQuery: boolean,
    fallback: FaultWish | null,
  ): FaultWish | null {
    if (headerValue !== undefined) return sourced(this.parse(headerValue), `X-Svc-Fail: ${headerValue.trim()}`)
    const asked = hasQuery ? this.#ofQuery(query()) : null
    return asked ?? fallback
  }

  #ofQuery(query: URLSearchParams): FaultWish | null {
    const rate = parseRate(query.get('fail_rate'))
    const word = query.get('fail')
    const wish = this.parse(word ?? (rate === null ? null : 'unavailable'))
    const source = [word === null ? '' : `fail=${word}`, rate === null ? '' : `fail_rate=${query.get('fail_rate')}`]
      .filter(part => part !== '')
      .join('&')
    return sourced(wish && (rate === null ? wish : { ...wish, percent: rate }), `?${source}`)
  }
}

function sourced(wish: FaultWish | null, source: string): FaultWish | null {
  return wish && { ...wish, source }
}

/** 0 to 1 is a probability, above 1 or with `%` a percent; null for what is neither. */
function parseRate(text: string | null): number | null {
  const match = /^(\d{1,3}(?:\.\d{1,6})?|\.\d{1,6})(%?)$/.exec(text?.trim() ?? '')
  if (match === null) return null
  const value = Number(match[1])
  const percent = match[2] === '%' || value > 1 ? value : value * 100
  return percent > 100 ? null : percent
}

/** Each try rolls independently. */
export function fires(wish: FaultWish): boolean {
  return wish.percent >= 100 || Math.random() * 100 < wish.percent
}
