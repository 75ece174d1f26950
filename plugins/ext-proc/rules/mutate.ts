/** The step `mutate` of rules about the processor: reads its value. */
import type { Json, JsonObject } from 'svc/plugin'
import {
  asBoolean,
  asInteger,
  asMembers,
  asObject,
  asText,
  below,
  type HeaderChanges,
  type HeaderLine,
  InputProblem,
  isRecord,
  isToken,
  type JsonPatch,
  readHeaderChanges,
  readJsonPatch,
  readLines,
  readStepMembers,
} from 'svc/toolkit'
import type { ServiceStep } from '../../gateway-services/types.ts'
import type { BodyMode, ModeOverride } from '../phase.ts'

const KEYS = ['request', 'response', 'immediate', 'metadata', 'mode']
const REQUEST_KEYS = ['headers', 'path', 'method', 'host', 'body', 'clear_body', 'trailers', 'clear_route_cache']
const RESPONSE_KEYS = ['headers', 'status', 'body', 'clear_body', 'trailers']
const IMMEDIATE_KEYS = ['status', 'headers', 'body', 'grpc_status', 'details']
const MODE_KEYS = ['request_body', 'response_body', 'request_trailers', 'response_trailers']
const BODY_MODES: Readonly<Record<string, BodyMode>> = {
  none: 'NONE',
  buffered: 'BUFFERED',
  streamed: 'STREAMED',
  full_duplex: 'FULL_DUPLEX_STREAMED',
}
const MAX_TEXT = 1024 * 1024
const MAX_LINE = 8192
const MAX_REPLACED = 20
const MAX_GRPC_STATUS = 16

export type BodyStep =
  | { kind: 'text'; text: string }
  | { kind: 'patch'; patch: JsonPatch }
  | { kind: 'replace'; pairs: readonly (readonly [from: string, to: string])[] }

export interface SideStep {
  /** With `:path`, `:method`, `:authority` and `:status`. */
  head: HeaderChanges
  body: BodyStep | null
  trailers: HeaderChanges | null
  clearsRouteCache: boolean
}

export interface ImmediateStep {
  status: number
  head: HeaderChanges
  body: Json
  grpcStatus: number | null
  details: string
}

export interface MutateStep {
  request: SideStep | null
  response: SideStep | null
  immediate: ImmediateStep | null
  metadata: JsonObject | null
  mode: ModeOverride | null
}

export const MUTATE: ServiceStep = {
  keys: KEYS,
  read(value, at): MutateStep {
    const given = readStepMembers(value, at, KEYS, 1)
    const other = KEYS.find(key => key !== 'immediate' && given[key] !== undefined)
    if (given.immediate !== undefined && other !== undefined)
      throw new InputProblem(below(at, other), `${other} can't be used together with immediate`)
    return {
      request: given.request === undefined ? null : readSide(given.request, below(at, 'request'), REQUEST_KEYS),
      response: given.response === undefined ? null : readSide(given.response, below(at, 'response'), RESPONSE_KEYS),
      immediate: given.immediate === undefined ? null : readImmediate(given.immediate, below(at, 'immediate')),
      metadata: given.metadata === undefined ? null : readMetadata(given.metadata, below(at, 'metadata')),
      mode: given.mode === undefined ? null : readMode(given.mode, below(at, 'mode')),
    }
  },
}

/** Namespaces, each with an object. */
function readMetadata(value: Json, at: string): JsonObject {
  const given = asObject(value, at)
  for (const [namespace, fields] of Object.entries(given)) asObject(fields, below(at, namespace))
  return given
}

function readSide(value: Json, at: string, keys: readonly string[]): SideStep {
  const given = asMembers(value, at, keys)
  if (given.body !== undefined && given.clear_body !== undefined)
    throw new InputProblem(below(at, 'clear_body'), 'expected either body or clear_body')
  const head = readHeaderChanges(given.headers, below(at, 'headers'))
  return {
    head: { ...head, set: [...readPseudo(given, at), ...head.set] },
    body:
      given.clear_body !== undefined && asBoolean(given.clear_body, below(at, 'clear_body'))
        ? { kind: 'text', text: '' }
        : given.body === undefined
          ? null
          : readBody(given.body, below(at, 'body')),
    trailers: given.trailers === undefined ? null : readHeaderChanges(given.trailers, below(at, 'trailers')),
    clearsRouteCache:
      given.clear_route_cache !== undefined && asBoolean(given.clear_route_cache, below(at, 'clear_route_cache')),
  }
}

