/** The direct connection to an upstream: sessions, scripts and arrivals. */
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Address } from './address.ts'
import { clock } from './changes.ts'
import { shiftTimes, type ArrivalRecord } from '../upstream/arrival-record.ts'
import type { StepScript } from '../upstream/script.ts'

const MAX_ANSWER = 64 * 1024 * 1024
const TIMEOUT_MS = 35_000

export interface SessionFacts {
  id: string
  nonce: string
  field: string
  instance: string
  /** Of all replicas that know the session. */
  instances: string[]
  version: string
  catalogue: string
  clock_ms: number
  ports: { http: number | null; https: number | null; grpc: number | null }
}

interface ArrivalsAnswer {
  arrivals: ArrivalRecord[]
  /** The replica that answered. */
  instance: string
  /** Of the session: those that live, and those that have ended. */
  instances: string[]
  gone: string[]
}

interface PluginList {
  plugins: { name: string; state: string }[]
}

interface BackChannelProblem {
  isLost?: boolean
  isOfReplica?: boolean
  missing?: string | null
}

/** The upstream refused, or can't be reached. */
export class BackChannelError extends Error {
  /** There was no answer at all. */
  readonly isLost: boolean
  /** A replica of the upstream does not reply, which the others notice within some seconds. */
  readonly isOfReplica: boolean
  /** What the upstream can't do, since a plugin of it is off; null: it is something else. */
  readonly missing: string | null

  constructor(message: string, { isLost = false, isOfReplica = false, missing = null }: BackChannelProblem = {}) {
    super(message)
    this.isLost = isLost
    this.isOfReplica = isOfReplica
    this.missing = missing
  }
}

/** Scripts go in several requests, since svc limits the size of a body. */
const MAX_SCRIPTS = 700_000

export class BackChannel {
  readonly address: Address
  readonly #token: string | null
  #session: SessionFacts | null = null
  /** What to add to a time of the upstream to get one of this process, and how wrong that may be. */
  offsetMs = 0
  offsetErrorMs = 0
  /** Replicas that ended while the session was open. */
  readonly gone = new Set<string>()
  readonly #instances = new Set<string>()
  /** The replicas as each of them last named them. */
  readonly #replicas = new Map<string, string>()
  #changedMs = Number.NEGATIVE_INFINITY

  constructor(address: Address, token: string | null) {
    this.address = address
    this.#token = token
  }

  get session(): SessionFacts {
    return this.#session!
  }

  /** All replicas that had a part in the session. */
  get instances(): string[] {
    return [...this.#instances]
  }

  /** Whether a replica joined or ended since then: what arrived there may not have been collected. */
  hasChangedSince(ms: number): boolean {
    return this.#changedMs > ms
  }

  /** `other`: the session of another upstream of the same run. */
  async open(ttlS: number, other?: SessionFacts): Promise<void> {
    const nonces = other === undefined ? {} : { nonce: other.nonce, field: other.field }
    this.#session = (await this.#ask('POST', '/sessions', { body: { ttl_s: ttlS, ...nonces } })) as SessionFacts
    for (const instance of this.session.instances) this.#instances.add(instance)
    let best = Number.POSITIVE_INFINITY
    for (let index = 0; index < 5; index++) {
      const before = clock()
      const { clock_ms: theirs } = (await this.#ask(
        'GET',
        `/sessions/${this.session.id}/arrivals?after=999999999`,
      )) as { clock_ms: number }
      const after = clock()
      if (after - before >= best) continue
      best = after - before
      this.offsetMs = (before + after) / 2 - theirs
      this.offsetErrorMs = best / 2
    }
  }

  async addScripts(scripts: readonly StepScript[]): Promise<void> {
    let batch: StepScript[] = []
    let size = 0
    const send = async (): Promise<void> => {
      if (batch.length > 0) await this.#ask('PUT', `/sessions/${this.session.id}/steps`, { body: batch })
      batch = []
      size = 0
    }
    for (const script of scripts) {
      const own = Buffer.byteLength(JSON.stringify(script))
      if (size + own > MAX_SCRIPTS) await send()
      batch.push(script)
      size += own
    }
    await send()
  }

