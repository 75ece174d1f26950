/** OTLP/HTTP 1.x: `POST /otlp/v1/traces`, `/metrics` and `/logs`, in protobuf and JSON. */
import {
  describe,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type JsonObject,
  type RouteDescription,
  type Svc,
} from 'svc/plugin'
import { excessOfJsonText, isRecord } from 'svc/toolkit'
import type { Kind } from '../records/record.ts'
import { atMounts, CallProblem, CATEGORY, type Sinks } from '../sinks.ts'
import { OTLP } from './convert.ts'
import { JsonNode, OtlpProblem, WireNode, type OtlpNode } from './node.ts'
import { readSignal, SIGNALS, type Signal } from './signals.ts'
import { encodePartialSuccess, JSON_TYPE, mediaTypeOf, PROTOBUF, statusForm } from './status.ts'

const MAX_LEVELS = 64
const MAX_VALUES = 200_000

export function registerOtlp(app: FastifyInstance, svc: Svc<unknown>, sinks: Sinks): void {
  svc.unroutedForm('/otlp', statusForm)
  for (const signal of SIGNALS)
    atMounts('/otlp', (mount, isOfHost) =>
      app.post(`${mount}/v1/${signal.path}`, describe(descriptionOf(signal.path, isOfHost)), (request, reply) =>
        receive(signal as Signal<Kind>, request, reply, svc, sinks),
      ),
    )
}

function descriptionOf(path: string, isOfHost: boolean): RouteDescription {
  return {
    ...(isOfHost && { ofHost: true }),
    summary: `Receive ${path} over OTLP`,
    category: CATEGORY,
    errorForm: statusForm,
    takes: 'deliveries',
    requestBody: {
      required: true,
      content: { [PROTOBUF]: { type: 'string', format: 'binary' }, [JSON_TYPE]: { type: 'object' } },
    },
    responses: {
      200: { description: 'An empty message, or `partial_success` with what was not kept' },
      400: { description: 'The message cannot be decoded: `google.rpc.Status`' },
      413: { description: 'The message is too large, also after it was decompressed' },
      415: { description: 'Another type or coding' },
    },
    examples: [
      {
        name: 'No records',
        method: 'POST',
        path: `/otlp/v1/${path}`,
        headers: [{ name: 'Content-Type', value: JSON_TYPE }],
        body: '{}',
        bodyType: 'json',
        expectStatus: 200,
      },
    ],
  }
}

async function receive<K extends Kind>(
  signal: Signal<K>,
  request: FastifyRequest,
  reply: FastifyReply,
  svc: Svc<unknown>,
  { reports, renamed }: Sinks,
): Promise<FastifyReply> {
  const type = mediaTypeOf(request.headers['content-type'])
  if (type !== PROTOBUF && type !== JSON_TYPE)
    throw new CallProblem(415, `expected the type ${PROTOBUF} or ${JSON_TYPE}`)
  const body = svc.http.body(request)
  try {
    const root = type === PROTOBUF ? new WireNode(body, signal.layout) : readJson(body)
    const intake = await readSignal(signal, root, { bounds: reports.bounds, renamed, workMs: svc.budgets.workMs })
    await reports.keep(signal.kind, OTLP, request, intake)
    const { rejected, message } = intake
    void reply.type(type)
    if (type === PROTOBUF)
      return reply.send(message === null ? Buffer.alloc(0) : encodePartialSuccess(rejected, message))
    return reply.send(
      message === null
        ? {}
        : // 64-bit numbers are texts in the JSON mapping.
          { partialSuccess: { [signal.rejected.json]: String(rejected), errorMessage: message } },
    )
  } catch (error) {
    throw error instanceof OtlpProblem ? new CallProblem(400, error.message) : error
  }
}

function readJson(body: Buffer): OtlpNode {
  const text = body.toString()
  const excess = excessOfJsonText(text, { levels: MAX_LEVELS, values: MAX_VALUES })
  if (excess === 'levels') throw new OtlpProblem(`the message has more than ${MAX_LEVELS} levels`)
  if (excess === 'values') throw new OtlpProblem(`the message has more than ${MAX_VALUES} values`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new OtlpProblem(`the message is not JSON: ${(error as SyntaxError).message.slice(0, 200)}`)
  }
  if (!isRecord(value) || Array.isArray(value)) throw new OtlpProblem('expected a JSON object')
  return new JsonNode(value as JsonObject)
}