function readPseudo(given: JsonObject, at: string): HeaderLine[] {
  const lines: HeaderLine[] = []
  if (given.method !== undefined) {
    const method = asText(given.method, below(at, 'method'), 40)
    if (!isToken(method)) throw new InputProblem(below(at, 'method'), 'expected a method such as POST')
    lines.push([':method', method])
  }
  if (given.path !== undefined) {
    const path = asText(given.path, below(at, 'path'), MAX_LINE)
    if (!/^\/[\x21-\x7e]*$/.test(path.replace(/\{\{[^{}]*\}\}/g, '')))
      throw new InputProblem(below(at, 'path'), 'expected a path that begins with /, with its query')
    lines.push([':path', path])
  }
  if (given.host !== undefined) {
    const host = asText(given.host, below(at, 'host'), 255, 1)
    if (!/^[\x21-\x7e]+$/.test(host))
      throw new InputProblem(below(at, 'host'), 'expected a host, with an optional port')
    lines.push([':authority', host])
  }
  if (given.status !== undefined)
    lines.push([':status', String(asInteger(given.status, below(at, 'status'), 200, 599))])
  return lines
}

function readBody(value: Json, at: string): BodyStep {
  if (typeof value === 'string') return { kind: 'text', text: asText(value, at, MAX_TEXT) }
  const keys = isRecord(value) && !Array.isArray(value) ? Object.keys(value) : []
  const { json_patch: patch, replace } = keys.length === 1 ? (value as JsonObject) : {}
  if (patch !== undefined) return { kind: 'patch', patch: readJsonPatch(patch, below(at, 'json_patch')) }
  if (replace === undefined)
    throw new InputProblem(at, 'expected a text, {"json_patch": […]} or {"replace": [[from, to]]}')
  return { kind: 'replace', pairs: readPairs(replace, below(at, 'replace')) }
}

function readPairs(value: Json, at: string): [string, string][] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_REPLACED)
    throw new InputProblem(at, `expected a list of 1 to ${MAX_REPLACED} pairs [from, to]`)
  return value.map((pair, index) => {
    if (!Array.isArray(pair) || pair.length !== 2)
      throw new InputProblem(below(at, index), 'expected a pair [from, to] of texts')
    return [
      asText(pair[0], below(below(at, index), 0), MAX_LINE, 1),
      asText(pair[1], below(below(at, index), 1), MAX_LINE),
    ]
  })
}

function readImmediate(value: Json, at: string): ImmediateStep {
  const given = asMembers(value, at, IMMEDIATE_KEYS)
  return {
    status: asInteger(given.status, below(at, 'status'), 200, 599),
    head: readHeaderChanges(given.headers, below(at, 'headers')),
    body: given.body ?? '',
    grpcStatus:
      given.grpc_status === undefined
        ? null
        : asInteger(given.grpc_status, below(at, 'grpc_status'), 0, MAX_GRPC_STATUS),
    details: given.details === undefined ? '' : readLines({ details: given.details }, at)[0]![1],
  }
}

function readMode(value: Json, at: string): ModeOverride {
  const given = asMembers(value, at, MODE_KEYS)
  const body = (key: string): BodyMode | undefined => {
    const word = given[key]
    if (word === undefined) return undefined
    if (typeof word === 'string' && Object.hasOwn(BODY_MODES, word)) return BODY_MODES[word]!
    throw new InputProblem(below(at, key), `expected one of ${Object.keys(BODY_MODES).join(', ')}`)
  }
  const trailers = (key: string): 'SEND' | 'SKIP' | undefined => {
    const word = given[key]
    if (word === undefined) return undefined
    if (word === 'send' || word === 'skip') return word === 'send' ? 'SEND' : 'SKIP'
    throw new InputProblem(below(at, key), 'expected send or skip')
  }
  return {
    ...defined('requestBody', body('request_body')),
    ...defined('responseBody', body('response_body')),
    ...defined('requestTrailers', trailers('request_trailers')),
    ...defined('responseTrailers', trailers('response_trailers')),
  }
}

function defined<Name extends string, Value>(name: Name, value: Value | undefined): { [name in Name]?: Value } {
  return (value === undefined ? {} : { [name]: value }) as { [name in Name]?: Value }
}
