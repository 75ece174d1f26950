/** Slow responses: `/delay`, `/drip`, `/sse`, `/jsonl`, and `/unstable`. */
import { createHash } from 'node:crypto'
import { MAX_SECONDS, type Call } from '../call.ts'
import { Failure } from '../failure.ts'
import type { Operation } from '../operation.ts'
import { goDuration, goFloat, goInteger, pythonFloat, showDuration } from '../request/numbers.ts'
import { lineFacts } from './data.ts'
import { METHODS_OF_ANYTHING, sendAnything } from './reflection.ts'
import { goStatus, httpbinStatus } from './status.ts'
import { HTTPBIN_DELAY, HTTPBIN_RANGE } from '../replies.ts'

const MAX_MS = MAX_SECONDS * 1000
const TEXT = 'text/plain; charset=utf-8'

/** Entries of `Server-Timing`: name, milliseconds and description. */
function serverTiming(entries: [name: string, ms: number, description: string][]): string {
  return entries.map(([name, ms, description]) => `${name};dur=${ms.toFixed(2)};desc="${description}"`).join(', ')
}

function timingOf(totalMs: number, delayMs: number, durationMs: number, pauseMs: number): string {
  return serverTiming([
    ['total_duration', totalMs, 'total request duration'],
    ['initial_delay', delayMs, 'initial delay'],
    ['write_duration', durationMs, 'duration of writes after initial delay'],
    ['pause_per_write', pauseMs, 'computed pause between writes'],
  ])
}

/** There is no pause after the last write. */
const pauseBetween = (durationMs: number, count: number): number => (count > 1 ? durationMs / (count - 1) : durationMs)

function duration(call: Call, name: string, fallback: number, min = 0): number {
  const text = call.queryValue(name) ?? ''
  return text === '' ? fallback : goDuration(text, `invalid ${name}`, { min, max: MAX_MS })
}

/** Seconds of httpbin as milliseconds, at most ten seconds. */
function seconds(text: string, what: string): number {
  const value = pythonFloat(text)
  if (value === null || value < 0) throw new Failure(400, `the ${what} must be a number of seconds`)
  return Math.min(value, MAX_SECONDS) * 1000
}

async function sendDelayed(call: Call): Promise<unknown> {
  const text = call.parameter('delay')
  if (!call.isGo) {
    if (!(await call.wait(seconds(text, 'delay')))) return call.reply
    return call.json(await call.describeRequest(['args', 'data', 'files', 'form', 'headers', 'origin', 'url']))
  }
  const ms = goDuration(text, 'invalid duration', { max: MAX_MS })
  if (!(await call.wait(ms))) return call.reply
  call.reply.header('Server-Timing', serverTiming([['initial_delay', ms, 'initial delay']]))
  return sendAnything(call)
}

const DRIP_MAX = { httpbin: 10 * 1024 * 1024, 'go-httpbin': 1_048_576 }
const SHARED_DRIP_MAX = 1024
/** Above this, several bytes are written at once. */
const MAX_WRITES = 1000

async function drip(call: Call): Promise<unknown> {
  const max = call.limit(DRIP_MAX[call.original], SHARED_DRIP_MAX)
  const { count, status, delayMs, durationMs } = call.isGo ? readGoDrip(call, max) : readHttpbinDrip(call, max)
  if (!(await call.wait(delayMs))) return call.reply
  const writes = Math.min(count, MAX_WRITES)
  const pauseMs = call.isGo ? pauseBetween(durationMs, writes) : durationMs / writes
  call.reply
    .code(status)
    .headers({ 'Content-Type': call.isGo ? TEXT : 'application/octet-stream', 'Content-Length': count })
  if (call.isGo)
    call.reply.header(
      'Server-Timing',
      timingOf(delayMs + durationMs, delayMs, durationMs, pauseBetween(durationMs, count)),
    )
  if (status === 204 || status === 205 || status === 304) return call.reply.removeHeader('Content-Length').send()
  const size = Math.ceil(count / writes)
  return call.writePaced(call.svc.streams.body(call.request, call.reply), Math.ceil(count / size), pauseMs, index =>
    Buffer.alloc(Math.min(size, count - index * size), '*'),
  )
}

