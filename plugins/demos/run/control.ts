/** The control plane of the upstream, as a run uses it. */
import { isRecord } from 'svc/toolkit'
import type { ClientAddress, ClientTrust, ProbeClient } from '../../probe/types.ts'

const TIMEOUT_MS = 40_000
/** The upstream is one of ours, with a certificate of the demo CA, or none that can be verified. */
const TRUST: ClientTrust = { ca: null, insecure: true, name: null }

/** The upstream can't be reached, or does not do what a run needs. */
export class UpstreamError extends Error {}

export interface ControlAnswer {
  status: number
  body: unknown
}

export class ControlClient {
  readonly address: ClientAddress
  readonly #client: ProbeClient
  readonly #token: string | null

  /** `address` is resolved. */
  constructor(client: ProbeClient, address: ClientAddress, token: string | null) {
    this.#client = client
    this.address = address
    this.#token = token
  }

  /** Any status. Rejects with `UpstreamError` without an answer in JSON. */
  async ask(method: string, path: string, body?: unknown): Promise<ControlAnswer> {
    const { address } = this
    const { answers, connectError, error } = await this.#client.exchange(
      {
        requests: [
          {
            method,
            target: `${address.prefix}${path}`,
            fields: [
              ...(body === undefined ? [] : [['Content-Type', 'application/json'] as const]),
              ...(this.#token === null ? [] : [['X-Svc-Admin-Token', this.#token] as const]),
            ],
            ...(body === undefined ? { expectsBody: method !== 'GET' } : { body: JSON.stringify(body) }),
          },
        ],
      },
      { address, trust: TRUST, limitMs: TIMEOUT_MS, signal: new AbortController().signal },
    )
    const [answer] = answers
    if (answer == null || !answer.isComplete)
      throw new UpstreamError(`the upstream ${address.url} can't be reached: ${connectError ?? error ?? 'no answer'}`)
    if (answer.status === 204) return { status: 204, body: null }
    try {
      return { status: answer.status, body: JSON.parse(answer.body.toString()) }
    } catch {
      throw new UpstreamError(`the upstream ${address.url} did not answer in JSON: is it svc?`)
    }
  }

  /** The body of a success. Rejects with `UpstreamError` for a refusal, in the words of the control plane. */
  async get(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
    const answer = await this.ask(method, path, body)
    if (answer.status >= 200 && answer.status < 300) return isRecord(answer.body) ? answer.body : {}
    throw new UpstreamError(`${method} ${path.split('?', 1)[0]}: ${refusalText(answer)}`)
  }
}

/** What a refusal of the control plane says. */
export function refusalText({ status, body }: ControlAnswer): string {
  if (!isRecord(body)) return `answered ${status}`
  const { at, details, message, error, remedy } = body
  const text = [at, details ?? message ?? error].filter(part => typeof part === 'string' && part !== '').join(': ')
  const hint = status === 401 || status === 403 ? '; give the admin token (--upstream-token)' : ''
  return `answered ${status}: ${text.slice(0, 500)}${typeof remedy === 'string' ? ` (${remedy.slice(0, 200)})` : ''}${hint}`
}
