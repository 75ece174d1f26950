/** Sends valid and invalid requests for an OpenAPI document, and compares the responses with it. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { fetch } from 'undici'

type Json = Record<string, unknown>
interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  schema: Json
  example?: unknown
}
interface Media {
  schema?: Json
  examples?: Record<string, { value: unknown }>
}
interface Response {
  description: string
  content?: Record<string, Media>
}
export interface Operation {
  operationId: string
  summary: string
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content: Record<string, Media> }
  responses: Record<string, Response>
  'x-svc-protocol': string
}
export interface Document {
  components: { schemas: Record<string, Json> }
  paths: Record<string, Record<string, Operation>>
}

/** A request generated from the document. */
export interface Probe {
  method: string
  path: string
  template: string
  headers: Record<string, string>
  body?: string
  operation: Operation
}

/** Milliseconds; a slower response is a requested delay. */
const PATIENCE_MS = 1500
/** Bytes of a response that are validated against its schema; the rest is not read. */
const MAX_BODY = 1_000_000
/** Without TRACE, which fetch cannot send. */
const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'options', 'head']

/** Operations below the same two path segments, such as `/ai/openai`, with which the values of a shared header are sent. */
const OPERATIONS_OF_A_HEADER = 2

/** A normal request for each operation, then one for each other parameter value and each invalid body. */
export function* probesOf(document: Document): Generator<Probe> {
  const sharedHeaders = new Map<string, number>()
  for (const [template, item] of Object.entries(document.paths)) {
    const varied = new Set<string>()
    for (const method of METHODS) {
      const operation = item[method]
      if (operation === undefined || operation['x-svc-protocol'] !== 'http') continue
      const parameters = operation.parameters ?? []
      const usual = new Map(parameters.filter(isSent).map(parameter => [parameter, usualValue(parameter)]))
      const bodies = bodiesOf(operation)
      const build = (values: Map<Parameter, string>, body: { type: string; text: string } | undefined): Probe => ({
        ...requestOf(method, template, values, body),
        operation,
      })
      for (const body of bodies) yield build(usual, body)
      // A route for any method is listed once per method.
      if (varied.has(operation.summary)) continue
      varied.add(operation.summary)
      for (const parameter of parameters) {
        if (parameter.in === 'header') {
          const key = [...template.split('/', 3), parameter.name, JSON.stringify(parameter.schema)].join(' ')
          const count = sharedHeaders.get(key) ?? 0
          if (count >= OPERATIONS_OF_A_HEADER) continue
          sharedHeaders.set(key, count + 1)
        }
        for (const value of valuesOf(parameter)) yield build(new Map([...usual, [parameter, value]]), bodies[0])
      }
    }
  }
}

/** Describes what is wrong with the response; null if nothing is. */
export async function checkProbe(url: string, probe: Probe, validator: SchemaChecker): Promise<string | null> {
  const leave = new AbortController()
  const timer = setTimeout(() => leave.abort(), PATIENCE_MS)
  try {
    const response = await fetch(url + probe.path, {
      method: probe.method.toUpperCase(),
      headers: probe.headers,
      redirect: 'manual',
      signal: leave.signal,
      ...(probe.body === undefined ? {} : { body: probe.body }),
    })
    const documented = responseFor(probe.operation, response.status)
    if (documented === undefined) return `status ${response.status} is not documented`
    const type = (response.headers.get('content-type') ?? '').split(';', 1)[0]!.trim().toLowerCase()
    if (documented.content === undefined || type === '' || probe.method === 'head') return null
    const media =
      documented.content[type] ?? documented.content[`${type.split('/', 1)[0]}/*`] ?? documented.content['*/*']
    if (media === undefined) return `media type ${type} of a ${response.status} is not documented`
    // Lines of JSON, of Cohere's older API, are a text.
    if (type === 'application/stream+json') return null
    if (!/[/+]json$/.test(type) || Object.keys(media.schema ?? {}).length === 0) return null
    // The client does not decode this encoding.
    if (response.headers.get('content-encoding') === 'zstd') return null
    const text = await response.text()
    if (text.length > MAX_BODY) return null
    try {
      return validator.check(media.schema as Json, JSON.parse(text))
    } catch (error) {
      if (error instanceof SyntaxError) return `the body is not JSON: ${error.message}`
      throw error
    }
  } catch (error) {
    if (leave.signal.aborted) return null
    throw error
  } finally {
    clearTimeout(timer)
    leave.abort()
  }
}

