/** Builds an operation of the OpenAPI document: parameters, bodies, responses and examples. */
import type { JsonSchema, ReplyContent, RouteDescription, RouteExample } from '../contract/plugin.ts'
import { readParameters, templateParameters } from '../toolkit/path-template.ts'
import { securityOf } from './openapi-security.ts'
import type { SchemaReferences } from './openapi-schemas.ts'
import type { Operation } from './operations.ts'

/** The part of an Operation Object (OpenAPI 3.1.0, 4.8.10) that svc uses. */
export interface OpenapiOperation {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  parameters?: OpenapiParameter[]
  requestBody?: { description?: string; required?: boolean; content: Record<string, MediaType> }
  responses: Record<string, { description: string; content?: Record<string, MediaType> }>
  /** One of these is required; an empty object means that no credential is required. */
  security?: Record<string, []>[]
  /** Null for operations of the core. */
  'x-svc-plugin': string | null
  'x-svc-protocol': 'http' | 'sse' | 'websocket'
}
export interface OpenapiParameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: JsonSchema
  example?: string | number | boolean
}
interface MediaType {
  schema: JsonSchema
  examples?: Record<string, { value: unknown }>
}

/** Media types that match each kind of example body. */
const BODY_TYPES = { json: /[/+]json$/, xml: /[/+]xml$/, form: /^application\/x-www-form-urlencoded$/ } as const
/** Media types of bodies without a description. */
const USUAL_TYPES = {
  json: 'application/json',
  xml: 'application/xml',
  form: 'application/x-www-form-urlencoded',
} as const
const JSON_TYPE = USUAL_TYPES.json
/** Methods without a meaningful request body (RFC 9110, 9.3). Tools reject descriptions of such a body. */
const BODILESS: ReadonlySet<string> = new Set(['get', 'head', 'trace'])

/** Builds the Operation Object of all operations with the same method and path. The first one determines the responses. */
export function buildOperation(slot: {
  method: string
  operationId: string
  parameterNames: string[]
  sharing: Operation[]
  schemas: SchemaReferences
}): OpenapiOperation {
  const { method, operationId, parameterNames, sharing, schemas } = slot
  const first = sharing[0] as Operation
  const text = describeAll(sharing)
  const parameters = mergeParameters(sharing, parameterNames, method)
  const withBody = BODILESS.has(method) ? undefined : sharing.find(operation => bodyOf(operation.description, method))
  const security = securityOf(first)
  return {
    operationId,
    tags: [...new Set(sharing.map(operation => operation.description.category))],
    summary: first.description.summary,
    ...(text && { description: text }),
    ...(parameters.length > 0 && {
      parameters: parameters.map(parameter => ({ ...parameter, schema: schemas.refer(parameter.schema) })),
    }),
    ...(withBody && { requestBody: buildRequestBody(withBody, method, schemas) }),
    ...(security && { security }),
    responses: buildResponses(first.description, schemas),
    'x-svc-plugin': first.plugin,
    'x-svc-protocol': first.description.protocol ?? 'http',
  }
}

/** The described request body, otherwise a body of the kinds that the examples send. */
export function bodyOf({ requestBody, examples }: RouteDescription, method: string): RouteDescription['requestBody'] {
  if (requestBody) return requestBody
  const kinds = new Set(
    examples.flatMap(example =>
      fitsMethod(example, method) && example.body != null && example.bodyType ? [example.bodyType] : [],
    ),
  )
  return kinds.size === 0 ? undefined : { content: Object.fromEntries([...kinds].map(kind => [USUAL_TYPES[kind], {}])) }
}

/** The description of the first operation, followed by those of the others. */
function describeAll([first, ...others]: Operation[]): string {
  const also = others.map(({ path, description }) =>
    [`Also \`${path}\`: ${description.summary}.`, description.description].filter(Boolean).join(' '),
  )
  return [first?.description.description, ...also].filter(Boolean).join('\n\n')
}

/** Parameters of all operations. Includes all parameters of the path; declared ones that it does not have are omitted. */
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
  const values = firstOf(description.examples, example => readParameters(path, splitTarget(example.path).path))
  return templateParameters(path).map(({ name, isWildcard }, index) => {
    const declared = description.parameters?.find(
      parameter => parameter.in === 'path' && parameter.name.replace(/^\*/, '') === name,
    )
    const text = declared?.description ?? (isWildcard ? 'The rest of the path, including slashes.' : undefined)
    const schema = declared?.schema ?? { type: 'string' }
    const example = values?.[index] ? typedExample(values[index], schema) : null
    return {
      name: names[index] as string,
      in: 'path',
      required: true,
      ...(text && { description: text }),
      schema,
      ...(example !== null && { example }),
    }
  })
}

