/** The body of `POST /_svc/probe/runs`. */
import { HttpError, refusal, type Json, type JsonObject } from 'svc/plugin'
import {
  asBoolean,
  asInteger,
  asObject,
  asText,
  below,
  InputProblem,
  rejectUnknownKeys,
  unknownName,
} from 'svc/toolkit'
import { newGroupsOf, selectChecks } from '../catalog/selection.ts'
import type { Check } from '../catalog/check.ts'
import { readAddress, type Address } from '../client/address.ts'
import { readPairs, type PairPattern } from '../pairs/pair.ts'
import type { Wire } from '../wires/types.ts'
import type { Field } from '../client/response-parser.ts'
import { NO_ROUTES, readRoutes, type Routes } from '../client/routes.ts'

export const RUN_SCHEMA = {
  type: 'object',
  required: ['target'],
  properties: {
    target: { type: 'string', description: 'URL of the gateway' },
    groups: { type: 'array', items: { type: 'string' } },
    checks: { type: 'array', items: { type: 'string' } },
    pairs: { type: 'array', items: { type: 'string' }, description: 'Pairs of wires, such as messages:converse' },
    hostile: { type: 'boolean' },
    slow: { type: 'boolean' },
    h2: { type: 'boolean' },
    insecure: { type: 'boolean' },
    repeat: { type: 'integer', minimum: 1, maximum: 10 },
    prefix: { type: 'string' },
    headers: { type: 'object', additionalProperties: { type: 'string' } },
    allow_target: {
      type: 'boolean',
      description: 'Take gateways that svc.yaml does not list, for this run',
    },
    host: { type: 'string' },
    routes: { type: 'object' },
    name: { type: 'string' },
    configuration: { type: 'string' },
  },
} as const
const KEYS = Object.keys(RUN_SCHEMA.properties)
const MAX_HEADERS = 50
const MAX_CONFIGURATION = 256 * 1024
const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/

export interface RunRequest {
  target: Address
  /** The sender of the request allows its addresses. */
  allowsTarget: boolean
  checks: Check[]
  groups: string[] | null
  ids: string[] | null
  pairs: PairPattern[] | null
  isHostile: boolean
  isSlow: boolean
  isHttp2: boolean
  isInsecure: boolean
  repeat: number
  prefix: string
  fields: Field[]
  /** Host of the requests, instead of that of the target. */
  host: string | null
  routes: Routes
  name: string | null
  configuration: string | null
}

/** What plugins may have added to. */
export interface RunContext {
  catalog: readonly Check[]
  wires: readonly Wire[]
}

/** Throws `HttpError` for a body that is not valid. */
export function readRunBody(body: Buffer, context: RunContext, repeat: number): RunRequest {
  let value: unknown
  try {
    value = JSON.parse(body.toString())
  } catch {
    throw refusal(400, 'invalid_body', 'expected a JSON object')
  }
  try {
    return readRunRequest(value, context, repeat)
  } catch (error) {
    if (!(error instanceof InputProblem)) throw error
    const details = error.at === '' ? error.message : `${error.at}: ${error.message}`
    throw new HttpError(400, { error: 'invalid_body', details, ...(error.remedy && { remedy: error.remedy }) })
  }
}

/** Throws `InputProblem`. */
function readRunRequest(value: unknown, { catalog, wires }: RunContext, repeat: number): RunRequest {
  const body = asObject(value, '', 'expected a JSON object')
  rejectUnknownKeys(body, KEYS, '')
  const target = readAddress(asText(body.target, 'target', 2_000, 1))
  if (typeof target === 'string') throw new InputProblem('target', target)
  const groups = listOf(body.groups, 'groups')
  const ids = listOf(body.checks, 'checks')
  const chosen = selectChecks(catalog, { groups, ids })
  if ('unknown' in chosen) {
    const { message, remedy } = unknownName(chosen.kind, chosen.unknown, chosen.known)
    throw new InputProblem(chosen.kind === 'group' ? 'groups' : 'checks', message, remedy)
  }
  return {
    target,
    allowsTarget: flag(body, 'allow_target'),
    checks: chosen,
    groups,
    ids,
    pairs: pairsOf(listOf(body.pairs, 'pairs'), wires),
    isHostile: flag(body, 'hostile'),
    isSlow: flag(body, 'slow'),
    isHttp2: flag(body, 'h2'),
    isInsecure: flag(body, 'insecure'),
    repeat: body.repeat === undefined ? repeat : asInteger(body.repeat, 'repeat', 1, 10),
    prefix: prefixOf(body.prefix),
    fields: fieldsOf(body.headers),
    host: hostOf(body.host),
    routes: routesOf(body.routes, { newGroups: newGroupsOf(catalog), wires }),
    name: body.name === undefined || body.name === null ? null : asText(body.name, 'name', 200),
    configuration:
      body.configuration === undefined || body.configuration === null
        ? null
        : asText(body.configuration, 'configuration', MAX_CONFIGURATION),
  }
}

function flag(body: JsonObject, key: string): boolean {
  return body[key] === undefined ? false : asBoolean(body[key], key)
}

function listOf(value: Json | undefined, at: string): string[] | null {
  if (value === undefined || value === null) return null
  if (!Array.isArray(value) || value.length > 500) throw new InputProblem(at, 'expected a list of texts')
  return value.map((word, index) => asText(word, below(at, index), 100, 1))
}

function prefixOf(value: Json | undefined): string {
  if (value === undefined) return ''
  const text = asText(value, 'prefix', 1_000)
  if (text === '' || text === '/') return ''
  if (!/^\/[\w.~!$&'()*+,;=:@%/-]*$/.test(text)) throw new InputProblem('prefix', 'expected a path such as /svc')
  return text.endsWith('/') ? text.slice(0, -1) : text
}

function fieldsOf(value: Json | undefined): Field[] {
  if (value === undefined) return []
  const headers = Object.entries(asObject(value, 'headers'))
  if (headers.length > MAX_HEADERS) throw new InputProblem('headers', `expected at most ${MAX_HEADERS} fields`)
  return headers.map(([name, one]) => {
    const at = below('headers', name)
    if (!TOKEN.test(name)) throw new InputProblem(at, 'the name is not valid')
    if (name.toLowerCase() === 'host') throw new InputProblem(at, 'the Host field is given as "host"')
    const text = asText(one, at, 8_192)
    if (/[^\t\u0020-\u007e\u0080-\u00ff]/.test(text)) throw new InputProblem(at, 'the value has control characters')
    return [name, text.trim()] as const
  })
}

function hostOf(value: Json | undefined): string | null {
  if (value === undefined || value === null) return null
  const host = asText(value, 'host', 255, 1)
  if (!/^[\w.:[\]-]+$/.test(host)) throw new InputProblem('host', 'expected a name such as api.example')
  return host
}

function pairsOf(words: string[] | null, wires: readonly Wire[]): PairPattern[] | null {
  if (words === null) return null
  const read = readPairs(
    words,
    wires.map(({ id }) => id),
  )
  if (typeof read === 'string') throw new InputProblem('pairs', read)
  return read
}

function routesOf(value: Json | undefined, how: { newGroups: readonly string[]; wires: readonly Wire[] }): Routes {
  if (value === undefined) return { ...NO_ROUTES, wires: how.wires }
  const read = readRoutes(value, how)
  if (typeof read !== 'string') return read
  throw new InputProblem('routes', read)
}
