/** The body of `POST /_svc/demos/runs`. */
import { HttpError, refusal, type Json, type JsonObject } from 'svc/plugin'
import {
  asBoolean,
  asInteger,
  asObject,
  asText,
  below,
  fieldProblem,
  InputProblem,
  isToken,
  rejectUnknownKeys,
  trimEndCharacters,
  unknownName,
} from 'svc/toolkit'
import type { CheckField, ClientAddress, ClientRoutes, ProbeClient } from '../../probe/types.ts'
import type { ListedDemo } from '../catalog/catalog.ts'
import { MAX_FILE_BYTES } from '../file/bounds.ts'
import type { Demo, Variable } from '../file/demo.ts'
import { readDemoText, type DemoProblem } from '../file/demo-document.ts'
import { withValues } from '../file/read-demo.ts'

const texts = { type: 'object', additionalProperties: { type: 'string' } } as const
export const RUN_SCHEMA = {
  type: 'object',
  required: ['target'],
  properties: {
    demo: { type: 'string', description: 'Name of a demo' },
    inline: { type: 'object', description: 'A demo, in place of a name' },
    target: { type: 'string', description: 'URL of the gateway, or `direct`: without a gateway' },
    set: { type: 'object', description: 'Values of variables' },
    lanes: { ...texts, description: 'Lanes that are other instances: their URLs' },
    control: { type: 'boolean', description: 'Runs without the gateway afterwards too, and compares' },
    step: { type: 'integer', minimum: 1, description: 'Number of the first step' },
    stepwise: { type: 'boolean', description: 'Waits for `next` before each step' },
    yes: { type: 'boolean', description: 'What steps ask for is done' },
    tap: {
      type: 'boolean',
      description: 'Forwards `/s/<run>/proxy/gateway/…` to the gateway, so that what a client sends there is seen too',
    },
    stop_at_first: { type: 'boolean', description: 'Ends at the first step that is not seen' },
    allow_target: { type: 'boolean', description: 'Takes gateways that svc.yaml does not list, for this run' },
    prefix: { type: 'string' },
    host: { type: 'string' },
    headers: texts,
    insecure: { type: 'boolean', description: 'Accepts every certificate of the gateway' },
    routes: { type: 'object', description: 'As a file of `svc probe --routes`' },
  },
} as const

const KEYS = Object.keys(RUN_SCHEMA.properties)
const MAX_HEADERS = 50

export interface RunRequest {
  demo: Demo
  values: Record<string, Variable>
  /** Null: straight to svc. */
  target: ClientAddress | null
  lanes: Record<string, ClientAddress>
  control: boolean
  fromStep: number
  isStepwise: boolean
  isYes: boolean
  stopAtFirst: boolean
  isTapped: boolean
  allowsTarget: boolean
  isInsecure: boolean
  prefix: string
  host: string | null
  fields: CheckField[]
  routes: ClientRoutes | null
}

/** Throws `HttpError` for a body that is not valid, with the place of what is wrong. */
export function readRunBody(body: Buffer, demos: readonly ListedDemo[], client: ProbeClient): RunRequest {
  const value = readJson(body.toString(), 'invalid_run')
  try {
    return readRun(value, demos, client)
  } catch (error) {
    if (!(error instanceof InputProblem)) throw error
    throw invalidRun(error)
  }
}

/** Throws 400 with this error. */
export function readJson(text: string, error: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw refusal(400, error, 'expected a JSON object')
  }
}

function invalidRun({ at, message, remedy }: InputProblem): HttpError {
  return new HttpError(400, {
    error: 'invalid_run',
    ...(at === '' ? {} : { at }),
    details: message,
    ...(remedy === undefined ? {} : { remedy }),
  })
}

