/** The upstream of Envoy AI Gateway's tests: request headers say what must hold, and what to answer. */
import { once } from 'node:events'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Svc } from 'svc/plugin'
import { awsEventFrame, createContentEncoder } from 'svc/toolkit'
import type { Call, Server } from '../request/call.ts'
import { canonicalName } from '../request/go-header.ts'
import { jsonObject } from '../request/json-object.ts'

const EVENT_PAUSE_MS = 200
const MAX_EVENTS = 1000
const zip = promisify(gzip)
/** Bytes by the word of `x-fake-response`. */
const SIZES: Readonly<Record<string, number>> = { small: 5000, medium: 500_000, large: 5_000_000 }

class Unexpected extends Error {}

function decode(text: string): string {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0)
    throw new Unexpected('failed to decode a base64 header')
  return Buffer.from(text, 'base64').toString()
}

/** Pairs `k:v,k:v`. */
function pairs(text: string): [string, string][] {
  return text
    .split(',')
    .filter(part => part !== '')
    .map(part => {
      const colon = part.indexOf(':')
      if (colon <= 0) throw new Unexpected(`invalid header key-value pair ${part}`)
      return [part.slice(0, colon).trim(), part.slice(colon + 1).trim()]
    })
}

/** Throws an `Unexpected` for the first expectation that does not hold, in the order of the original. */
function check(call: Call, id: string): void {
  const { headers } = call.request
  const given = (name: string): string | undefined => {
    const value = headers[name]
    return value === undefined || value === '' ? undefined : String(value)
  }
  const expect = (what: string, expected: string | undefined, got: string): void => {
    if (expected !== undefined && expected !== got)
      throw new Unexpected(`unexpected ${what}: got ${JSON.stringify(got)}, expected ${JSON.stringify(expected)}`)
  }
  const decoded = (name: string): string | undefined => {
    const text = given(name)
    return text === undefined ? undefined : decode(text)
  }
  expect('host', given('x-expected-host'), call.host)
  for (const [name, value] of pairs(decoded('x-expected-headers') ?? ''))
    expect(`header ${name}`, value, call.header.get(canonicalName(name))?.[0] ?? '')
  for (const name of (decoded('x-non-expected-request-headers') ?? '').split(',').filter(one => one !== ''))
    if (call.header.has(canonicalName(name.trim()))) throw new Unexpected(`unexpected header ${name.trim()} is present`)
  expect('testupstream id', given('x-expected-testupstream-id'), id)
  expect('path', decoded('x-expected-path'), call.path)
  expect('raw query', given('x-expected-raw-query'), call.request.url.split('?')[1] ?? '')
  if (
    call.method !== 'GET' &&
    call.method !== 'HEAD' &&
    headers['content-length'] === undefined &&
    given('x-gateway-destination-endpoint') === undefined
  )
    throw new Unexpected('the request has no Content-Length')
  expect('request body', decoded('x-expected-request-body'), call.body.toString())
}

/** Bodies by the path, if the request has none for the answer. */
function usualBody(call: Call): unknown {
  const size = SIZES[String(call.request.headers['x-fake-response'] ?? '')]
  const text = 'x'.repeat(size === undefined ? 0 : Math.min(size, call.limit(5_242_880, 65_536)))
  const { path } = call
  if (path.endsWith('/chat/completions'))
    return {
      id: 'chatcmpl-testupstream',
      object: 'chat.completion',
      choices: [
        { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: text || 'This is a test.' } },
      ],
      usage: { prompt_tokens: 1, completion_tokens: 100, total_tokens: 300 },
    }
  if (path.endsWith('/embeddings'))
    return {
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding: [0.1, 0.2, 0.3, 0.4, 0.5] }],
      usage: { prompt_tokens: 3, total_tokens: 3 },
    }
  if (path === '/non-llm-route') return { message: 'This is a non-LLM endpoint response' }
  throw new Unexpected(`no response for the path ${path}`)
}

/** The events of a body: as they are when it has empty lines, else one for each line. */
function eventsOf(body: string): string[] {
  if (body.includes('\n\n'))
    return body
      .split('\n\n')
      .filter(event => event.trim() !== '')
      .map(event => `${event}\n\n`)
  return body
    .split('\n')
    .filter(line => line !== '')
    .map(line => `data: ${line}\n\n`)
}