function otherParameters({ description }: Operation, method: string): OpenapiParameter[] {
  const queries = description.examples
    .filter(example => fitsMethod(example, method))
    .map(example => splitTarget(example.path).query)
  return (description.parameters ?? [])
    .filter(parameter => parameter.in === 'query' || parameter.in === 'header')
    .map(parameter => {
      const schema = parameter.schema ?? { type: 'string' }
      const text = parameter.in === 'query' ? firstOf(queries, query => query.get(parameter.name)) : null
      const example = text ? typedExample(text, schema) : null
      return {
        name: parameter.name,
        in: parameter.in,
        required: parameter.required ?? false,
        ...(parameter.description && { description: parameter.description }),
        schema,
        ...(example !== null && { example }),
      }
    })
}

/** Converts text of a path or query to a value of the schema; null if it does not match or the type is not supported. */
function typedExample(text: string, schema: JsonSchema): string | number | boolean | null {
  if (Array.isArray(schema.enum) && !schema.enum.some(value => String(value) === text)) return null
  switch (schema.type) {
    case undefined:
    case 'string':
      return text
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : null
    case 'integer':
    case 'number':
      return fitsNumber(text, schema) ? Number(text) : null
    default:
      return null
  }
}

function fitsNumber(text: string, { type, minimum, maximum }: JsonSchema): boolean {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value) || (type === 'integer' && !Number.isSafeInteger(value)))
    return false
  return !(typeof minimum === 'number' && value < minimum) && !(typeof maximum === 'number' && value > maximum)
}

function buildRequestBody(
  { description }: Operation,
  method: string,
  schemas: SchemaReferences,
): OpenapiOperation['requestBody'] {
  const body = bodyOf(description, method) as NonNullable<RouteDescription['requestBody']>
  const examples = description.examples.filter(example => fitsMethod(example, method) && example.body != null)
  return {
    ...(body.description && { description: body.description }),
    ...(body.required !== undefined && { required: body.required }),
    content: Object.fromEntries(
      Object.entries(body.content).map(([mediaType, schema]) => [
        mediaType,
        { schema: schemas.refer(schema), ...bodyExamples(examples, mediaType) },
      ]),
    ),
  }
}

function bodyExamples(examples: RouteExample[], mediaType: string): Pick<MediaType, 'examples'> {
  const fitting = examples.filter(example => example.bodyType && BODY_TYPES[example.bodyType].test(mediaType))
  if (fitting.length === 0) return {}
  return { examples: Object.fromEntries(fitting.map(example => [example.name, { value: exampleValue(example) }])) }
}

/** OpenAPI describes forms as objects (3.1.0, 4.8.14.4). */
function exampleValue({ bodyType, body }: RouteExample): unknown {
  if (bodyType === 'json') return parseJson(body)
  return bodyType === 'form' ? Object.fromEntries(new URLSearchParams(body ?? '')) : body
}

function buildResponses(description: RouteDescription, schemas: SchemaReferences): OpenapiOperation['responses'] {
  const { responses, protocol, summary } = description
  const reply = replyContent(description)
  const described = Object.entries(responses ?? {}).flatMap(([status, response]) => {
    const key = status === 'default' ? status : status.toUpperCase()
    if (!/^(?:default|[1-5](?:\d\d|XX))$/.test(key)) return []
    const content = response.content ?? (/^2(?!0[45])/.test(key) ? reply : undefined)
    return [
      [key, { description: response.description, ...(content && { content: mapSchemas(content, schemas) }) }] as const,
    ]
  })
  if (described.length > 0) return Object.fromEntries(described)
  if (protocol === 'websocket') return { 101: { description: 'Switching protocols' } }
  if (protocol === 'sse')
    return { 200: { description: summary, content: { 'text/event-stream': { schema: { type: 'string' } } } } }
  return { 200: { description: summary, ...(reply && { content: mapSchemas(reply, schemas) }) } }
}

/** The content of successes. A negotiated route has JSON and XML, whose elements are the members of the JSON. */
function replyContent({ reply, negotiated }: RouteDescription): ReplyContent | undefined {
  if (!negotiated) return reply
  const types = Object.keys(reply ?? {})
  if (types.some(type => type !== JSON_TYPE)) return reply
  return { [JSON_TYPE]: reply?.[JSON_TYPE] ?? {}, [USUAL_TYPES.xml]: reply === undefined ? {} : { type: 'string' } }
}

function mapSchemas(content: ReplyContent, schemas: SchemaReferences): Record<string, MediaType> {
  return Object.fromEntries(
    Object.entries(content).map(([mediaType, schema]) => [mediaType, { schema: schemas.refer(schema) }]),
  )
}

function fitsMethod(example: RouteExample, method: string): boolean {
  return example.method === undefined || example.method.toLowerCase() === method
}

function splitTarget(target: string): { path: string; query: URLSearchParams } {
  const mark = target.indexOf('?')
  return mark < 0
    ? { path: target, query: new URLSearchParams() }
    : { path: target.slice(0, mark), query: new URLSearchParams(target.slice(mark + 1)) }
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
