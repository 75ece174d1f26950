/** Finds out whether the gateway leads to the upstreams that are known. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Facts, ArrivedOrigin } from '../catalog/check.ts'
import type { ArrivalView, Evidence } from './evidence.ts'
import type { ExchangeRecord } from './exchange.ts'
import type { Route, StepRunner } from './step-runner.ts'

const CONNECTIONS = 6
const REQUESTS = 12

/** Twelve requests on six connections. Not in the catalog itself: its results are those of RCH-NONCE. */
export const REACH = {
  id: 'RCH-NONCE',
  when: {},
  plan: () => ({
    connections: Array.from({ length: CONNECTIONS }, () => ({
      requests: Array.from({ length: REQUESTS / CONNECTIONS }, () => ({ rest: '/one/two' })),
    })),
  }),
}

/** Of a gateway that takes the upstream for down. */
const UNAVAILABLE = new Set<number | null>([502, 503, 504])
const ATTEMPTS = 4
const PAUSE_MS = 1_000

/** The gateway can't be probed: exit code 3. */
export class ReachError extends Error {
  /** The gateway answers that the upstream is not available. */
  readonly isUnavailable: boolean

  constructor(message: string, isUnavailable = false) {
    super(message)
    this.isUnavailable = isUnavailable
  }
}

/** Tries again if the gateway has not noticed yet that the upstream, which may just have started, is there. */
export async function reachInTime(...given: Parameters<typeof reach>): Promise<Reached> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await reach(...given)
    } catch (error) {
      if (!(error instanceof ReachError) || !error.isUnavailable || attempt === ATTEMPTS) throw error
    }
    await sleep(PAUSE_MS)
  }
}

export interface Reached {
  /** Null for a gateway of models. */
  evidence: Evidence | null
  /** Everything arrived byte for byte, each client connection as one connection of the upstream. */
  isTunnel: boolean
  server: string | null
  upstreamVersions: string[]
  removed: string
  added: string
  arrivedOrigin: ArrivedOrigin
  /** It does not route `/probe`, but requests to models. */
  isOfModels: boolean
  /** It does not route `/probe`, and asks the subgraphs of svc. */
  isOfGraphs: boolean
}

export async function reach(runner: StepRunner, facts: Facts, route: Route, upstreamUrl: string): Promise<Reached> {
  const evidence = await runner.run(REACH, facts, route)
  const { calls } = evidence
  const [connectError] = evidence.exchanges.flatMap(({ record }) => record.connectError ?? [])
  if (connectError !== undefined) throw new ReachError(connectText(connectError))
  if (evidence.exchanges.some(({ record }) => record.exceeded !== null))
    throw new ReachError('the gateway does not end its answers')
  const arrived = calls.filter(({ count }) => count > 0)
  const foreign = calls.flatMap(call => instanceOf(call.bodyText))
  if (arrived.length === 0) {
    if (foreign.length > 0)
      throw new ReachError(
        `another svc (${foreign[0]}) is behind the gateway: name it with --upstream, or point the gateway here`,
      )
    const { status } = calls[0]!
    throw new ReachError(
      `nothing of it arrived at the upstream. ${status === null ? 'The gateway closed the connection without a status' : `The gateway answered ${status}: ${hintFor(status, calls[0]!.values('location')[0], upstreamUrl)}`}${textOf(calls[0]!.bodyText)}`,
      UNAVAILABLE.has(status),
    )
  }
  if (foreign.length > 0) {
    const others = [...new Set(foreign)]
    throw new ReachError(
      `${others.length + 1} replicas are behind the gateway, 1 is known: repeat --upstream for ${others.join(', ')}`,
    )
  }
  if (arrived.length < calls.length)
    throw new ReachError(
      `only ${arrived.length} of ${calls.length} requests through the gateway arrived`,
      calls.some(({ status }) => UNAVAILABLE.has(status)),
    )
  const first = arrived[0]!
  const path = pathChange(route.prefix, first.arrival!.prefix)
  return {
    evidence,
    isTunnel: evidence.exchanges.every(({ record, calls: own }) => isSameBytes(record, own)),
    server: first.values('server')[0] ?? null,
    arrivedOrigin: arrivedOrigin(first.arrival!),
    upstreamVersions: [...new Set(arrived.map(({ arrival }) => arrival!.record.protocol))],
    isOfModels: false,
    isOfGraphs: false,
    ...path,
  }
}

/** Of a gateway that does not route `/probe`: it routes requests to models, or asks subgraphs. */
export function reachedOnly(
  what: 'models' | 'graphs',
  { server, upstreamVersions }: Pick<Reached, 'server' | 'upstreamVersions'>,
): Reached {
  return {
    evidence: null,
    isTunnel: false,
    isOfModels: what === 'models',
    isOfGraphs: what === 'graphs',
    server,
    upstreamVersions,
    removed: '',
    added: '',
    arrivedOrigin: { host: null, forwardedHost: null, forwardedProto: null, forwardedPrefix: null },
  }
}

function arrivedOrigin(arrival: ArrivalView): ArrivedOrigin {
  const valueOf = (name: string): string | null => arrival.values(name)[0] ?? null
  return {
    host: valueOf('host'),
    forwardedHost: valueOf('x-forwarded-host'),
    forwardedProto: valueOf('x-forwarded-proto'),
    forwardedPrefix: valueOf('x-forwarded-prefix'),
  }
}

function isSameBytes(record: ExchangeRecord, calls: Evidence['calls']): boolean {
  const sent = Buffer.concat(record.sent.map(({ bytes }) => bytes)).toString('latin1')
  const arrivals = calls.flatMap(({ arrivals }) => arrivals)
  const connections = new Set(arrivals.map(({ record: { connection } }) => connection))
  return connections.size === 1 && arrivals.map(({ text }) => text).join('') === sent
}

/** What the gateway took from the front of the path, and what it put there. */
export function pathChange(sent: string, arrived: string): { removed: string; added: string } {
  if (sent === arrived) return { removed: '', added: '' }
  if (sent.endsWith(arrived)) return { removed: sent.slice(0, sent.length - arrived.length), added: '' }
  if (arrived.endsWith(sent)) return { removed: '', added: arrived.slice(0, arrived.length - sent.length) }
  return { removed: sent, added: arrived }
}

function instanceOf(body: string): string[] {
  const found = /^\{"error":"unknown_probe","instance":"([^"]{1,100})"/.exec(body)
  return found === null ? [] : [found[1]!]
}

function textOf(body: string): string {
  const text = body
    .replaceAll(/[^ -~]+/g, ' ')
    .trim()
    .slice(0, 200)
  return text === '' ? '' : `\n  ${text}`
}

function hintFor(status: number, location: string | undefined, upstreamUrl: string): string {
  if (status === 401 || status === 403) return 'give --bearer or --header'
  if (status === 404) return 'is /probe routed? See --prefix and --host'
  if (status >= 300 && status < 400)
    return `redirects are not followed; probe ${(location ?? '').replaceAll(/[^ -~]/g, '?').slice(0, 200)} itself`
  if (status === 502 || status === 503 || status === 504) return `the gateway cannot reach ${upstreamUrl}`
  return 'something else answers this path'
}

function connectText(error: string): string {
  const isUnknownIssuer = /SELF_SIGNED|UNABLE_TO_|CERT|ALTNAME/.test(error)
  return `cannot reach the gateway: ${error}${isUnknownIssuer ? '; give --ca with its certificate, or --insecure' : ''}`
}
