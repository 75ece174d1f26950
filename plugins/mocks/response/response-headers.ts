/** The declared headers of a response, with values. */
import { isOriginWide, isRecord, isToken } from 'svc/toolkit'
import type { CompiledApi } from '../api/compiled-api.ts'
import type { SampleOptions } from '../schema/sample.ts'
import type { Parameter, ResponseDefinition } from '../document/operations.ts'
import { own, ownObject, type Json, type JsonObject } from '../document/json.ts'

/** Headers that the server sets, or that would change how clients read the body. */
const NEVER =
  /^(?:connection|content-encoding|content-length|content-type|date|keep-alive|proxy-.*|set-cookie2|te|trailer|transfer-encoding|upgrade|x-request-id|x-svc-.*|access-control-.*)$/i

/** Whether a document may set a header of that name. */
export function isTakenFromDocuments(name: string): boolean {
  return isToken(name) && !NEVER.test(name) && !isOriginWide(name)
}

/** Makes a value valid for a header: no line breaks, only Latin-1. */
export function headerText(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replaceAll(/[^\t\x20-\x7e\xa0-\xff]/g, '')
}

/** Encodes a name from a document as a header token: percent-encoded, without lone surrogates. */
export function headerToken(name: string): string {
  return encodeURIComponent(name.replaceAll(/[\uD800-\uDFFF]/gu, ''))
}

/** Names and values. A value is the `example`, else the first of `examples`, else generated from the schema. */
export function documentHeaders(
  api: CompiledApi,
  response: Pick<ResponseDefinition, 'headers'>,
  options: SampleOptions,
): [string, string][] {
  const headers: [string, string][] = []
  for (const [name, definition] of response.headers) {
    if (!isTakenFromDocuments(name)) continue
    const example = exampleOf(api, definition)
    const value =
      example === undefined
        ? generated(api, definition, { ...options, seed: `${options.seed}/header/${name.toLowerCase()}` })
        : example
    const text = headerText(serialize(value))
    options.budgets.output.take(name.length + text.length)
    headers.push([name, text])
  }
  return headers
}

/** Names and values of the header parameters of a request that the mock sends. */
export function parameterHeaders(
  api: CompiledApi,
  parameters: readonly Parameter[],
  options: SampleOptions,
): [string, string][] {
  const headers = new Map(parameters.filter(entry => entry.in === 'header').map(({ name, raw }) => [name, raw]))
  return documentHeaders(api, { headers }, options)
}

function exampleOf(api: CompiledApi, definition: JsonObject): Json | undefined {
  if (Object.hasOwn(definition, 'example')) return definition['example']
  for (const entry of Object.values(ownObject(definition, 'examples') ?? {})) {
    const value = own(api.document.resolve(entry), 'value')
    if (value !== undefined) return value
  }
  return undefined
}

function generated(api: CompiledApi, definition: JsonObject, options: SampleOptions): Json {
  const media = Object.values(ownObject(definition, 'content') ?? {})[0]
  const schema = own(definition, 'schema') ?? (isRecord(media) ? own(media, 'schema') : undefined)
  return api.sampler.sample(schema ?? { type: 'string' }, options)
}

/** Style `simple` (OpenAPI 3.1.1, 4.21.1). */
function serialize(value: Json): string {
  if (Array.isArray(value))
    return value.map(item => (typeof item === 'object' ? JSON.stringify(item) : String(item))).join(',')
  if (isRecord(value))
    return Object.entries(value)
      .map(([name, member]) => `${name},${typeof member === 'object' ? JSON.stringify(member) : String(member)}`)
      .join(',')
  return value === null ? '' : String(value)
}
