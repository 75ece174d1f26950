/** Finds the fault that a request asks for, in the header `X-Svc-A2A-Fail` or in the metadata of its message. */
import { isRecord, parseFaultList } from 'svc/toolkit'
import type { AnyRequest } from 'svc/plugin'
import type { Call } from '../calls/call.ts'
import { A2aError, shorten } from '../protocol/errors.ts'
import type { JsonObject } from '../types.ts'
import { field } from '../wire/read.ts'
import {
  type ActiveFault,
  beginsWithRequest,
  isStreamKind,
  isTaskKind,
  type Kind,
  KINDS,
} from '../protocol/fault-kinds.ts'

export const FAIL_HEADER = 'X-Svc-A2A-Fail'
/** In the metadata of the message: it also arrives behind gateways that remove headers. */
const FAIL_METADATA = 'svc.fail'

/** The value of `X-Svc-Fault` and of the metrics. */
export const FAULT = 'a2a'

/** What an operation does, as far as faults depend on it. */
export interface OperationFacts {
  /** Its response is a stream. */
  isStream: boolean
  /** It sends a message. */
  isSend: boolean
  /** It concerns one task, with which faults can stay. */
  isOfTask: boolean
}

/** The first fault that acts on this request, which is then marked. Throws if the list of faults can't be read. */
export async function requestedFault(
  call: Call,
  params: JsonObject,
  operation: OperationFacts,
): Promise<ActiveFault | null> {
  const list = readList(call.request, params)
  if (list === null) return null
  const faults = parseFaultList(list, KINDS)
  if (!Array.isArray(faults)) throw unknownFault(faults)
  const { a2a, agent, request, session } = call
  for (const { kind, at, percent, text } of faults) {
    if (!concerns(kind, call, operation)) continue
    if (beginsWithRequest(kind) && (await a2a.faultCounter.next(session, agent.id, kind)) < at) continue
    if (percent < 100 && Math.random() * 100 >= percent) continue
    a2a.svc.http.markFault(request, null, FAULT, `${FAIL_HEADER}: ${text}`)
    return { kind, amount: beginsWithRequest(kind) ? 1 : at }
  }
  return null
}

/** The header, or else the metadata of the message. */
function readList(request: AnyRequest, params: JsonObject): string | null {
  const header = request.headers[FAIL_HEADER.toLowerCase()]
  if (header !== undefined) return String(header)
  const message = field(params, 'message') ?? field(params, 'request')
  const metadata = isRecord(message) ? field(message, 'metadata') : undefined
  if (!isRecord(metadata) || !Object.hasOwn(metadata, FAIL_METADATA)) return null
  const list = metadata[FAIL_METADATA]
  return typeof list === 'string' ? list : JSON.stringify(list)
}

/** Whether the binding and the operation can have the fault. */
function concerns(
  kind: Kind,
  { a2a, binding, request }: Call,
  { isStream, isSend, isOfTask }: OperationFacts,
): boolean {
  if (kind === 'wrong-id') return binding === 'JSON-RPC'
  if (kind === 'bad-json') return binding !== 'other'
  if (kind === 'bad-sse') return binding !== 'other' && isStream
  if (kind === 'redirect') return binding !== 'other' && !isRedirected(a2a.svc.http.target(request))
  if (kind === 'never-settles') return isSend
  if (isStreamKind(kind)) return isStream
  return !isTaskKind(kind) || isOfTask
}

/** The query parameter of a redirected request, which is not redirected again. */
const AGAIN = 'again'

function isRedirected(target: string): boolean {
  return new URLSearchParams(target.split('?', 2)[1] ?? '').has(AGAIN)
}

/** The target of the redirect: the URL of the request with a query parameter. */
export function redirectTarget({ a2a, request }: Pick<Call, 'a2a' | 'request'>): string {
  const target = a2a.svc.http.target(request)
  return a2a.svc.http.url(request, `${target}${target.includes('?') ? '&' : '?'}${AGAIN}=1`)
}

function unknownFault({ got, meant, expected }: { got: string; meant?: Kind; expected?: string }): A2aError {
  const description = expected ?? (meant === undefined ? 'unknown fault' : `unknown fault; did you mean ${meant}?`)
  return new A2aError('UNKNOWN_FAULT', 'Unknown fault', {
    metadata: {
      header: FAIL_HEADER,
      got: shorten(got),
      ...(meant === undefined ? {} : { did_you_mean: meant }),
      ...(expected === undefined ? {} : { expected }),
      kinds: KINDS.join(','),
    },
    violations: [{ field: FAIL_HEADER, description }],
  })
}
