/** Random bytes, streamed lines, links, base64 and identifiers. */
import { randomBytes, randomUUID } from 'node:crypto'
import { escapeHtml, trimEndCharacters } from 'svc/toolkit'
import type { Call } from '../call.ts'
import { Failure } from '../failure.ts'
import type { Operation } from '../operation.ts'
import { goInteger, pathNumber } from '../request/numbers.ts'
import { goLine, pythonLine } from '../response/json.ts'
import { isSafeType, sandbox } from '../response/markup.ts'
import { HTTPBIN_LINKS, HTTPBIN_RANGE, HTTPBIN_STREAM, HTTPBIN_UUID } from '../replies.ts'

/** Bytes by count and seed; null means random ones. */
export type MakeBytes = (count: number, seed: string | null) => Buffer

/** Bytes of the operating system; without the plugin that makes them reproducible, a seed is not supported. */
function unseeded(count: number, seed: string | null): Buffer {
  if (seed !== null) throw new Failure(400, 'the seed needs the plugin transfer')
  return randomBytes(count)
}

const CHUNK = 10_240
/** The smallest chunk that is sent on its own keeps a response within 10240 chunks. */
const MAX_CHUNKS = 10_240

/** Text of a whole number in a query of httpbin. */
function queryInteger(call: Call, name: string): number | undefined {
  const text = call.queryValue(name)
  if (text === undefined || (call.isGo && text === '')) return undefined
  if (call.isGo) return goInteger(text, `invalid ${name}`, name === 'seed' ? 'ParseInt' : 'Atoi')
  if (!/^\s*[+-]?\d{1,100}\s*$/.test(text)) throw new Failure(400, `the ${name} must be a whole number`)
  return Number(text)
}

function byteCount(call: Call): number {
  const text = call.parameter('n')
  if (!call.isGo) return Math.min(pathNumber(text), call.limit(102_400, 10_240))
  const count = goInteger(text, 'invalid byte count')
  if (count < 0) throw new Failure(400, `invalid byte count: ${count} must be greater than 0`)
  const max = call.limit(1_048_576, 10_240)
  if (count > max) throw new Failure(400, `invalid byte count: ${count} not in range [1, ${max}]`)
  return count
}

function readBytes(call: Call, makeBytes: MakeBytes): Buffer {
  const count = byteCount(call)
  const seed = queryInteger(call, 'seed')
  return makeBytes(count, seed === undefined ? null : String(seed))
}

function streamBytes(call: Call, makeBytes: MakeBytes): unknown {
  const bytes = readBytes(call, makeBytes)
  if (call.isGo && bytes.length === 0) return call.empty(200)
  const wanted = queryInteger(call, 'chunk_size') ?? CHUNK
  const chunk = Math.max(1, wanted, Math.ceil(bytes.length / MAX_CHUNKS))
  call.reply.header('Content-Type', 'application/octet-stream')
  const stream = call.svc.streams.body(call.request, call.reply)
  return call.writePaced(stream, Math.ceil(bytes.length / chunk), 0, index =>
    bytes.subarray(index * chunk, (index + 1) * chunk),
  )
}

/** Facts of the request, without the method, in the order that each original writes them. */
export async function lineFacts(call: Call): Promise<(id: number) => string> {
  const { args, headers, origin, url } = await call.describeRequest(['args', 'headers', 'origin', 'url'])
  return call.isGo
    ? id => `${goLine({ id, args, headers, origin, url })}\n`
    : id => `${pythonLine({ url, args, headers, origin, id })}\n`
}

async function streamLines(call: Call): Promise<unknown> {
  const text = call.parameter('n')
  const max = call.limit(100, 20)
  const count = call.isGo
    ? Math.max(1, Math.min(goInteger(text, 'invalid count'), max))
    : Math.min(pathNumber(text), max)
  const line = await lineFacts(call)
  call.reply.header('Content-Type', call.isGo ? 'text/plain; charset=utf-8' : 'application/json')
  return call.writePaced(call.svc.streams.body(call.request, call.reply), count, 0, line)
}

const MAX_LINKS = { httpbin: 200, 'go-httpbin': 256 }

function linkCount(call: Call): number {
  const text = call.parameter('n')
  const max = call.limit(MAX_LINKS[call.original], 200)
  if (!call.isGo) return Math.max(1, Math.min(pathNumber(text), max))
  const count = goInteger(text, 'invalid link count')
  if (count < 0 || count > max) throw new Failure(400, `invalid link count: ${count} must be in range [0, ${max}]`)
  return count
}

function sendLinks(call: Call): unknown {
  const count = linkCount(call)
  const text = call.parameter('offset')
  const current = call.isGo ? goInteger(text, 'invalid offset') : pathNumber(text)
  const quote = call.isGo ? '"' : "'"
  const path = escapeHtml(call.path('/links'))
  const links = Array.from({ length: count }, (_, index) =>
    index === current ? `${index} ` : `<a href=${quote}${path}/${count}/${index}${quote}>${index}</a> `,
  )
  return call.send(
    'text/html; charset=utf-8',
    `<html><head><title>Links</title></head><body>${links.join('')}</body></html>`,
  )
}

const MAX_BASE64 = 16_384

