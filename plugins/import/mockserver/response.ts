/** `httpResponse` of MockServer, as a step of a rule. */
import type { Json, JsonObject } from 'svc/plugin'
import { isRecord } from 'svc/toolkit'
import { Members } from '../source/members.ts'
import { textOf, type Stub } from '../stub/stub.ts'
import type { ItemPath } from '../types.ts'
import { namedValues } from './conditions.ts'
import { templateText } from './template.ts'
import { readDelay } from './times.ts'

const MAX_REASON = 100

/** The step. `isTemplate`: texts have references. */
export async function readResponse(response: Members, stub: Stub, isTemplate = false): Promise<JsonObject> {
  const delay = readDelay(response, stub)
  const status = Number(response.take('statusCode') ?? 200)
  const isStatus = Number.isInteger(status) && status >= 200 && status <= 599
  if (!isStatus) stub.lost(response.at('statusCode'), 'expected a status from 200 to 599; 200 is sent')
  const reason = response.text('reasonPhrase')
  const isReason = reason !== undefined && reason.length <= MAX_REASON && /^[\x20-\x7e]+$/.test(reason)
  if (reason !== undefined && !isReason)
    stub.lost(response.at('reasonPhrase'), `expected up to ${MAX_REASON} printable ASCII characters`)
  const lines = lineList(response.take('headers'), response.at('headers'))
  for (const { name, values, at } of namedValues(response.take('cookies') ?? null, response.at('cookies')))
    lines.push(['Set-Cookie', `${name}=${textOf(values[0])}`, at])
  const { body, type } = await readBody(response.take('body'), response.at('body'), stub, isTemplate)
  const headers = stub.headers(lines)
  const hasType = Object.keys(headers).some(name => name.toLowerCase() === 'content-type')
  if (!hasType && type !== null) headers['Content-Type'] = type
  response.ignore('keepAlive', 'recordedMetadata', 'primary')
  stub.others(response, 'lost')
  return {
    ...(delay === null ? {} : { delay }),
    respond: {
      status: isStatus ? status : 200,
      ...(isReason ? { reason } : {}),
      ...(Object.keys(headers).length === 0 ? {} : { headers }),
      ...(hasType || type !== null ? {} : { content_type: null }),
      ...body,
      template: isTemplate,
    },
  }
}

/** Header lines of an object or a list. */
export function lineList(given: Json | undefined, path: ItemPath): [string, string, ItemPath][] {
  return namedValues(given ?? null, path).flatMap(({ name, values, at }) =>
    values.map((value): [string, string, ItemPath] => [name, textOf(value), at]),
  )
}

interface Body {
  body: JsonObject
  type: string | null
}

async function readBody(body: Json | undefined, path: ItemPath, stub: Stub, isTemplate: boolean): Promise<Body> {
  if (body === undefined) return { body: {}, type: null }
  if (typeof body === 'string') return { body: stub.body(body, isTemplate), type: null }
  const given = isRecord(body) ? new Members(body as JsonObject, path) : null
  if (given !== null && isRecord(body) && body.type === 'FILE') return readBodyFile(given, stub)
  const kind = given === null ? undefined : bodyMember(body as JsonObject)
  if (given === null || kind === undefined) {
    stub.changed(path, 'the JSON is sent without the white space that MockServer adds')
    return { body: stub.body(JSON.stringify(body), isTemplate, '.json'), type: 'application/json' }
  }
  const type = given.text('contentType')
  const value = given.take(kind)
  given.ignore('type', 'charset', 'rawBytes', 'matchType', 'subString', 'not')
  stub.others(given, 'lost')
  if (kind === 'base64Bytes')
    return { body: stub.body(Buffer.from(textOf(value), 'base64'), false), type: type ?? null }
  if (kind !== 'json')
    return {
      body: stub.body(textOf(value), isTemplate),
      type: type ?? (kind === 'xml' ? 'application/xml; charset=utf-8' : null),
    }
  if (typeof value !== 'string')
    stub.changed(given.at('json'), 'the JSON is sent without the white space that MockServer adds')
  return {
    body: stub.body(typeof value === 'string' ? value : JSON.stringify(value ?? null), isTemplate, '.json'),
    type: type ?? 'application/json',
  }
}

/** A body in a file, which can be a template. */
async function readBodyFile(given: Members, stub: Stub): Promise<Body> {
  const type = given.text('contentType') ?? null
  const [name, template] = [given.text('filePath') ?? '', given.text('templateType')]
  given.ignore('type', 'charset', 'not', 'optional')
  stub.others(given, 'lost')
  const content = await stub.importing.readBody(stub.file, name, ['.'])
  if (!Buffer.isBuffer(content)) {
    stub.lost(given.at('filePath'), `${content.problem}; the response has no body`)
    return { body: {}, type }
  }
  if (template === undefined) return { body: stub.bodyFile(name, content, false), type }
  const converted = templateText(template.toUpperCase(), content.toString())
  if ('text' in converted) return { body: stub.body(converted.text, true), type }
  stub.lost(given.at('templateType'), `${converted.problem}; the file is sent as it is`)
  return { body: stub.bodyFile(name, content, false), type }
}

/** The member with the content of a typed body; undefined for JSON that is meant as it is. */
function bodyMember(body: JsonObject): string | undefined {
  const own = Object.keys(body).filter(
    name => !['type', 'contentType', 'charset', 'rawBytes', 'not', 'matchType', 'subString'].includes(name),
  )
  const isTyped = typeof body.type === 'string' && ['STRING', 'JSON', 'BINARY', 'XML'].includes(body.type)
  return own.length === 1
    ? ['string', 'json', 'base64Bytes', 'xml'].find(
        name => name === own[0] && (isTyped || own.length === Object.keys(body).length),
      )
    : undefined
}