async function sendEvents(call: Call, body: string, isZipped: boolean): Promise<unknown> {
  const headers = { 'Content-Type': 'text/event-stream', ...(isZipped ? { 'Content-Encoding': 'gzip' } : {}) }
  const stream = call.svc.streams.body(call.request, call.reply, { headers })
  if (stream === null) return call.reply
  const coder = isZipped ? (await createContentEncoder('gzip')).stream() : null
  coder?.output.on('data', (part: Buffer) => void stream.write(part))
  for (const [index, event] of eventsOf(body).slice(0, MAX_EVENTS).entries()) {
    if (index > 0 && !(await call.svc.http.delay(call.request, EVENT_PAUSE_MS))) break
    if (stream.closed) break
    if (coder !== null) coder.write(Buffer.from(event))
    else if (!stream.write(event)) await stream.ready()
  }
  if (coder !== null) {
    const ended = once(coder.output, 'end')
    coder.output.end()
    await ended
  }
  stream.end()
  return call.reply
}

/** Each line is a frame whose type is the first member of its object, as in Converse; the last frame ends the stream. */
async function sendFrames(call: Call, body: string): Promise<unknown> {
  const headers = { 'Content-Type': 'application/vnd.amazon.eventstream' }
  const stream = call.svc.streams.body(call.request, call.reply, { headers })
  if (stream === null) return call.reply
  const lines = body.split('\n').filter(line => line !== '')
  for (const [index, line] of lines.slice(0, MAX_EVENTS).entries()) {
    if (index > 0 && !(await call.svc.http.delay(call.request, EVENT_PAUSE_MS))) break
    if (stream.closed) break
    const [type = 'chunk'] = Object.keys(jsonObject(line) ?? {})
    if (
      !stream.write(
        awsEventFrame(
          { ':event-type': type.slice(0, 100), ':content-type': 'application/json', ':message-type': 'event' },
          line,
        ),
      )
    )
      await stream.ready()
  }
  stream.write(awsEventFrame({ ':event-type': 'end' }, 'this-is-end'))
  stream.end()
  return call.reply
}

async function answer(call: Call): Promise<unknown> {
  const { headers } = call.request
  const given = headers['x-response-body']
  const body = given === undefined ? JSON.stringify(usualBody(call)) : decode(String(given))
  const wanted = headers['x-response-headers']
  call.setChosen(wanted === undefined ? [] : pairs(decode(String(wanted))))
  const text = String(headers['x-response-status'] ?? '200')
  if (!/^[2-5]\d\d$/.test(text)) throw new Unexpected(`invalid x-response-status ${text.slice(0, 20)}`)
  const status = Number(text)
  switch (headers['x-response-type']) {
    case 'sse':
    case 'sse-gzip':
      return sendEvents(call, body, headers['x-response-type'] === 'sse-gzip')
    case 'aws-event-stream':
      return sendFrames(call, body)
    case 'gzip':
      call.reply.raw.setHeader('Content-Encoding', 'gzip')
      return call.send('application/json', await zip(body), status)
    default:
      return call.send('application/json', body, status)
  }
}

/** `id`: the variable `TESTUPSTREAM_ID`; empty: the id of the instance. */
export function createTestUpstream(svc: Svc<unknown>, id: string): Server {
  const ownId = id === '' ? svc.instance.id : id
  return {
    name: 'testupstream',
    title: "Envoy AI Gateway's test upstream",
    summary: 'Answers as request headers say, if what they expect holds',
    example: '/health',
    mediaTypes: ['application/json', 'text/event-stream', 'text/plain'],
    rootStatus: 400,
    async handle(call) {
      if (call.path === '/health') return call.text('')
      const { raw } = call.reply
      raw.setHeader('testupstream-id', ownId)
      const model = jsonObject(call.body.toString())?.model
      if (typeof model === 'string') call.setChosen([['X-Model', model]])
      try {
        check(call, ownId)
        return await answer(call)
      } catch (error) {
        if (!(error instanceof Unexpected)) throw error
        raw.setHeader('X-TestUpstream-Error', 'true')
        return call.text(`${error.message}\n`, 400)
      }
    },
  }
}