/** Throws `InputProblem`, or `HttpError` for a demo that does not exist or is not valid. */
function readRun(value: unknown, demos: readonly ListedDemo[], client: ProbeClient): RunRequest {
  const body = asObject(value as Json, '', 'expected a JSON object')
  rejectUnknownKeys(body, KEYS, '')
  const demo = demoOf(body, demos)
  const flag = (key: string): boolean => body[key] !== undefined && asBoolean(body[key], key)
  const target = asText(body.target, 'target', 2000, 1)
  const lanes = Object.entries(memberOf(body, 'lanes')).map(([name, url]): [string, ClientAddress] => {
    const at = below('lanes', name)
    if (!demo.lanes.includes(name)) {
      const { message, remedy } = unknownName('lane', name, demo.lanes)
      throw new InputProblem(at, message, remedy)
    }
    return [name, addressOf(client, asText(url, at, 2000, 1), at)]
  })
  return {
    demo,
    values: withValues(demo.variables, memberOf(body, 'set')),
    target: target === 'direct' ? null : addressOf(client, target, 'target'),
    lanes: Object.fromEntries(lanes),
    control: flag('control'),
    fromStep: body.step === undefined ? 1 : asInteger(body.step, 'step', 1, demo.steps.length),
    isStepwise: flag('stepwise'),
    isYes: flag('yes'),
    stopAtFirst: flag('stop_at_first'),
    isTapped: tapOf(flag('tap'), target),
    allowsTarget: flag('allow_target'),
    isInsecure: flag('insecure'),
    prefix: prefixOf(body.prefix),
    host: hostOf(body.host),
    fields: fieldsOf(memberOf(body, 'headers')),
    routes: routesOf(body.routes, client),
  }
}

function demoOf(body: JsonObject, demos: readonly ListedDemo[]): Demo {
  if (body.demo !== undefined && body.inline !== undefined)
    throw new InputProblem('inline', 'demo and inline cannot be combined')
  if (body.inline !== undefined) return readInline(JSON.stringify(asObject(body.inline, 'inline')))
  return findDemo(asText(body.demo, 'demo', 100, 1), demos).demo
}

/** Throws 404 with the nearest name. */
export function findDemo(name: string, demos: readonly ListedDemo[]): ListedDemo {
  const found = demos.find(({ demo }) => demo.demo === name)
  if (found !== undefined) return found
  const names = demos.map(({ demo }) => demo.demo)
  const { message, remedy } = unknownName('demo', name.slice(0, 100), names)
  throw new HttpError(404, { error: 'unknown_demo', details: message, remedy })
}

/** A demo in a request. Throws 400 `invalid_demo` with the first mistake. */
export function readInline(text: string): Demo {
  if (Buffer.byteLength(text) > MAX_FILE_BYTES)
    throw invalidDemo({ at: '', details: `expected at most ${MAX_FILE_BYTES} bytes (the bound of a file)`, line: null })
  const read = readDemoText(text)
  if ('problems' in read) throw invalidDemo(read.problems[0]!)
  return read.demo
}

function invalidDemo({ at, details, remedy, line }: DemoProblem): HttpError {
  return new HttpError(400, {
    error: 'invalid_demo',
    at,
    details,
    ...(line === null ? {} : { line }),
    ...(remedy === undefined ? {} : { remedy }),
  })
}

function tapOf(isWanted: boolean, target: string): boolean {
  if (isWanted && target === 'direct') throw new InputProblem('tap', 'without a gateway there is one side only')
  return isWanted
}

function memberOf(body: JsonObject, key: string): JsonObject {
  return body[key] === undefined || body[key] === null ? {} : asObject(body[key], key)
}

function addressOf(client: ProbeClient, url: string, at: string): ClientAddress {
  const address = client.address(url)
  if (typeof address === 'string') throw new InputProblem(at, address)
  return address
}

function prefixOf(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  const prefix = trimEndCharacters(asText(value, 'prefix', 1000), '/')
  if (prefix !== '' && !/^\/[\w.~!$&'()*+,;=:@%/-]*$/.test(prefix))
    throw new InputProblem('prefix', 'expected a path such as /svc')
  return prefix
}

function hostOf(value: Json | undefined): string | null {
  if (value === undefined || value === null) return null
  const host = asText(value, 'host', 255, 1)
  if (!/^[\w.:[\]-]+$/.test(host)) throw new InputProblem('host', 'expected a name such as api.example')
  return host
}

function fieldsOf(headers: JsonObject): CheckField[] {
  const entries = Object.entries(headers)
  if (entries.length > MAX_HEADERS) throw new InputProblem('headers', `expected at most ${MAX_HEADERS} fields`)
  return entries.map(([name, value]) => {
    const at = below('headers', name)
    if (name.toLowerCase() === 'host') throw new InputProblem(at, 'the Host field is given as "host"')
    const text = asText(value, at, 8192).trim()
    if (!isToken(name) || fieldProblem(name, text) !== null)
      throw new InputProblem(at, 'expected the name and value of a header')
    return [name, text]
  })
}

function routesOf(value: Json | undefined, client: ProbeClient): ClientRoutes | null {
  if (value === undefined || value === null) return null
  const routes = client.routes(value)
  if (typeof routes === 'string') throw new InputProblem('routes', routes)
  return routes
}