  /** Times are those of this process. */
  async arrivals(steps: readonly number[]): Promise<ArrivalRecord[]> {
    const answer = (await this.#ask(
      'GET',
      `/sessions/${this.session.id}/arrivals?steps=${steps.join(',')}`,
    )) as ArrivalsAnswer
    this.#noteReplicas(answer)
    shiftTimes(answer.arrivals, this.offsetMs)
    return answer.arrivals
  }

  #noteReplicas({ instance, instances, gone }: ArrivalsAnswer): void {
    const initial = [...this.session.instances].toSorted().join()
    const now = [instances.toSorted().join(), ...gone.toSorted()].join(' without ')
    if ((this.#replicas.get(instance) ?? initial) !== now) this.#changedMs = clock()
    this.#replicas.set(instance, now)
    for (const one of instances) this.#instances.add(one)
    for (const one of gone) this.gone.add(one)
  }

  /** Tokens of the default issuer, by preset. */
  async tokens(presets: readonly string[]): Promise<Record<string, string>> {
    const list = (await this.#ask('GET', `/oauth/debug/tokens?presets=${presets.join(',')}`, { isWhole: true })) as {
      tokens: { preset: string; token: string }[]
    }
    return Object.fromEntries(list.tokens.map(({ preset, token }) => [preset, token]))
  }

  /** The default issuer signs with another key from now on; the old one stays published. */
  async rotateKeys(): Promise<void> {
    await this.#ask('POST', '/_svc/identity/issuers/default/rotate', { body: {}, isWhole: true })
  }

  /** States of the plugins of the upstream by name; null if it does not list them. */
  async plugins(): Promise<ReadonlyMap<string, string> | null> {
    const answer = (await this.#ask('GET', '/_svc/plugins', { isWhole: true }).catch(() => null)) as PluginList | null
    return answer === null ? null : new Map(answer.plugins.map(({ name, state }) => [name, state]))
  }

  /** Another route of the upstream. */
  send(method: string, path: string, body?: unknown): Promise<unknown> {
    return this.#ask(method, path, { body, isWhole: true })
  }

  async close(): Promise<void> {
    if (this.#session === null) return
    const { id } = this.#session
    this.#session = null
    await this.#ask('DELETE', `/sessions/${id}`).catch(() => {})
  }

  /** `isWhole`: the path is not one of the probe's. */
  #ask(
    method: string,
    path: string,
    { body, isWhole = false }: { body?: unknown; isWhole?: boolean } = {},
  ): Promise<unknown> {
    const { address } = this
    const text = body === undefined ? undefined : JSON.stringify(body)
    return new Promise((resolve, reject) => {
      const fail = (problem: string, kind: BackChannelProblem = {}): void =>
        reject(new BackChannelError(`the upstream ${address.url} ${problem}`, kind))
      const sent = (address.isTls ? requestHttps : requestHttp)(
        {
          host: address.ip,
          port: address.port,
          servername: address.host,
          // The upstream is one of ours, with a certificate of the demo CA, or none that can be verified.
          rejectUnauthorized: false,
          method,
          path: `${address.prefix}${isWhole ? '' : '/_svc/probe'}${path}`,
          agent: false,
          timeout: TIMEOUT_MS,
          headers: {
            Host: address.authority,
            ...(text === undefined
              ? {}
              : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
            ...(this.#token === null ? {} : { 'X-Svc-Admin-Token': this.#token }),
          },
        },
        response => {
          const chunks: Buffer[] = []
          let size = 0
          response.on('data', (chunk: Buffer) => {
            size += chunk.length
            if (size > MAX_ANSWER) response.destroy(new Error('too large'))
            else chunks.push(chunk)
          })
          response.on('error', error => fail(`broke off: ${error.message}`, { isLost: true }))
          response.on('end', () => {
            const answer = Buffer.concat(chunks).toString()
            const status = response.statusCode ?? 0
            if (status === 204) return resolve(null)
            if (status < 200 || status > 299) {
              const isOfReplica = answer.includes('"replica_unreachable"')
              if (isOfReplica) this.#changedMs = clock()
              return fail(refusalText(status, answer, isWhole ? path : null), {
                isOfReplica,
                missing: missingIn(answer),
              })
            }
            try {
              resolve(JSON.parse(answer))
            } catch {
              fail('did not answer in JSON: is it svc?')
            }
          })
        },
      )
      sent.on('timeout', () => sent.destroy(new Error('timed out')))
      sent.on('error', error =>
        fail(`can't be reached: ${(error as NodeJS.ErrnoException).code ?? error.message}`, { isLost: true }),
      )
      sent.end(text)
    })
  }
}

/** The upstreams of a run as its report names them. */
export function instancesOf(channels: readonly BackChannel[]): { instances: string[]; gone?: string[] } {
  const names = (of: (channel: BackChannel) => Iterable<string>): string[] => [
    ...new Set(channels.flatMap(channel => [...of(channel)])),
  ]
  const gone = names(channel => channel.gone)
  return { instances: names(channel => channel.instances), ...(gone.length === 0 ? {} : { gone }) }
}

function missingIn(answer: string): string | null {
  return /\bno enabled plugin can [a-z ]+/.exec(answer)?.[0] ?? null
}

/** `path`: of a route that is not one of the probe's. */
function refusalText(status: number, answer: string, path: string | null): string {
  if (status === 401 || status === 403) return `refused the back channel with ${status}: give --upstream-token`
  if (answer.includes('"unknown_probe_session"'))
    return 'has ended the session of the probe, which lasts 15 minutes at most'
  if (status === 404 && path !== null) return `has no ${path.split('?')[0]}: is its plugin enabled?`
  if (status === 404) return 'has no probe: is it svc, not in public mode, with the plugin "probe"?'
  if (status === 409) return 'has several workers (SVC_WORKERS): set SVC_STATE_STORE=local'
  if (answer.includes('"replica_unreachable"')) return 'has a replica that does not reply'
  if (status === 429) return `runs too many probes (${answer.slice(0, 200)})`
  return `answered ${status}: ${answer.replaceAll(/[^ -~]/g, ' ').slice(0, 200)}`
}
