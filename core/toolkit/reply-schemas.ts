/** Creates JSON schemas of responses, for `reply` of route descriptions. */
import type { JsonSchema } from '../contract/json-schema.ts'
import type { ReplyContent } from '../contract/routes.ts'

type Properties = Readonly<Record<string, JsonSchema>>

export const TEXT: JsonSchema = { type: 'string' }
export const INTEGER: JsonSchema = { type: 'integer' }
export const NUMBER: JsonSchema = { type: 'number' }
export const BOOLEAN: JsonSchema = { type: 'boolean' }
/** Any value. */
export const ANY: JsonSchema = {}
/** An object with members of any name. */
export const RECORD: JsonSchema = { type: 'object', additionalProperties: true }

/** A keyword for schemas within others: the name of their type in generated clients. */
export const TYPE_NAME = 'x-svc-type'

/** Names the type that a schema within others has in generated clients. */
export function typed(name: string, schema: JsonSchema): JsonSchema {
  return { [TYPE_NAME]: name, ...schema }
}

/** An object with these members; others are allowed. */
export function object(required: Properties, optional: Properties = {}): JsonSchema {
  const names = Object.keys(required)
  return { type: 'object', properties: { ...required, ...optional }, ...(names.length > 0 && { required: names }) }
}

export function list(items: JsonSchema = ANY): JsonSchema {
  return { type: 'array', items }
}

/** The schema, or null. */
export function nullable(schema: JsonSchema): JsonSchema {
  return typeof schema.type === 'string' && schema.enum === undefined
    ? { ...schema, type: [schema.type, 'null'] }
    : { anyOf: [schema, { type: 'null' }] }
}

/** A JSON response. `title` names its type in generated clients. */
export function jsonReply(schema: JsonSchema, title?: string): ReplyContent {
  return { 'application/json': title === undefined ? schema : { title, ...schema } }
}

/** A response of text, or of bytes, of one of these media types. */
export function textReply(...mediaTypes: string[]): ReplyContent {
  return Object.fromEntries(mediaTypes.map(type => [type, TEXT]))
}

/** The content of a response that is JSON or, if the request asks for it, a stream of another type. */
export function streamedReply(schema: JsonSchema, title: string, stream = 'text/event-stream'): ReplyContent {
  return { ...jsonReply(schema, title), [stream]: TEXT }
}

/** A route with a description, in a list of routes that are registered together. */
interface DescribedRoute {
  method: string
  path: string
  describe: object
}

/**
 * The routes with what each replies, by method and path (`POST /v2/chat`). Throws if a name is not that of a route, so that
 * none is left over when a route changes.
 */
export function withReplies<R extends DescribedRoute>(
  routes: readonly R[],
  replies: Readonly<Record<string, ReplyContent>>,
): R[] {
  const names = new Set(routes.map(({ method, path }) => `${method} ${path}`))
  for (const name of Object.keys(replies)) if (!names.has(name)) throw new Error(`no route ${name} for its reply`)
  return routes.map(route => {
    const reply = replies[`${route.method} ${route.path}`]
    return reply === undefined ? route : { ...route, describe: { ...route.describe, reply } }
  })
}
