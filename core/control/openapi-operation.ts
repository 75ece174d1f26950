/** Owns one operation of the OpenAPI document: parameters, bodies, replies and the examples that fill them in. */
import type { JsonSchema, RouteDescription, RouteExample, RouteParameter } from '../contract/plugin.ts'
import { readParameters, templateParameters } from '../contract/path-template.ts'
import type { Operation } from './operations.ts'

/** An Operation Object (OpenAPI 3.1.0, 4.8.10), as far as it is written here. */
export interface OpenapiOperation {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  parameters?: OpenapiParameter[]
  requestBody?: { description?: string; required?: boolean; content: Record<string, MediaType> }
  responses: Record<string, { description: string; content?: Record<string, MediaType> }>
  /** Null: the core's own. */
  'x-svc-plugin': string | null
  'x-svc-protocol': 'http' | 'sse' | 'websocket'
}
export interface OpenapiParameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: JsonSchema
  example?: string
}
interface MediaType {
  schema: JsonSchema
  examples?: Record<string, { value: unknown }>
}

/** Media types of the bodies that examples can have. */
const BODY_TYPES = { json: /[/+]json$/, xml: /[/+]xml$/, form: /^application\/x-www-form-urlencoded$/ } as const
/** Methods whose request body has no meaning (RFC 9110, 9.3); tools refuse a description of one. */
const BODILESS: ReadonlySet<string> = new Set(['get', 'head', 'trace'])

/** One Operation Object for all operations that share a method and a path; the first one gives its name and replies. */
export function buildOperation(slot: { method: string; operationId: string; parameterNames: string[]; sharing: Operation[] }): OpenapiOperation {
  const { method, operationId, parameterNames, sharing } = slot
  const first = sharing[0] as Operation
  const text = describeAll(sharing)
  const parameters = mergeParameters(sharing, parameterNames, method)
  const withBody = BODILESS.has(method) ? undefined : sharing.find((operation) => operation.description.requestBody)
  return {
    operationId,
    tags: [...new Set(sharing.map((operation) => operation.description.category))],
    summary: first.description.summary,
    ...(text && { description: text }),
    ...(parameters.length > 0 && { parameters }),
    ...(withBody && { requestBody: buildRequestBody(withBody, method) }),
    responses: buildResponses(first.description),
    'x-svc-plugin': first.plugin,
    'x-svc-protocol': first.description.protocol ?? 'http',
  }
}

/** The first one's description, then what else the same method and path serve. */
function describeAll([first, ...others]: Operation[]): string {
  const also = others.map(({ path, description }) => [`Also \`${path}\`: ${description.summary}.`, description.description].filter(Boolean).join(' '))
  return [first?.description.description, ...also].filter(Boolean).join('\n\n')
}

/** Every parameter of the path is declared; a declared path parameter that the path does not have is left out. */
function mergeParameters(sharing: Operation[], names: string[], method: string): OpenapiParameter[] {
  const merged = new Map<string, OpenapiParameter>()
  for (const operation of sharing) {
    for (const parameter of [...pathParameters(operation, names), ...otherParameters(operation, method)]) {
      const key = `${parameter.in} ${parameter.name.toLowerCase()}`
      if (!merged.has(key)) merged.set(key, parameter)
    }
  }
  return [...merged.values()]
}

function pathParameters({ path, description }: Operation, names: string[]): OpenapiParameter[] {
  const values = firstOf(description.examples, (example) => readParameters(path, splitTarget(example.path).path))
  return templateParameters(path).map(({ name, isWildcard }, index) => {
    const declared = description.parameters?.find((parameter) => parameter.in === 'path' && parameter.name.replace(/^\*/, '') === name)
    const text = declared?.description ?? (isWildcard ? 'The rest of the path, slashes included.' : undefined)
    return {
      name: names[index] as string,
      in: 'path',
      required: true,
      ...(text && { description: text }),
      schema: declared?.schema ?? { type: 'string' },
      ...(values?.[index] && { example: values[index] }),
    }
  })
}

function otherParameters({ description }: Operation, method: string): OpenapiParameter[] {
  const queries = description.examples.filter((example) => fitsMethod(example, method)).map((example) => splitTarget(example.path).query)
  return (description.parameters ?? [])
    .filter((parameter) => parameter.in === 'query' || parameter.in === 'header')
    .map((parameter) => {
      const example = parameter.in === 'query' ? firstOf(queries, (query) => query.get(parameter.name)) : null
      return {
        name: parameter.name,
        in: parameter.in,
        required: parameter.required ?? false,
        ...(parameter.description && { description: parameter.description }),
        schema: parameter.schema ?? { type: 'string' },
        ...(example && isText(parameter) && { example }),
      }
    })
}

/** An example of a number or a list would have to be written as such; the text of a query is neither. */
function isText({ schema }: RouteParameter): boolean {
  return schema?.type === undefined || schema.type === 'string'
}

function buildRequestBody({ description }: Operation, method: string): OpenapiOperation['requestBody'] {
  const body = description.requestBody as NonNullable<RouteDescription['requestBody']>
  const examples = description.examples.filter((example) => fitsMethod(example, method) && example.body != null)
  return {
    ...(body.description && { description: body.description }),
    ...(body.required !== undefined && { required: body.required }),
    content: Object.fromEntries(Object.entries(body.content).map(([mediaType, schema]) => [mediaType, { schema, ...bodyExamples(examples, mediaType) }])),
  }
}

function bodyExamples(examples: RouteExample[], mediaType: string): Pick<MediaType, 'examples'> {
  const fitting = examples.filter((example) => example.bodyType && BODY_TYPES[example.bodyType].test(mediaType))
  if (fitting.length === 0) return {}
  return { examples: Object.fromEntries(fitting.map((example) => [example.name, { value: example.bodyType === 'json' ? parseJson(example.body) : example.body }])) }
}

function buildResponses({ responses, protocol, summary, negotiated }: RouteDescription): OpenapiOperation['responses'] {
  const described = Object.entries(responses ?? {}).flatMap(([status, response]) => {
    const key = status === 'default' ? status : status.toUpperCase()
    if (!/^(?:default|[1-5](?:\d\d|XX))$/.test(key)) return []
    const { description, content } = response
    return [[key, { description, ...(content && { content: mapSchemas(content) }) }] as const]
  })
  if (described.length > 0) return Object.fromEntries(described)
  if (protocol === 'websocket') return { 101: { description: 'Switching protocols' } }
  if (protocol === 'sse') return { 200: { description: summary, content: { 'text/event-stream': { schema: { type: 'string' } } } } }
  return { 200: { description: summary, ...(negotiated && { content: { 'application/json': { schema: {} }, 'application/xml': { schema: {} } } }) } }
}

function mapSchemas(content: Record<string, JsonSchema>): Record<string, MediaType> {
  return Object.fromEntries(Object.entries(content).map(([mediaType, schema]) => [mediaType, { schema }]))
}

function fitsMethod(example: RouteExample, method: string): boolean {
  return example.method === undefined || example.method.toLowerCase() === method
}

function splitTarget(target: string): { path: string; query: URLSearchParams } {
  const mark = target.indexOf('?')
  return mark < 0 ? { path: target, query: new URLSearchParams() } : { path: target.slice(0, mark), query: new URLSearchParams(target.slice(mark + 1)) }
}

function parseJson(text: string | null | undefined): unknown {
  try {
    return JSON.parse(text ?? 'null')
  } catch {
    return text
  }
}

function firstOf<T, R>(items: T[], find: (item: T) => R | null): R | null {
  for (const item of items) {
    const found = find(item)
    if (found !== null) return found
  }
  return null
}
