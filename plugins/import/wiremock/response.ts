/** `response` of a stub of WireMock, as a step of a rule. */
import type { Json, JsonObject } from 'svc/plugin'
import { isRecord } from 'svc/toolkit'
import type { Translate } from '../templates/handlebars.ts'
import { Members } from '../source/members.ts'
import { checkedDelay, wholeMs } from '../stub/delay.ts'
import { filled } from '../stub/filled.ts'
import { headerLines, textOf, type Stub } from '../stub/stub.ts'
import type { ItemPath } from '../types.ts'
import { wiremockTemplate } from './template.ts'

const FAULTS: Readonly<Record<string, string>> = {
  CONNECTION_RESET_BY_PEER: 'reset',
  EMPTY_RESPONSE: 'empty',
  MALFORMED_RESPONSE_CHUNK: 'bad-chunk',
  RANDOM_DATA_THEN_CLOSE: 'garbage',
}
/** The 99 % quantile of the standard normal distribution. */
const Z99 = 2.3263
const MAX_CHUNKS = 200
const MAX_REASON = 100
/** Folders with bodies, seen from the folder of the tool. */
const BODY_FOLDERS = ['__files', '../__files', '.']

/** The upstreams of stubs that forward. */
export interface Upstreams {
  /** The name of the upstream with a base URL; undefined if it cannot be one. */
  nameOf(url: string): string | undefined
}

/** The step. */
export async function readResponse(response: Members, stub: Stub, upstreams: Upstreams): Promise<JsonObject> {
  response.ignore('fromConfiguredStub')
  const delay = readDelay(response, stub)
  const companions: JsonObject = delay === null ? {} : { delay }
  const fault = response.text('fault')
  if (fault !== undefined) {
    const abort = Object.hasOwn(FAULTS, fault) ? FAULTS[fault] : undefined
    if (abort === undefined) stub.lost(response.at('fault'), 'this fault has no counterpart')
    else {
      response.ignore(
        'status',
        'statusMessage',
        'headers',
        'body',
        'jsonBody',
        'base64Body',
        'bodyFileName',
        'transformers',
      )
      stub.others(response, 'lost')
      return { ...companions, abort }
    }
  }
  const base = response.text('proxyBaseUrl')
  const upstream = base === undefined ? undefined : upstreams.nameOf(base)
  if (base !== undefined && upstream === undefined)
    stub.lost(response.at('proxyBaseUrl'), 'an upstream needs the URL of an HTTP server, without a query')
  if (upstream !== undefined) return { ...companions, forward: readForward(response, upstream, stub) }
  return { ...companions, respond: await readRespond(response, stub) }
}

function readForward(response: Members, upstream: string, stub: Stub): Json {
  const set = stub.headers(
    headerLines(response.record('additionalProxyRequestHeaders'), response.at('additionalProxyRequestHeaders')),
  )
  const remove = response.list('removeProxyRequestHeaders').map(textOf)
  const prefix = response.text('proxyUrlPrefixToRemove')
  response.ignore('status', 'transformers')
  stub.others(response, 'lost')
  if (Object.keys(set).length === 0 && remove.length === 0 && prefix === undefined) return upstream
  return {
    upstream,
    ...(prefix === undefined ? {} : { strip_prefix: prefix }),
    ...(Object.keys(set).length === 0 ? {} : { set_headers: set }),
    ...(remove.length === 0 ? {} : { remove_headers: remove }),
  }
}

async function readRespond(response: Members, stub: Stub): Promise<JsonObject> {
  const isTemplate = readTransformers(response, stub)
  const parameters = response.take('transformerParameters')
  const translate = isTemplate ? wiremockTemplate(isRecord(parameters) ? (parameters as JsonObject) : {}) : null
  const lines = headerLines(response.record('headers'), response.at('headers'))
  const fields = lines.map(([name, value, path]) => [name, filled(value, path, translate, stub), path] as const)
  const headers = stub.headers(fields.map(([name, { text }, path]) => [name, text, path]))
  const body = await readBody(response, translate, stub)
  const respond: JsonObject = {
    ...readStatus(response, stub),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(hasType(headers) ? {} : { content_type: null }),
    ...body,
    ...(fields.some(([, value]) => value.isTemplate)
      ? { template: true }
      : body.template === undefined
        ? { template: false }
        : {}),
  }
  const dribble = response.object('chunkedDribbleDelay')
  if (dribble !== undefined) addChunks(respond, dribble, stub)
  stub.others(response, 'lost')
  return respond
}

function hasType(headers: JsonObject | Record<string, unknown>): boolean {
  return Object.keys(headers).some(name => name.toLowerCase() === 'content-type')
}

