/** The extension point `probe.client`: the connections of the probe, for other plugins that send traffic through a gateway. */
import { joinSignals } from 'svc/toolkit'
import { masked } from '../report/masking.ts'
import type {
  CheckField,
  ClientAnswer,
  ClientConnection,
  ClientExchange,
  ClientOptions,
  ClientRequest,
  ProbeClient,
} from '../types.ts'
import { readAddress, resolveAddress, type Address } from './address.ts'
import { clock } from './changes.ts'
import { runExchange, type CallRecord, type ConnectionSpec, type ExchangeRecord } from './exchange.ts'
import { grpcFrame, grpcFrames } from './grpc-frames.ts'
import { runHttp2Exchange } from './http2-exchange.ts'
import { encodeHttp2Request } from './http2-request.ts'
import { encodeRequest, type Encoding, type RequestSpec } from './request.ts'
import { valuesOf, type Response } from './response-parser.ts'
import { LoadMonitor } from './load-monitor.ts'
import { readRoutes } from './routes.ts'
import { runWebSocket } from './websocket-client.ts'

/** Events are expected within some tens of milliseconds. */
const LOAD_TICK_MS = 10

/** Without the marks of the probe: targets are complete, and fields are those of the request. */
const PLAIN: Omit<Encoding, 'authority'> = {
  prefix: '',
  nonce: '',
  field: '',
  extraFields: [],
  check: '',
  model: '',
}

export function createClient(): ProbeClient {
  return {
    address: readAddress,
    resolve: resolveAddress,
    routes: value => readRoutes(value),
    exchange,
    webSocket: runWebSocket,
    grpc,
    clock,
    watchLoad: () => new LoadMonitor(LOAD_TICK_MS),
    masked,
  }
}

async function exchange(connection: ClientConnection, options: ClientOptions): Promise<ClientExchange> {
  const { address, trust, limitMs } = options
  const specs = connection.requests.map(request => specOf(request, limitMs))
  const spec: ConnectionSpec = {
    requests: specs,
    ...(connection.gapMs === undefined ? {} : { gapMs: connection.gapMs }),
    ...(connection.leaveAfterMs === undefined ? {} : { leaveAfterMs: connection.leaveAfterMs }),
  }
  const numbers = new Map(specs.map((one, index) => [one, index + 1]))
  const encodings = connection.requests.map(({ authority }) => ({
    ...PLAIN,
    authority: authority ?? address.authority,
  }))
  const startedAtMs = clock()
  const limit = AbortSignal.timeout(Math.ceil(limitMs))
  const signal = joinSignals(options.signal, limit)
  const own = {
    address: address as Address,
    trust,
    timeoutMs: limitMs,
    signal: signal.signal,
    admits: options.onReceived,
    onParts: options.onParts,
  }
  const numberOf = (one: RequestSpec): number => numbers.get(one)!
  try {
    const record =
      connection.http2 === true
        ? await runHttp2Exchange(
            spec,
            specs.map((one, index) => encodeHttp2Request(one, encodings[index]!, numberOf, address.isTls)),
            own,
          )
        : await runExchange(
            spec,
            specs.map((one, index) => encodeRequest(one, encodings[index]!, numberOf)),
            own,
          )
    return exchangeOf(record, startedAtMs, limit.aborted)
  } finally {
    signal.release()
  }
}

function specOf({ method, target, fields, body, expectsBody }: ClientRequest, limitMs: number): RequestSpec {
  const content = body ?? (expectsBody === true ? '' : undefined)
  return {
    path: target,
    noMarker: true,
    silenceMs: limitMs,
    timeoutMs: limitMs,
    ...(method === undefined ? {} : { method }),
    ...(fields === undefined ? {} : { fields }),
    ...(content === undefined ? {} : { body: Buffer.from(content) }),
  }
}

function exchangeOf(record: ExchangeRecord, startedAtMs: number, isOverdue: boolean): ClientExchange {
  return {
    startedAtMs,
    endedAtMs: clock(),
    connectError: record.connectError,
    answers: record.calls.map(answerOf),
    hasLeft: record.hasLeft,
    error: errorOf(record, isOverdue),
  }
}

/** What the client of a gateway would see; null if the last answer is complete, or the client left before. */
function errorOf(record: ExchangeRecord, isOverdue: boolean): ClientExchange['error'] {
  if (record.connectError !== null) return record.connectError === 'timed out' ? 'timeout' : 'refused'
  if (record.hasLeft) return null
  if (record.calls.every(({ response }) => response?.isComplete === true)) return null
  if (record.exceeded === 'bytes') return 'too_large'
  return isOverdue || record.exceeded === 'time' || record.ended === null ? 'timeout' : 'reset'
}

function answerOf({ response, sentAtMs, sentEndMs }: CallRecord): ClientAnswer | null {
  return response === null ? null : { ...answerFrom(response), sentAtMs, sentEndMs }
}

function answerFrom(response: Response): Omit<ClientAnswer, 'sentAtMs' | 'sentEndMs'> {
  const { status, fields, body, trailers, interims, isComplete, parts, headAtMs, endAtMs } = response
  return {
    status,
    fields,
    field: name => valuesOf(fields, name),
    body,
    trailers,
    interims: interims.map(interim => interim.status),
    isComplete,
    parts,
    headAtMs,
    endAtMs,
  }
}

const NATIVE_FIELDS: readonly CheckField[] = [
  ['content-type', 'application/grpc'],
  ['te', 'trailers'],
]
const WEB_FIELDS: readonly CheckField[] = [
  ['content-type', 'application/grpc-web+proto'],
  ['accept', 'application/grpc-web+proto'],
  ['x-grpc-web', '1'],
]

const grpc: ProbeClient['grpc'] = async (call, options) => {
  const { path, messages, metadata = [], deadlineMs, isWeb = false, authority, leaveAfterMs } = call
  const result = await exchange(
    {
      http2: !isWeb,
      ...(leaveAfterMs === undefined ? {} : { leaveAfterMs }),
      requests: [
        {
          method: 'POST',
          target: path,
          ...(authority === undefined ? {} : { authority }),
          fields: [
            ...(isWeb ? WEB_FIELDS : NATIVE_FIELDS),
            ...(deadlineMs === undefined ? [] : [['grpc-timeout', `${Math.ceil(deadlineMs)}m`] as const]),
            ...metadata,
          ],
          body: Buffer.concat(messages.map(message => grpcFrame(message))),
        },
      ],
    },
    options,
  )
  const [answer] = result.answers
  const { messages: received, trailers } = grpcFrames(answer?.body ?? Buffer.alloc(0))
  const fields = [...(answer?.trailers ?? []), ...(answer?.fields ?? []), ...(isWeb ? trailerFields(trailers) : [])]
  const [status] = valuesOf(fields, 'grpc-status')
  const [message] = valuesOf(fields, 'grpc-message')
  return {
    ...result,
    messages: received.map(one => Buffer.from(one, 'latin1')),
    status: status === undefined || !/^\d{1,2}$/.test(status) ? null : Number(status),
    statusMessage: message === undefined ? null : percentDecoded(message),
  }
}

/** The lines of the last frame of gRPC-Web. */
function trailerFields(lines: string | null): CheckField[] {
  return (lines ?? '').split(/\r?\n/).flatMap(line => {
    const colon = line.indexOf(':')
    return colon < 1 ? [] : [[line.slice(0, colon), line.slice(colon + 1).trim()] as const]
  })
}

/** What is not encoded as gRPC says is left as it is. */
function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
