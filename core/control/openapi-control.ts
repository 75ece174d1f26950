/**
 * What the OpenAPI document of the control plane has besides that of all endpoints, so that generators of clients in other
 * languages write a type for each body and response: names of all schemas, and the errors of each operation.
 */
import type { JsonSchema, ReplyContent, RouteDescription } from '../contract/plugin.ts'
import { object, TEXT, TYPE_NAME } from '../toolkit/reply-schemas.ts'
import { bodyOf } from './openapi-operation.ts'
import type { Operation } from './operations.ts'

/** A Server Object (OpenAPI 3.1.0, 4.8.5). */
export interface Server {
  url: string
  description?: string
  variables?: Record<string, { default: string; description: string }>
}

/** The beginning of the session prefix's variable in the URL of a server. */
export const SESSION_VARIABLE = '{session}'

const PREFIX = '/_svc/'
const JSON_TYPE = /[/+]json$/
const ERROR: JsonSchema = {
  title: 'Error',
  ...object({ error: TEXT }, { details: {}, message: {}, at: {} }),
  description: '`error` is a word; the other members depend on it',
}

/** Whether a path template belongs to the control plane. */
export function isControlPath(path: string): boolean {
  return path.startsWith(PREFIX)
}

/** The base URL, followed by the prefix of a session. */
export function sessionServer(baseUrl: string): Server {
  return {
    url: `${baseUrl}${SESSION_VARIABLE}`,
    variables: {
      session: {
        default: '',
        description: 'Empty, or `/s/<name>`: all operations are then those of this session',
      },
    },
  }
}

/** Names the schemas of an operation after its id, and adds the errors that it does not describe. */
export function completeDescription(
  operation: Operation,
  { method, operationId }: { method: string; operationId: string },
): Operation {
  const { description } = operation
  const stem = operationId[0]!.toUpperCase() + operationId.slice(1)
  const requestBody = bodyOf(description, method)
  const { responses = { 200: { description: description.summary } } } = description
  return {
    ...operation,
    description: {
      ...description,
      ...(requestBody && { requestBody: { ...requestBody, content: named(requestBody.content, `${stem}Body`) } }),
      responses: {
        ...Object.fromEntries(
          Object.entries(responses).map(([status, response]) => {
            const content = response.content ?? contentOf(status, description)
            return [status, { ...response, ...(content && { content: named(content, `${stem}Reply`) }) }]
          }),
        ),
        ...('default' in responses ? {} : { default: { description: 'An error', content: errorContent() } }),
      },
    },
  }
}

/** What a response holds that has no content. */
function contentOf(status: string, { reply }: RouteDescription): ReplyContent | undefined {
  if (/^[45]/.test(status)) return errorContent()
  return /^2(?!0[45])/.test(status) ? reply : undefined
}

function errorContent(): Record<string, JsonSchema> {
  return { 'application/json': ERROR }
}

function named(content: ReplyContent, title: string): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(content).map(([type, schema]) => [
      type,
      TYPE_NAME in schema
        ? schema
        : JSON_TYPE.test(type)
          ? { title, ...schema }
          : { title: 'Text', type: 'string', ...schema },
    ]),
  )
}
