/** Zipkin v2: `POST /zipkin/api/v2/spans`, in JSON and protobuf. */
import {
  describe,
  Pacer,
  type ErrorForm,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type Json,
  type Svc,
} from 'svc/plugin'
import { excessOfJsonText, isRecord } from 'svc/toolkit'
import { Intake } from '../records/intake.ts'
import { atMounts, CallProblem, CATEGORY, mediaTypeOf, type Sinks } from '../sinks.ts'
import { JsonNode, MessageProblem, WireNode, type MessageNode } from '../wire/node.ts'
import { LIST_OF_SPANS, spanOf, ZIPKIN } from './span.ts'

const PROTOBUF = 'application/x-protobuf'
const MAX_LEVELS = 16
const MAX_VALUES = 200_000

/** As the original: a sentence. */
const textForm: ErrorForm = ({ body }) => ({
  headers: { 'Content-Type': 'text/plain; charset=utf-8' },
  body: String(
    [body.details, body.detail, body.message, body.error].find(value => typeof value === 'string') ?? 'failed',
  ),
})

export function registerZipkin(app: FastifyInstance, svc: Svc<unknown>, sinks: Sinks): void {
  svc.unroutedForm('/zipkin', textForm)
  atMounts('/zipkin', (mount, isOfHost) =>
    app.post(
      `${mount}/api/v2/spans`,
      describe({
        ...(isOfHost && { ofHost: true }),
        summary: 'Receive spans of Zipkin',
        category: CATEGORY,
        errorForm: textForm,
        takes: 'deliveries',
        requestBody: {
          required: true,
          content: { 'application/json': { type: 'array' }, [PROTOBUF]: { type: 'string', format: 'binary' } },
        },
        responses: {
          202: { description: 'Received', content: {} },
          400: {
            description: 'A span cannot be decoded: nothing is kept',
            content: { 'text/plain': { type: 'string' } },
          },
        },
        examples: [
          {
            name: 'No spans',
            method: 'POST',
            path: '/zipkin/api/v2/spans',
            headers: [{ name: 'Content-Type', value: 'application/json' }],
            body: '[]',
            bodyType: 'json',
            expectStatus: 202,
          },
        ],
      }),
      (request, reply) => receive(request, reply, svc, sinks),
    ),
  )
}

async function receive(
  request: FastifyRequest,
  reply: FastifyReply,
  svc: Svc<unknown>,
  { reports }: Sinks,
): Promise<FastifyReply> {
  const body = svc.http.body(request)
  const isBinary = mediaTypeOf(request.headers['content-type']) === PROTOBUF
  const pacer = new Pacer(svc.budgets.workMs)
  const intake = new Intake<'spans'>(reports.bounds)
  const receivedAt = new Date().toISOString()
  try {
    const nodes = isBinary ? new WireNode(body, LIST_OF_SPANS).children('spans') : readJson(body.toString())
    for (const node of nodes) {
      intake.add(() => spanOf(node, receivedAt))
      if (pacer.isDue) await pacer.pause()
    }
  } catch (error) {
    throw error instanceof MessageProblem ? new CallProblem(400, error.message) : error
  }
  await reports.keep('spans', ZIPKIN, request, intake)
  return reply.code(202).send()
}

function* readJson(text: string): Generator<MessageNode> {
  const excess = excessOfJsonText(text, { levels: MAX_LEVELS, values: MAX_VALUES })
  if (excess !== null) throw new MessageProblem(`the list has too many ${excess}`)
  let list: Json
  try {
    list = JSON.parse(text) as Json
  } catch (error) {
    throw new MessageProblem(`not JSON: ${(error as SyntaxError).message.slice(0, 200)}`)
  }
  if (!Array.isArray(list)) throw new MessageProblem('expected a list of spans')
  for (const [index, item] of list.entries()) {
    if (!isRecord(item) || Array.isArray(item)) throw new MessageProblem(`span ${index}: expected an object`)
    yield new JsonNode(item as never, `[${index}]`)
  }
}