/** httpbin decodes the URL-safe alphabet, with padding; characters of no alphabet are skipped. */
function sendHttpbinBase64(call: Call): unknown {
  sandbox(call)
  const digits = call.parameter('value').replace(/[^A-Za-z0-9+/=_-]/g, '')
  const bytes = Buffer.from(digits, 'base64')
  const isPadded = trimEndCharacters(digits, '=').length % 4 !== 1 && digits.length % 4 === 0
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  try {
    if (!isPadded) throw new TypeError('the padding is missing')
    return call.send('text/html; charset=utf-8', text.decode(bytes))
  } catch {
    return call.send('text/html; charset=utf-8', 'Incorrect Base64 data try: SFRUUEJJTiBpcyBhd2Vzb21l')
  }
}

function sendGoBase64(call: Call): unknown {
  const operation = call.parameter('operation') || 'decode'
  const value = call.parameter('value')
  if (value.length > MAX_BASE64) throw new Failure(400, `input data exceeds max length of ${MAX_BASE64}`)
  const chosen = call.queryValue('content-type') ?? ''
  if (/[^\x20-\x7e]/.test(chosen)) throw new Failure(400, 'the content-type must be printable ASCII')
  const type = chosen === '' ? 'text/plain; charset=utf-8' : chosen
  const result = transform(operation, value)
  if (isSafeType(type)) return call.send(type, result)
  sandbox(call)
  return call.send(type, escapeHtml(result.toString()))
}

function transform(operation: string, value: string): Buffer {
  if (operation === 'encode')
    return Buffer.from(Buffer.from(value).toString('base64').replaceAll('+', '-').replaceAll('/', '_'))
  if (operation !== 'decode') throw new Failure(400, `invalid operation: ${operation}`)
  const isOneAlphabet = /^(?:[A-Za-z0-9+/]*|[A-Za-z0-9_-]*)={0,2}$/.test(value)
  if (!isOneAlphabet || value.length % 4 !== 0)
    throw new Failure(400, `base64 decode failed: illegal base64 data at input byte ${firstBadByte(value)}`)
  return Buffer.from(value, 'base64')
}

/** The position that go-httpbin names: the first character outside of the standard alphabet, else the incomplete group. */
function firstBadByte(value: string): number {
  const bad = value.search(/[^A-Za-z0-9+/]/)
  return bad === -1 || value[bad] === '=' ? value.length - (value.length % 4) : bad
}

const bytesParameters = [
  {
    name: 'seed',
    in: 'query' as const,
    description: 'A whole number; the same seed gives the same bytes',
    schema: { type: 'integer' },
  },
]

export function dataOperations(makeBytes: MakeBytes = unseeded): Operation[] {
  return [
    {
      path: '/bytes/{n}',
      summary: 'Random bytes',
      reply: HTTPBIN_RANGE,
      parameters: bytesParameters,
      examples: [{ name: 'Ten', path: '/bytes/10' }],
      handle(call) {
        const bytes = readBytes(call, makeBytes)
        if (call.isGo && bytes.length === 0) return call.empty(200)
        return call.send('application/octet-stream', bytes)
      },
    },
    {
      path: '/stream-bytes/{n}',
      summary: 'Random bytes in chunks',
      reply: HTTPBIN_RANGE,
      parameters: [
        ...bytesParameters,
        { name: 'chunk_size', in: 'query', schema: { type: 'integer', default: CHUNK } },
      ],
      examples: [{ name: 'Ten', path: '/stream-bytes/10' }],
      handle: call => streamBytes(call, makeBytes),
    },
    {
      path: '/stream/{n}',
      summary: 'Lines of JSON',
      reply: HTTPBIN_STREAM,
      examples: [{ name: 'Three', path: '/stream/3' }],
      handle: streamLines,
    },
    {
      path: '/links/{n}',
      summary: 'Redirect to the first page of links',
      examples: [{ name: 'Ten', path: '/links/10', status: 302 }],
      // httpbin limits the number on the page only.
      handle: call =>
        call.redirect(call.path(`/links/${call.isGo ? linkCount(call) : pathNumber(call.parameter('n'))}/0`), {
          hasPage: true,
        }),
    },
    {
      path: '/links/{n}/{offset}',
      summary: 'A page of links',
      reply: HTTPBIN_LINKS,
      examples: [{ name: 'Ten', path: '/links/10/0' }],
      handle: sendLinks,
    },
    {
      path: '/base64/{value}',
      summary: 'Decode base64',
      reply: HTTPBIN_LINKS,
      examples: [{ name: 'Text', path: '/base64/SFRUUEJJTiBpcyBhd2Vzb21l' }],
      handle: call => (call.isGo ? sendGoBase64(call) : sendHttpbinBase64(call)),
    },
    {
      path: '/base64/{operation}/{value}',
      summary: 'Encode or decode base64',
      methods: { httpbin: null },
      atRoot: true,
      examples: [{ name: 'Encode', path: '/base64/encode/hello' }],
      handle: sendGoBase64,
    },
    {
      path: '/uuid',
      summary: 'A random UUID',
      reply: HTTPBIN_UUID,
      examples: [{ name: 'UUID', path: '/uuid' }],
      handle: call => call.json({ uuid: randomUUID() }),
    },
  ]
}
