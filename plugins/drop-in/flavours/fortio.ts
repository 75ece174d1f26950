/** fortio's echo server. */
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { parseGoDuration, preferredCoding } from 'svc/toolkit'
import type { Call, Server } from '../request/call.ts'
import { sorted } from '../request/go-header.ts'
import { sniffType } from '../request/sniff.ts'
import { chooseByPercentage, happens } from './percentages.ts'

const MAX_SIZE = 262_144
const SHOWN_BYTES = 512
const zip = promisify(gzip)

/** The same bytes in every answer: printable, without a pattern that compresses well. */
const PAYLOAD = createPayload()

function createPayload(): Buffer {
  const bytes = Buffer.alloc(MAX_SIZE)
  let state = 0x2545f491
  for (let index = 0; index < bytes.length; index++) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    bytes[index] = 0x21 + ((state >>> 8) % 94)
  }
  return bytes
}

/** What comes before the status and the body; false if the client has left. */
async function prepare(call: Call): Promise<boolean> {
  const { query, reply } = call
  const delay = chooseByPercentage((query.get('delay') ?? '').slice(0, 1000))
  if (typeof delay === 'object' && !(await call.wait(parseGoDuration(delay.value) ?? 0))) return false
  if (happens(query.get('close') ?? '') && call.request.raw.httpVersionMajor === 1)
    reply.raw.setHeader('Connection', 'close')
  call.setChosen(
    query.getAll('header').flatMap(line => {
      const colon = line.indexOf(':')
      return colon <= 0 ? [] : [[line.slice(0, colon), line.slice(colon + 1).trim()] as const]
    }),
  )
  return true
}

function statusOf(call: Call): number {
  const choice = chooseByPercentage((call.query.get('status') ?? '').slice(0, 1000))
  if (choice === 'none') return 200
  if (choice === 'unreadable' || !/^\d{3}$/.test(choice.value)) return 400
  const status = Number(choice.value)
  return status >= 200 && status <= 999 ? status : 400
}

/** The bytes to send instead of the body; null: the body. */
function sizeOf(call: Call): number | null {
  const choice = chooseByPercentage((call.query.get('size') ?? '').slice(0, 1000))
  if (typeof choice === 'string' || !/^-?\d{1,9}$/.test(choice.value)) return null
  const size = Number(choice.value)
  return Math.min(Math.max(size, 0), call.limit(MAX_SIZE, 65_536))
}

async function echo(call: Call): Promise<unknown> {
  if (!(await prepare(call))) return call.reply
  const { raw } = call.reply
  const size = sizeOf(call)
  const status = statusOf(call)
  const type = call.request.headers['content-type']
  const payload = size === null ? call.body : PAYLOAD.subarray(0, size)
  const isZipped =
    happens(call.query.get('gzip') ?? '') &&
    preferredCoding(call.request.headers['accept-encoding'], ['gzip']) === 'gzip'
  if (isZipped) raw.setHeader('Content-Encoding', 'gzip')
  return call.send(
    size === null ? (type ?? sniffType(payload)) : 'application/octet-stream',
    isZipped ? await zip(payload) : payload,
    status,
  )
}

async function debug(call: Call): Promise<unknown> {
  const { body } = call
  const shown =
    body.length <= SHOWN_BYTES ? String(body) : `${String(body.subarray(0, SHOWN_BYTES))}... (${body.length})`
  const fields = sorted(call.header).map(([name, values]) => `\n${name}: ${values.join(',')}`)
  const text = `Φορτίο version svc ${call.svc.instance.version} echo debug server on ${call.hostname} - request from ${call.remoteAddress}\n\n${call.method} ${call.target} ${call.protocol}\n\nheaders:\n\nHost: ${call.host}${fields.join('')}\n\nbody:\n\n${shown}\n`
  if (!(await prepare(call))) return call.reply
  return call.send('text/plain; charset=UTF-8', text)
}

export const FORTIO: Server = {
  name: 'fortio',
  title: 'fortio',
  summary: 'The body back, with the status, delay, headers and size of the query',
  example: '/?size=10',
  mediaTypes: ['text/plain'],
  handle(call) {
    const { path } = call
    // svc sends nothing to other servers for strangers, and has no pages of fortio.
    if (/^\/(?:fortio|fetch2?)(?:\/|$)/.test(path)) return call.text('404 page not found\n', 404)
    return /^\/debug(?:\/(?!echo)|$)/.test(path) ? debug(call) : echo(call)
  },
}
