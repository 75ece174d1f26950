/** `ForwardEcho` of Istio's echo service: requests to other servers, in a bounded number and time. */
import { setMaxListeners } from 'node:events'
import { type ServiceDefinition, status } from '@grpc/grpc-js'
import { hasPassed, joinSignals, sleep, viaName } from 'svc/toolkit'
import { type CallContext, requestOf, StatusError, type UnaryCall } from '../call.ts'
import { type DestinationRules, destinationOf } from './destination.ts'
import type { Exchange } from './exchange.ts'
import { forwardGrpc } from './grpc.ts'
import { forwardHttp, HttpConnections } from './http.ts'
import { type ForwardEchoRequest, type ForwardPlan, readPlan, type Scheme } from './plan.ts'
import { forwardTcp, forwardUdp } from './stream.ts'
import { forwardWebSocket } from './websocket.ts'

const BOUNDS = { count: 100, totalMs: 30_000, outputBytes: 3_145_728 }
const PUBLIC_BOUNDS = { count: 10, totalMs: 5000, outputBytes: 262_144 }
/** Requests at a time. */
const AT_ONCE = 10

const PROTOCOLS: Readonly<Record<Scheme, (exchange: Exchange, connections: HttpConnections) => Promise<string>>> = {
  http: forwardHttp,
  https: forwardHttp,
  ws: forwardWebSocket,
  wss: forwardWebSocket,
  grpc: forwardGrpc,
  grpcs: forwardGrpc,
  tcp: forwardTcp,
  tls: forwardTcp,
  udp: forwardUdp,
}

/** Makes the method. `service` is the definition of the echo service, for calls of it. */
export function createForwardEcho(context: CallContext, service: ServiceDefinition) {
  const { svc } = context
  const bounds = svc.config.publicMode ? PUBLIC_BOUNDS : BOUNDS
  const ownName = viaName(svc.instance.id)

  return async (call: UnaryCall<ForwardEchoRequest>): Promise<{ output: string[] }> => {
    const request = requestOf(context, call)
    const { origin, via } = request.headers
    // A page could reach what only this instance reaches.
    if (origin !== undefined) throw denied('pages of browsers may not have requests forwarded')
    if (hasPassed(via, ownName)) throw denied('the call was sent by this instance itself')
    const plan = readPlan(call.request, bounds.count)
    const rules: DestinationRules = {
      allow: svc.options.forward_allow,
      ownOnly: svc.config.publicMode,
      basePath: svc.config.basePath ?? '',
      listeners: () => svc.instance.listeners(),
      servedHosts: () => svc.http.hosts(request, null).map(({ host }) => host),
    }
    const late = AbortSignal.timeout(bounds.totalMs)
    const joined = joinSignals(svc.http.signal(request), late)
    const connections = new HttpConnections()
    const budget = svc.budgets.output(request)
    let active = 0
    let bytes = 0
    const forward = async (id: number, signal: AbortSignal): Promise<string> => {
      active++
      try {
        const text = await PROTOCOLS[plan.target.scheme](
          {
            svc,
            plan,
            id,
            via: via === undefined ? `1.1 ${ownName}` : `${String(via)}, 1.1 ${ownName}`,
            service,
            destinationOf: target => destinationOf(target, plan.family, rules),
            active: () => active,
            signal,
          },
          connections,
        )
        bytes += Buffer.byteLength(text)
        budget.take(Buffer.byteLength(text))
        if (bytes > bounds.outputBytes)
          throw new StatusError(status.RESOURCE_EXHAUSTED, `the output has more than ${bounds.outputBytes} bytes`)
        return text
      } finally {
        active--
      }
    }
    try {
      return { output: await sendAll(plan, joined.signal, forward) }
    } catch (error) {
      if (late.aborted)
        throw new StatusError(status.DEADLINE_EXCEEDED, `the requests took more than ${bounds.totalMs} ms`)
      throw error instanceof StatusError ? error : new StatusError(status.UNKNOWN, textOf(error))
    } finally {
      joined.release()
      connections.close()
    }
  }
}

/** Sends all requests at the rate of the plan, some at a time. Rejects with the first error, and then ends the others. */
async function sendAll(
  plan: ForwardPlan,
  signal: AbortSignal,
  forward: (id: number, signal: AbortSignal) => Promise<string>,
): Promise<string[]> {
  const failed = new AbortController()
  const joined = joinSignals(signal, failed.signal)
  // Each request listens, and its connection.
  setMaxListeners(4 * AT_ONCE, joined.signal)
  const output: string[] = []
  const startedAt = performance.now()
  let next = 0
  const work = async (): Promise<void> => {
    while (next < plan.count) {
      const id = next++
      const restMs = startedAt + id * plan.intervalMs - performance.now()
      if (restMs > 0) await sleep(restMs, { signal: joined.signal })
      joined.signal.throwIfAborted()
      output[id] = await forwardOnce(id)
    }
  }
  const forwardOnce = async (id: number): Promise<string> => {
    const own = joinSignals(joined.signal, AbortSignal.timeout(plan.timeoutMs))
    try {
      return await forward(id, own.signal)
    } finally {
      own.release()
    }
  }
  try {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, plan.count) }, work))
    return output
  } catch (error) {
    failed.abort(error)
    throw error
  } finally {
    joined.release()
  }
}

function denied(details: string): StatusError {
  return new StatusError(status.PERMISSION_DENIED, details)
}

/** What went wrong with a request, in one line. */
function textOf(error: unknown): string {
  const { name, code, message, cause } = error as { name?: string; code?: unknown; message?: string; cause?: unknown }
  if (name === 'TimeoutError' || (cause as { name?: string } | undefined)?.name === 'TimeoutError')
    return 'the request timed out'
  return typeof code === 'string' && message?.includes(code) !== true
    ? `${code}: ${message}`
    : (message ?? 'the request failed')
}
