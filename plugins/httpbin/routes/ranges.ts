/** `/range`: letters that can be requested in parts. */
import { Failure } from '../failure.ts'
import type { Operation } from '../operation.ts'
import { goDuration, goInteger, pathNumber, pythonFloat } from '../request/numbers.ts'
import { readRanges, sendContent } from '../response/content.ts'
import { type Call, MAX_SECONDS } from '../call.ts'
import { HTTPBIN_RANGE } from '../replies.ts'

const SHARED_MAX = 10_240

/** `count` letters from a to z, repeated, from a position. */
function letters(first: number, count: number): Buffer {
  const body = Buffer.allocUnsafe(count)
  for (let index = 0; index < count; index++) body[index] = 97 + ((first + index) % 26)
  return body
}

async function sendGo(call: Call): Promise<unknown> {
  const count = goInteger(call.parameter('n'), 'invalid count', 'ParseInt')
  const max = call.limit(1_048_576, SHARED_MAX)
  const durationText = call.queryValue('duration') ?? ''
  const duration = durationText === '' ? 0 : goDuration(durationText, 'invalid duration', { max: MAX_SECONDS * 1000 })
  if (count <= 0 || count > max)
    throw new Failure(400, `invalid count: ${count} not in range [1, ${max}]`, {
      ETag: `range${count}`,
      'Accept-Ranges': 'bytes',
    })
  if (!(await call.wait(duration))) return call.reply
  return sendContent(call, { type: 'text/plain; charset=utf-8', body: letters(0, count), etag: `range${count}` })
}

async function sendHttpbin(call: Call): Promise<unknown> {
  const count = pathNumber(call.parameter('n'))
  const max = call.limit(102_400, SHARED_MAX)
  call.reply.headers({ ETag: `range${count}`, 'Accept-Ranges': 'bytes' })
  if (count < 1 || count > max)
    return call.send('text/plain; charset=utf-8', `number of bytes must be in the range (0, ${max}]`, 404)
  const chunk = readChunkSize(call)
  const seconds = pythonFloat(call.queryValue('duration') ?? '0')
  if (seconds === null || seconds < 0) throw new Failure(400, 'the duration must be a number of seconds')
  const range = readRange(call.header('range'), count)
  if (range === null) {
    call.reply.header('Content-Range', `bytes */${count}`)
    return call.send('text/plain; charset=utf-8', '', 416)
  }
  const length = range.last - range.first + 1
  call.reply.headers({
    'Content-Type': 'application/octet-stream',
    'Content-Length': length,
    'Content-Range': `bytes ${range.first}-${range.last}/${count}`,
  })
  call.reply.code(length === count ? 200 : 206)
  const chunks = Math.ceil(length / chunk)
  const pauseMs = (Math.min(seconds, MAX_SECONDS) * 1000 * chunk) / count
  return call.writePaced(call.svc.streams.body(call.request, call.reply), chunks, pauseMs, index =>
    letters(range.first + index * chunk, Math.min(chunk, length - index * chunk)),
  )
}

/** At least so large that a response has at most 1000 chunks. */
function readChunkSize(call: Call): number {
  const text = call.queryValue('chunk_size') ?? '10240'
  if (!/^\s*[+-]?\d+\s*$/.test(text)) throw new Failure(400, 'the chunk_size must be a whole number')
  return Math.max(1, Math.min(Number(text), 1_048_576))
}

/** httpbin reads one range, and takes several for none; null if it is outside. */
function readRange(field: string | undefined, size: number): { first: number; last: number } | null {
  if (field === undefined || field.includes(',') || !field.trim().startsWith('bytes='))
    return { first: 0, last: size - 1 }
  const [, first, last] = /^bytes=\s*(\d*)-(\d*)$/.exec(field.trim()) ?? []
  if (first === undefined || last === undefined || first + last === '') return { first: 0, last: size - 1 }
  if (first !== '' && last !== '' && Number(last) >= size) return null
  const ranges = readRanges(`bytes=${first}-${last}`, size)
  return typeof ranges === 'string' ? null : (ranges[0] ?? null)
}

export const RANGES: readonly Operation[] = [
  {
    path: '/range/{n}',
    summary: 'Letters that can be requested in parts',
    reply: HTTPBIN_RANGE,
    parameters: [
      { name: 'duration', in: 'query', description: 'Seconds; at most 10', schema: { type: 'string' } },
      { name: 'chunk_size', in: 'query', description: 'httpbin only', schema: { type: 'integer' } },
      { name: 'Range', in: 'header', schema: { type: 'string' } },
    ],
    examples: [{ name: 'Whole', path: '/range/26' }],
    handle: call => (call.isGo ? sendGo(call) : sendHttpbin(call)),
  },
]
