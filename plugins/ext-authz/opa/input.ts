/** Reads the input document of a query: what a gateway asks about, in the forms in which gateways send it. */
import type { Json, JsonObject } from 'svc/plugin'
import { asText, below, InputProblem, isRecord } from 'svc/toolkit'
import type { GivenRequest } from '../../gateway-services/types.ts'

export interface OpaInput {
  /** Name of the policy; null: the default. */
  policy: string | null
  given: GivenRequest
  principal: string
  parameter(name: string): string | undefined
}

const MAX_TEXT = 65_536
const MAX_METHOD = 40
const MAX_HEADERS = 500
/** Other members are parameters of policies. */
const OF_REQUEST = ['policy', 'method', 'path', 'headers', 'body', 'query', 'host', 'scheme', 'attributes', 'request']

/** `gatewayIp` is the address of the gateway, for inputs without a source. Throws an `InputProblem`. */
export function readInput(value: Json, gatewayIp: string): OpaInput {
  const input = isRecord(value) ? (value as JsonObject) : {}
  const attributes = recordIn(input, 'attributes')
  const [http, at] = requestOf(input, attributes)
  const source = recordIn(attributes, 'source')
  const socket = recordIn(recordIn(source, 'address'), 'socketAddress')
  const path = readPath(http.path, below(at, 'path'))
  const headers = readHeaders(http.headers, below(at, 'headers'))
  const host = readText(http.host, below(at, 'host'), MAX_TEXT)
  const address = readText(socket.address, 'input.attributes.source.address.socketAddress.address', MAX_TEXT)
  return {
    policy: input.policy === undefined ? null : asText(input.policy, 'input.policy', MAX_TEXT),
    principal: readText(source.principal, 'input.attributes.source.principal', MAX_TEXT) ?? '',
    given: {
      method: readText(http.method, below(at, 'method'), MAX_METHOD) ?? 'GET',
      url: path,
      scheme: http.scheme === 'https' ? 'https' : 'http',
      clientIp: address ?? gatewayIp,
      rawHeaders: host === undefined ? headers : ['host', host, ...withoutHost(headers)],
      body: Buffer.from(readText(http.body, below(at, 'body'), Infinity) ?? ''),
    },
    parameter(name) {
      const text = OF_REQUEST.includes(name) || !Object.hasOwn(input, name) ? undefined : input[name]
      return typeof text === 'string' || typeof text === 'number' ? String(text) : undefined
    },
  }
}

/** OPA-Envoy, then Kong, then APISIX, then the members themselves. */
function requestOf(input: JsonObject, attributes: JsonObject): [http: JsonObject, at: string] {
  const ofEnvoy = recordIn(attributes, 'request').http
  if (isRecord(ofEnvoy)) return [ofEnvoy as JsonObject, 'input.attributes.request.http']
  const request = recordIn(input, 'request')
  if (isRecord(request.http)) return [request.http as JsonObject, 'input.request.http']
  return isRecord(input.request) ? [request, 'input.request'] : [input, 'input']
}

function recordIn(value: JsonObject, name: string): JsonObject {
  const member = Object.hasOwn(value, name) ? value[name] : undefined
  return isRecord(member) ? (member as JsonObject) : {}
}

/** A text with its query, or a list of decoded segments. */
function readPath(value: Json | undefined, at: string): string {
  if (value === undefined) return '/'
  if (Array.isArray(value)) {
    const segments = value.map((segment, index) => encodeURIComponent(asText(segment, below(at, index), MAX_TEXT)))
    return `/${segments.join('/')}`
  }
  const text = asText(value, at, MAX_TEXT)
  if (/^\/[\x21-\x7e\x80-\xff]*$/.test(text)) return text
  throw new InputProblem(at, 'expected a path that begins with "/", or a list of segments')
}

/** Values are texts or lists of texts. Names and values alternate in the result. */
function readHeaders(value: Json | undefined, at: string): string[] {
  if (value == null) return []
  if (!isRecord(value)) throw new InputProblem(at, 'expected an object of names and texts')
  const lines = Object.entries(value as JsonObject).flatMap(([name, values]) =>
    (Array.isArray(values) ? values : [values]).flatMap(text => [name, asText(text, below(at, name), MAX_TEXT)]),
  )
  if (lines.length > 2 * MAX_HEADERS) throw new InputProblem(at, `expected at most ${MAX_HEADERS} headers`)
  return lines
}

function withoutHost(rawHeaders: readonly string[]): string[] {
  return rawHeaders.filter((_text, index) => rawHeaders[index - (index % 2)]!.toLowerCase() !== 'host')
}

function readText(value: Json | undefined, at: string, max: number): string | undefined {
  return value == null || value === '' ? undefined : asText(value, at, max)
}
