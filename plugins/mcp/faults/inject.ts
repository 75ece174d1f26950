/** Injects the faults that `X-Svc-Mcp-Fail` asks for. */
import { type FastifyRequest, type Svc } from 'svc/plugin'
import { type FaultCount, FaultCounter, isRecord, type ListedFault } from 'svc/toolkit'
import type { Bounds } from '../bounds.ts'
import type { HttpExchange } from '../http/exchange.ts'
import { readMessage, type RpcMessage } from '../protocol/json-rpc.ts'
import type { Mcp } from '../mcp.ts'
import { FAIL_HEADER, readFaults } from './fault-header.ts'
import { concerns, isStatusKind, isWireKind, type Kind } from '../protocol/fault-kinds.ts'
import { withResultFault } from './result-faults.ts'
import { throwFault } from './status-faults.ts'
import { sendWithFault } from './wire-faults.ts'

/** Counts requests with the header, by caller, server and kind. */
export function openFaultCounter(svc: Pick<Svc, 'state'>, bounds: Bounds): FaultCounter {
  return new FaultCounter(
    svc.state<FaultCount>('fault-uses', { maxCount: bounds.faultCounters, ttlMs: bounds.faultCounterMs }),
  )
}

/**
 * Injects the first fault of the header that acts, before the method runs or into its response. Throws the error of the
 * fault, or -32602 if the header can't be read. Kinds for which `canAct` returns false are skipped.
 */
export async function injectFaults(
  exchange: HttpExchange,
  body: unknown,
  canAct: (kind: Kind) => boolean = () => true,
): Promise<void> {
  const header = exchange.header(FAIL_HEADER.toLowerCase())
  if (header === undefined) return
  const faults = readFaults(header).filter(({ kind }) => canAct(kind))
  const message = Array.isArray(body) ? null : readMessage(body)
  const fault = await firstActing(faults, message, exchange)
  if (!fault) return
  const { mcp, request, reply } = exchange
  mcp.svc.http.markFault(request, reply, 'mcp', `${FAIL_HEADER}: ${fault.text}`)
  await applyFault(fault.kind, message?.kind === 'request' ? message.params : {}, exchange)
}

/** Applies a fault to this response. Throws if the fault replaces the response. */
export async function applyFault(kind: Kind, params: Record<string, unknown>, exchange: HttpExchange): Promise<void> {
  if (isStatusKind(kind)) await throwFault(kind, exchange)
  else if (isWireKind(kind)) exchange.intercept(response => sendWithFault(kind, response, params, exchange))
  else {
    // The cursor of a loop is not one of the list.
    if (kind === 'cursor-loop' && isRecord(params)) delete params.cursor
    exchange.intercept(({ status, text, headers }) =>
      exchange.sendJson(status, withResultFault(kind, text, exchange), headers),
    )
  }
}

async function firstActing(
  faults: readonly ListedFault<Kind>[],
  message: RpcMessage | null,
  exchange: HttpExchange,
): Promise<ListedFault<Kind> | null> {
  const method = message && message.kind !== 'response' ? message.method : ''
  for (const fault of faults) {
    const isLeftAlone = message?.kind !== 'request' && !isStatusKind(fault.kind)
    if (isLeftAlone || !concerns(fault.kind, method)) continue
    const count = await countUse(exchange.mcp, exchange.server.name, exchange.request, fault.kind)
    if (count >= fault.at && (fault.percent === 100 || Math.random() * 100 < fault.percent)) return fault
  }
  return null
}

/** Counts requests of a caller for a server by the name of what is counted, this one included. */
export function countUse(
  { svc, faultCounter }: Pick<Mcp, 'svc' | 'faultCounter'>,
  server: string,
  request: FastifyRequest,
  name: string,
): Promise<number> {
  return faultCounter.next(svc.http.session(request).key, server, name)
}
