/** `POST /logs`: JSON logs as an object, a list, or lines of objects. */
import {
  describe,
  Pacer,
  type FastifyInstance,
  type FastifyRequest,
  type Json,
  type JsonObject,
  type Svc,
} from 'svc/plugin'
import { excessOfJsonText, INTEGER, isRecord, jsonReply, object } from 'svc/toolkit'
import { Intake } from '../records/intake.ts'
import { atMounts, CallProblem, CATEGORY, type Sinks } from '../sinks.ts'
import { logOf } from './log-record.ts'

const JSON_SOURCE = 'json'
const MAX_LEVELS = 32
/** Values of one body; of a line, what a record may have in memory bounds them. */
const MAX_VALUES = 200_000

export function registerJsonLogs(app: FastifyInstance, svc: Svc<unknown>, sinks: Sinks): void {
  atMounts('/logs', (mount, isOfHost) => {
    const paths = isOfHost ? [mount, `${mount}/*`] : [mount]
    for (const path of paths)
      app.post(
        path,
        describe({
          ...(isOfHost && { ofHost: true }),
          summary: 'Receive logs in JSON',
          category: CATEGORY,
          takes: 'deliveries',
          requestBody: {
            required: true,
            description: 'An object, a list of objects, or one object in each line',
            content: { 'application/json': { type: 'object' }, 'application/x-ndjson': { type: 'string' } },
          },
          reply: jsonReply(object({ accepted: INTEGER }, { rejected: INTEGER }), 'AcceptedLogs'),
          responses: {
            200: { description: '`accepted`, and `rejected` with the reason if something is over the bounds' },
            400: { description: 'A line is not an object: nothing is kept' },
          },
          examples: [
            {
              name: 'An access log',
              method: 'POST',
              path: '/logs',
              headers: [{ name: 'Content-Type', value: 'application/json' }],
              body: '{"method":"GET","path":"/orders","status":200}',
              bodyType: 'json',
              expectStatus: 200,
            },
          ],
        }),
        request => receive(request, svc, sinks),
      )
  })
}

async function receive(request: FastifyRequest, svc: Svc<unknown>, { reports, renamed }: Sinks): Promise<object> {
  const pacer = new Pacer(svc.budgets.workMs)
  const intake = new Intake<'logs'>(reports.bounds)
  for (const fields of readLogs(svc.http.body(request).toString())) {
    intake.add(() => logOf(fields, { source: JSON_SOURCE, renamed }))
    if (pacer.isDue) await pacer.pause()
  }
  await reports.keep('logs', JSON_SOURCE, request, intake)
  const { rejected, message, reports: kept } = intake
  return message === null
    ? { accepted: kept.length }
    : { accepted: kept.length - rejectedLater(intake), rejected, details: message }
}

/** Records that were read, and rejected because they have no session. */
function rejectedLater({ bounds, reports }: Intake<'logs'>): number {
  return bounds.needsSession ? reports.filter(({ record }) => record.session === null).length : 0
}

/** The objects of a body. Throws a `CallProblem` that names the line. */
export function* readLogs(body: string): Generator<JsonObject> {
  const text = body.trim()
  if (text === '') throw new CallProblem(400, 'expected an object, a list of objects, or one object in each line')
  const whole = parse(text)
  if (whole !== undefined) {
    const list = Array.isArray(whole) ? whole : [whole]
    for (const [index, item] of list.entries())
      if (!isRecord(item)) throw new CallProblem(400, `item ${index + 1} is not an object`)
    yield* list as JsonObject[]
    return
  }
  // All lines are read before the first is kept.
  const objects: JsonObject[] = []
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const value = parse(line)
    if (!isRecord(value) || Array.isArray(value)) throw new CallProblem(400, `line ${index + 1} is not a JSON object`)
    objects.push(value as JsonObject)
  }
  yield* objects
}

/** Undefined for what is not JSON, or too much of it. */
function parse(text: string): Json | undefined {
  const excess = excessOfJsonText(text, { levels: MAX_LEVELS, values: MAX_VALUES })
  if (excess !== null) throw new CallProblem(400, `the logs have too many ${excess}`)
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