const DOCUMENT = 'svc:document'

/** Caches compiled schemas, since many responses share one. */
export class SchemaChecker {
  readonly #absolute = new Map<string, Json>()
  #ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: false })
  /** References of named schemas are relative to the document. */
  constructor({ components }: Pick<Document, 'components'>) {
    this.#ajv.addSchema({ $id: DOCUMENT, components })
  }

  /** Describes what is wrong with the value; null if nothing is. */
  check(schema: Json, value: unknown): string | null {
    const text = JSON.stringify(schema)
    let absolute = this.#absolute.get(text)
    if (absolute === undefined) {
      absolute = JSON.parse(text.replaceAll('"$ref":"#', `"$ref":"${DOCUMENT}#`)) as Json
      this.#absolute.set(text, absolute)
    }
    return this.#ajv.validate(absolute, value) ? null : this.#ajv.errorsText()
  }
}

function responseFor({ responses }: Operation, status: number): Response | undefined {
  return responses[status] ?? responses[`${String(status)[0]}XX`] ?? responses.default
}

function isSent({ required, in: place }: Parameter): boolean {
  return required || place === 'path'
}

function usualValue({ example, schema }: Parameter): string {
  return String(example ?? validValues(schema)[0] ?? 'x')
}

/** Valid and invalid values for a schema. Strings for headers contain only characters that HTTP allows. */
function valuesOf({ schema, in: place, name }: Parameter): string[] {
  if (/^x-svc-(?:delay|latency|ttft|abort)/i.test(name)) return []
  const bad = ['abc', '-1', '99999999999999999999', '1.5', ...(place === 'header' ? [] : ['', 'ä/ö', '%00', '{"a":1}'])]
  return [...validValues(schema).map(String), ...bad.filter(value => place !== 'path' || value !== '')]
}

function validValues(schema: Json): unknown[] {
  if (Array.isArray(schema.enum)) return schema.enum
  if (schema.default !== undefined) return [schema.default]
  switch (schema.type) {
    case 'integer':
    case 'number':
      return [
        schema.minimum ?? 1,
        ...(typeof schema.maximum === 'number' && schema.maximum <= 100 ? [schema.maximum] : []),
      ]
    case 'boolean':
      return [true, false]
    case 'array':
      return [[]]
    case 'object':
      return [{}]
    default:
      return ['x']
  }
}

/** Request bodies; undefined means a request without one. */
function bodiesOf({ requestBody }: Operation): ({ type: string; text: string } | undefined)[] {
  if (requestBody === undefined) return [undefined]
  const documented = Object.entries(requestBody.content).flatMap(([type, { examples = {} }]) =>
    Object.values(examples).map(({ value }) => ({ type, text: textOf(type, value) })),
  )
  const [first = 'application/json'] = Object.keys(requestBody.content)
  return [
    ...documented,
    { type: first, text: '{' },
    { type: first, text: '[]' },
    { type: first, text: '{}' },
    { type: first, text: '{"x":null}' },
    { type: 'text/plain', text: 'plain' },
    { type: 'application/octet-stream', text: '\u0000' },
    undefined,
  ]
}

function textOf(type: string, value: unknown): string {
  if (typeof value === 'string') return value
  if (type === 'application/x-www-form-urlencoded')
    return new URLSearchParams(value as Record<string, string>).toString()
  return JSON.stringify(value)
}

function requestOf(
  method: string,
  template: string,
  values: ReadonlyMap<Parameter, string>,
  body: { type: string; text: string } | undefined,
): Omit<Probe, 'operation'> {
  let path = template
  const query = new URLSearchParams()
  const headers: Record<string, string> = {}
  for (const [{ in: place, name }, value] of values) {
    if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value))
    else if (place === 'query') query.append(name, value)
    else headers[name] = value
  }
  if (body !== undefined) headers['content-type'] = body.type
  return {
    method,
    template,
    path: query.size === 0 ? path : `${path}?${query}`,
    headers,
    ...(body === undefined || method === 'get' || method === 'head' ? {} : { body: body.text }),
  }
}
