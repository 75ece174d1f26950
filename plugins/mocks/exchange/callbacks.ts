/** Makes the requests of the callbacks of an operation, after its response. */
import { isOutputError, isTooExpensive, OutputBudget } from 'svc/plugin'
import type { Callback } from '../document/operations.ts'
import { parseJson, type Json } from '../document/json.ts'
import { isJsonType } from '../request/media-types.ts'
import { isTakenFromDocuments, headerText, parameterHeaders } from '../response/response-headers.ts'
import type { OperationCall } from './engine.ts'
import type { MockResponse } from './response-builder.ts'
import { compileExpression, type ExpressionScope } from './runtime-expression.ts'

/** The request of a callback. */
export interface CallbackRequest {
  /** The name in the document. */
  name: string
  method: string
  url: string
  headers: Record<string, string>
  body: Buffer | null
}

/** What is sent after a response, and why other callbacks are not. */
export interface PlannedCallbacks {
  requests: CallbackRequest[]
  skipped: { name: string; reason: string }[]
}

/** Maximum number of callbacks of one response. */
const MAX_CALLBACKS = 10

/** Plans the callbacks of a response. They are sent after responses of the document with a 2xx status. */
export function planCallbacks(call: OperationCall, response: MockResponse): PlannedCallbacks {
  const planned: PlannedCallbacks = { requests: [], skipped: [] }
  const { operation, live } = call
  if (operation.callbacks.length === 0 || !live.parts.settings.callbacks) return planned
  if (response.abort || response.source === 'error' || response.status < 200 || response.status > 299) return planned
  const scope = scopeOf(call, response)
  for (const callback of operation.callbacks) {
    const { name } = callback
    if (planned.requests.length >= MAX_CALLBACKS) {
      planned.skipped.push({ name, reason: `more than ${MAX_CALLBACKS} callbacks` })
      continue
    }
    const target = compileExpression(callback.expression)?.(scope)
    if (target === undefined || target === '') planned.skipped.push({ name, reason: 'the request names no URL' })
    else addRequest(planned, callback, target, call)
  }
  return planned
}

/** The response is sent even if its budgets do not suffice for the callbacks. */
function addRequest(planned: PlannedCallbacks, callback: Callback, url: string, call: OperationCall): void {
  try {
    planned.requests.push(requestOf(callback, url, call))
  } catch (error) {
    if (!isOutputError(error) && !isTooExpensive(error)) throw error
    planned.skipped.push({ name: callback.name, reason: error.message })
  }
}

function scopeOf(call: OperationCall, response: MockResponse): ExpressionScope {
  const { incoming, path, context } = call
  const header = (name: string): string | undefined =>
    response.headers.findLast(([other]) => other.toLowerCase() === name.toLowerCase())?.[1]
  return {
    url: context.url,
    method: incoming.method,
    statusCode: response.status,
    request: { header: incoming.header, query: incoming.query, path, body: incoming.json },
    response: {
      header,
      body: () => (isJsonType(header('content-type') ?? '') ? jsonOf(response.body) : undefined),
    },
  }
}

function jsonOf(body: Buffer | null): Json | undefined {
  return body === null ? undefined : parseJson(body.toString('utf8'))
}

/** The body is the example of the callback, or generated. It draws on the budget of the response. */
function requestOf({ name, operation }: Callback, url: string, call: OperationCall): CallbackRequest {
  const { live, context, path } = call
  const { requestBody, method } = operation
  const headers: Record<string, string> = {}
  const seed = [context.mock, live.parts.settings.seed, operation.at].join('\u0002')
  const budgets = {
    output: new OutputBudget(context.output.left),
    generation: context.generation,
    checks: context.checks,
    writing: context.writing,
  }
  const options = { seed, useExamples: !live.parts.settings.dynamic, budgets }
  for (const [header, value] of parameterHeaders(live.api, operation.parameters, options))
    if (isTakenFromDocuments(header)) headers[header.toLowerCase()] = headerText(value)
  if (requestBody === null || method === 'GET' || method === 'HEAD') return { name, method, url, headers, body: null }
  const definition = { status: '200', content: requestBody.content, headers: new Map(), raw: requestBody.raw }
  const choice = { definition, status: 200, example: null }
  const input = {
    operation,
    choice,
    dynamic: live.parts.settings.dynamic,
    seed,
    path,
    echo: 'off' as const,
    requestBody: () => undefined,
    budgets,
  }
  const rendered = live.renderer.render(input, live.renderer.representations.choose(choice, undefined))
  context.output.take(rendered.bytes?.length ?? 0)
  if (rendered.contentType !== null) headers['content-type'] = rendered.contentType
  return { name, method, url, headers, body: rendered.bytes }
}