interface Drip {
  count: number
  status: number
  delayMs: number
  durationMs: number
}

function readGoDrip(call: Call, max: number): Drip {
  const durationMs = duration(call, 'duration', 2000)
  const delayMs = duration(call, 'delay', 2000)
  const countText = call.queryValue('numbytes') ?? ''
  const count = countText === '' ? 10 : goInteger(countText, 'invalid numbytes', 'ParseInt')
  if (count < 1 || count > max) throw new Failure(400, `invalid numbytes: ${count} not in range [1, ${max}]`)
  const statusText = call.queryValue('code') ?? ''
  const status = statusText === '' ? 200 : goStatus(statusText)
  if (durationMs + delayMs > MAX_MS) {
    const asked = `${showDuration(durationMs)}+${showDuration(delayMs)}`
    throw new Failure(400, `too much time: ${asked} > ${showDuration(MAX_MS)}`)
  }
  return { count, status: Math.max(status, 200), delayMs, durationMs }
}

function readHttpbinDrip(call: Call, max: number): Drip {
  const countText = call.queryValue('numbytes') ?? '10'
  if (!/^\s*[+-]?\d+\s*$/.test(countText)) throw new Failure(400, 'the numbytes must be a whole number')
  const count = Math.min(Number(countText), max)
  if (count <= 0) throw new Failure(400, 'number of bytes must be positive')
  return {
    count,
    status: httpbinStatus(call, call.queryValue('code') ?? '200'),
    delayMs: seconds(call.queryValue('delay') ?? '0', 'delay'),
    durationMs: seconds(call.queryValue('duration') ?? '2', 'duration'),
  }
}

interface Pace {
  count: number
  delayMs: number
  durationMs: number
  jitter: number
}

function readPace(call: Call, defaults: { durationMs: number }): Omit<Pace, 'count'> {
  const durationMs = duration(call, 'duration', defaults.durationMs, 1e-6)
  const delayMs = duration(call, 'delay', 0)
  const jitterText = call.queryValue('jitter') ?? ''
  const jitter = jitterText === '' ? 0 : goFloat(jitterText)
  if (jitter === null || jitter < 0 || jitter > 1) throw new Failure(400, 'invalid jitter: must be a float in [0, 1]')
  if (durationMs + delayMs > MAX_MS) throw new Failure(400, 'too much time')
  return { durationMs, delayMs, jitter }
}

function queryCount(call: Call): number {
  const text = call.queryValue('count') ?? ''
  return text === '' ? 10 : goInteger(text, 'invalid count')
}

/** A time that differs from `ms` by up to the share `jitter`. */
const vary = (ms: number, jitter: number): number => ms * (1 + jitter * (2 * Math.random() - 1))

async function sendEvents(call: Call): Promise<unknown> {
  const startedAt = performance.now()
  const max = call.limit(1000, 100)
  const count = queryCount(call)
  if (count < 1 || count > max) throw new Failure(400, `invalid count: must in range [1, ${max}]`)
  const { delayMs, durationMs, jitter } = readPace(call, { durationMs: 5000 })
  if (!(await call.wait(delayMs))) return call.reply
  const pauseMs = pauseBetween(durationMs, count)
  const canTrail = call.request.method !== 'HEAD' && call.request.raw.httpVersion !== '1.0'
  const headers = {
    'Content-Type': 'text/event-stream; charset=utf-8',
    ...(canTrail ? { Trailer: 'Server-Timing' } : {}),
  }
  const stream = call.svc.streams.sse(call.request, call.reply, { headers })
  if (stream === null) return call.reply
  for (let id = 0; id < count; id++) {
    if (id > 0 && pauseMs > 0) await call.svc.http.delay(call.request, vary(pauseMs, jitter))
    if (stream.closed) return call.reply
    stream.send({ event: 'ping', data: { id, timestamp: Date.now() } })
    await stream.ready()
  }
  if (canTrail)
    call.reply.raw.addTrailers({
      'Server-Timing': timingOf(performance.now() - startedAt, delayMs, durationMs, pauseMs),
    })
  stream.end()
  return call.reply
}