function readStatus(response: Members, stub: Stub): JsonObject {
  const status = response.take('status')
  const reason = response.text('statusMessage')
  const isStatus = typeof status === 'number' && Number.isInteger(status) && status >= 200 && status <= 599
  if (status !== undefined && !isStatus)
    stub.lost(response.at('status'), 'expected a status from 200 to 599; 200 is sent')
  const isReason = reason !== undefined && reason.length <= MAX_REASON && /^[\x20-\x7e]+$/.test(reason)
  if (reason !== undefined && reason !== '' && !isReason)
    stub.lost(response.at('statusMessage'), `expected up to ${MAX_REASON} printable ASCII characters`)
  return { status: isStatus ? status : 200, ...(isReason ? { reason } : {}) }
}

/** Whether the response is a template. */
function readTransformers(response: Members, stub: Stub): boolean {
  const names = response.list('transformers').map(textOf)
  for (const name of names.filter(one => one !== 'response-template'))
    stub.lost(response.at('transformers'), `the transformer ${name.slice(0, 100)} is code`)
  return names.includes('response-template')
}

async function readBody(response: Members, translate: Translate | null, stub: Stub): Promise<JsonObject> {
  const json = response.take('jsonBody')
  const text = json === undefined ? response.text('body') : JSON.stringify(json)
  const path = response.at(json === undefined ? 'body' : 'jsonBody')
  const base64 = response.text('base64Body')
  const file = response.text('bodyFileName')
  if (text !== undefined) {
    const converted = filled(text, path, translate, stub)
    return stub.body(converted.text, converted.isTemplate, json === undefined ? '.txt' : '.json')
  }
  if (base64 !== undefined) return stub.body(Buffer.from(base64, 'base64'), false)
  return file === undefined ? {} : readBodyFile(file, response.at('bodyFileName'), translate, stub)
}

async function readBodyFile(
  name: string,
  path: ItemPath,
  translate: Translate | null,
  stub: Stub,
): Promise<JsonObject> {
  if (translate !== null && name.includes('{{')) {
    stub.lost(path, 'the name of the file is a template; the response has no body')
    return {}
  }
  const content = await stub.importing.readBody(stub.file, name, BODY_FOLDERS)
  if (!Buffer.isBuffer(content)) {
    stub.lost(path, `${content.problem}; the response has no body`)
    return {}
  }
  if (translate === null || !content.includes('{{')) return stub.bodyFile(name, content, false)
  const { text, isTemplate } = filled(content.toString(), path, translate, stub)
  return stub.body(text, isTemplate)
}

/** The delays of a response, in milliseconds or as a distribution; null: none. */
export function readDelay(response: Members, stub: Stub): Json | null {
  const fixed = response.number('fixedDelayMilliseconds')
  const distribution = response.object('delayDistribution')
  if (distribution !== undefined) {
    if (fixed !== undefined && fixed > 0)
      stub.changed(response.at('fixedDelayMilliseconds'), 'only the distribution delays the response')
    const read = readDistribution(distribution, stub)
    return read === null ? null : checkedDelay(read, distribution.path, stub)
  }
  return fixed === undefined || fixed <= 0 ? null : wholeMs(fixed, response.at('fixedDelayMilliseconds'), stub)
}

function readDistribution(given: Members, stub: Stub): Json | null {
  const type = given.text('type')
  const [median, sigma] = [given.number('median'), given.number('sigma')]
  const [lower, upper] = [given.number('lower'), given.number('upper')]
  const ms = given.number('milliseconds')
  const max = given.number('maxValue')
  stub.others(given, 'lost')
  if (max !== undefined) stub.changed(given.at('maxValue'), 'longer delays are not cut')
  if (type === 'lognormal' && median !== undefined && sigma !== undefined && median > 0)
    return { lognormal: { median, p99: Math.round(median * Math.exp(Z99 * sigma) * 100) / 100 } }
  if (type === 'uniform' && lower !== undefined && upper !== undefined && lower <= upper)
    return { uniform: [lower, upper] }
  if (type === 'fixed' && ms !== undefined) return wholeMs(ms, given.at('milliseconds'), stub)
  stub.lost(given.path, 'this distribution has no counterpart')
  return null
}

/** The body in equal parts, over a time. */
function addChunks(respond: JsonObject, dribble: Members, stub: Stub): void {
  const wanted = dribble.number('numberOfChunks') ?? 1
  const chunks = Math.min(MAX_CHUNKS, Math.floor(wanted))
  if (wanted > MAX_CHUNKS) stub.changed(dribble.at('numberOfChunks'), `at most ${MAX_CHUNKS} parts are sent`)
  const duration = dribble.number('totalDuration') ?? 0
  stub.others(dribble, 'lost')
  const { body, body_base64: base64, template } = respond
  const bytes =
    typeof base64 === 'string' ? Buffer.from(base64, 'base64') : typeof body === 'string' ? Buffer.from(body) : null
  if (bytes === null || template === true || chunks < 1)
    return stub.lost(dribble.path, 'only bodies that are neither templates nor files are sent in parts')
  const size = Math.max(1, Math.ceil(bytes.length / chunks))
  const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  )
  delete respond.body
  delete respond.body_base64
  const after = wholeMs(duration / chunks, dribble.at('totalDuration'), stub)
  respond.chunks = parts.map(part => ({ after_ms: after, base64: part.toString('base64') }))
}
