/** Datadog's trace API, as tracers send to an agent: `/v0.3/traces`, `/v0.4/traces` and `/info`. */
import {
  describe,
  Pacer,
  type FastifyInstance,
  type FastifyRequest,
  type Json,
  type RouteDescription,
  type Svc,
} from 'svc/plugin'
import { excessOfJsonText, jsonReply, list, object, RECORD, TEXT } from 'svc/toolkit'
import { Intake } from '../records/intake.ts'
import { CallProblem, CATEGORY, hostMount, mediaTypeOf, type Sinks } from '../sinks.ts'
import { decodeMsgpack, MsgpackProblem } from './msgpack.ts'
import { DATADOG, DatadogProblem, spanOf, upperHalfOf } from './span.ts'

export const DATADOG_PATH = '/datadog'
const VERSIONS = ['v0.3', 'v0.4'] as const
const BOUNDS = { levels: 16, values: 200_000 }
/** Tracers read the rates at which they should sample: all. */
const ANSWER = { rate_by_service: { 'service:,env:': 1 } }

export function registerDatadog(app: FastifyInstance, svc: Svc<unknown>, sinks: Sinks): void {
  for (const [mount, isOfHost] of [
    ['', false],
    [DATADOG_PATH, false],
    [hostMount(DATADOG_PATH), true],
  ] as const) {
    const ofHost = isOfHost ? ({ ofHost: true } as const) : {}
    for (const version of VERSIONS)
      app.route({
        method: ['PUT', 'POST'],
        url: `${mount}/${version}/traces`,
        ...describe({ ...ofHost, ...traces(`${mount}/${version}/traces`) }),
        handler: request => receive(request, svc, sinks),
      })
    app.get(
      `${mount}/info`,
      describe({
        ...ofHost,
        summary: 'What the receiver of Datadog traces supports',
        category: CATEGORY,
        reply: jsonReply(object({ version: TEXT, endpoints: list(TEXT) }), 'DatadogInfo'),
        examples: [{ name: 'Info', path: `${mount}/info`, expectStatus: 200 }],
      }),
      () => ({
        version: '7.0.0-svc',
        endpoints: VERSIONS.map(version => `/${version}/traces`),
        client_drop_p0s: false,
        feature_flags: [],
      }),
    )
  }
}

const traces = (path: string): RouteDescription => ({
  summary: 'Receive traces of Datadog',
  category: CATEGORY,
  takes: 'deliveries',
  requestBody: {
    required: true,
    content: { 'application/msgpack': { type: 'string', format: 'binary' }, 'application/json': { type: 'array' } },
  },
  reply: jsonReply(object({ rate_by_service: RECORD }), 'DatadogRates'),
  responses: { 200: { description: 'Received' }, 400: { description: 'It cannot be decoded: nothing is kept' } },
  examples: [
    {
      name: 'No traces',
      method: 'PUT',
      path,
      headers: [{ name: 'Content-Type', value: 'application/json' }],
      body: '[]',
      bodyType: 'json',
      expectStatus: 200,
    },
  ],
})

async function receive(request: FastifyRequest, svc: Svc<unknown>, { reports }: Sinks): Promise<object> {
  const body = svc.http.body(request)
  const pacer = new Pacer(svc.budgets.workMs)
  const intake = new Intake<'spans'>(reports.bounds)
  const receivedAt = new Date().toISOString()
  try {
    const value =
      mediaTypeOf(request.headers['content-type']) === 'application/json' ? readJson(body) : decodeMsgpack(body, BOUNDS)
    for (const trace of listOf(value, 'expected a list of traces')) {
      const spans = listOf(trace, 'expected each trace as a list of spans')
      const upperHalf = upperHalfOf(spans)
      for (const span of spans) {
        intake.add(() => spanOf(span, upperHalf, receivedAt))
        if (pacer.isDue) await pacer.pause()
      }
    }
  } catch (error) {
    throw error instanceof MsgpackProblem || error instanceof DatadogProblem
      ? new CallProblem(400, error.message)
      : error
  }
  await reports.keep('spans', DATADOG, request, intake)
  return ANSWER
}

function listOf(value: Json, message: string): Json[] {
  if (!Array.isArray(value)) throw new DatadogProblem(message)
  return value
}

function readJson(body: Buffer): Json {
  const text = body.toString()
  const excess = excessOfJsonText(text, BOUNDS)
  if (excess !== null) throw new DatadogProblem(`the traces have too many ${excess}`)
  try {
    return JSON.parse(text) as Json
  } catch (error) {
    throw new DatadogProblem(`not JSON: ${(error as SyntaxError).message.slice(0, 200)}`)
  }
}