async function sendLines(call: Call): Promise<unknown> {
  const count = Math.max(1, Math.min(queryCount(call), 100))
  const { delayMs, durationMs, jitter } = readPace(call, { durationMs: 5000 })
  if (!(await call.wait(delayMs))) return call.reply
  const line = await lineFacts(call)
  call.reply.header('Content-Type', 'application/x-ndjson; charset=utf-8')
  const stream = call.svc.streams.body(call.request, call.reply)
  return call.writePaced(stream, count, vary(pauseBetween(durationMs, count), jitter), line)
}

function failSometimes(call: Call): unknown {
  const seedText = call.queryValue('seed') ?? ''
  const seed = seedText === '' ? null : goInteger(seedText, 'invalid seed', 'ParseInt')
  const rateText = call.queryValue('failure_rate') ?? ''
  const rate = rateText === '' ? 0.5 : goFloat(rateText)
  if (rate === null || rate < 0 || rate > 1)
    throw new Failure(400, `invalid failure rate: ${rateText} not in range [0, 1]`)
  call.reply.header('Content-Type', TEXT)
  return call.empty((seed === null ? Math.random() : shareOf(seed)) < rate ? 500 : 200)
}

/** A number from 0 to 1 that depends on the seed alone. */
function shareOf(seed: number): number {
  return createHash('sha256').update(String(seed)).digest().readUInt32BE() / 2 ** 32
}

const seconds10 = { type: 'string', description: 'Seconds, or a duration such as 200ms; at most 10 s' }
const pace = ['count', 'duration', 'delay', 'jitter'].map(name => ({
  name,
  in: 'query' as const,
  schema: { type: 'string' },
}))

export const TIMED: readonly Operation[] = [
  {
    path: '/delay/{delay}',
    summary: 'Respond after a delay',
    reply: HTTPBIN_DELAY,
    methods: { httpbin: METHODS_OF_ANYTHING },
    parameters: [{ name: 'delay', in: 'path', required: true, schema: seconds10 }],
    examples: [{ name: 'A tenth of a second', path: '/delay/0.1' }],
    handle: sendDelayed,
  },
  {
    path: '/drip',
    summary: 'A slow body',
    reply: HTTPBIN_RANGE,
    parameters: ['numbytes', 'duration', 'delay', 'code'].map(name => ({
      name,
      in: 'query',
      schema: { type: 'string' },
    })),
    examples: [{ name: 'Five bytes', path: '/drip?numbytes=5&duration=0.2&delay=0' }],
    handle: drip,
  },
  {
    path: '/sse',
    summary: 'Server-sent events',
    protocol: 'sse',
    methods: { httpbin: null },
    parameters: pace,
    examples: [{ name: 'Two events', path: '/sse?count=2&duration=100ms' }],
    handle: sendEvents,
  },
  {
    path: '/jsonl',
    summary: 'JSON lines at intervals',
    methods: { httpbin: null },
    atRoot: true,
    parameters: pace,
    examples: [{ name: 'Two lines', path: '/jsonl?count=2&duration=100ms' }],
    handle: sendLines,
  },
  {
    path: '/unstable',
    summary: 'Fail sometimes',
    methods: { httpbin: null },
    atRoot: true,
    parameters: ['failure_rate', 'seed'].map(name => ({ name, in: 'query', schema: { type: 'string' } })),
    examples: [{ name: 'Half of the time', path: '/unstable', status: null }],
    handle: failSometimes,
  },
]
