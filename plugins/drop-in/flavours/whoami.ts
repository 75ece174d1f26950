/** Traefik's whoami: the request as Go writes it, behind names and addresses of the machine. */
import { createHash, X509Certificate } from 'node:crypto'
import { cleanPath, connectionTls, parseGoDuration, readRange } from 'svc/toolkit'
import type { Store, Svc } from 'svc/plugin'
import type { Call, Server } from '../request/call.ts'
import { goLine, sorted } from '../request/go-header.ts'

const UNITS: Record<string, number> = { kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3, tb: 1024 ** 4 }
const LETTERS = '-ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const CHUNK = Buffer.from(LETTERS.repeat(2048))
const HEALTH = 'health'

/** `Request.Write` of Go: the fields sorted, after those that it writes itself. */
function writeRequest(call: Call): Buffer {
  const header = new Map(call.header)
  const agent = header.get('User-Agent')?.[0] ?? 'Go-http-client/1.1'
  const isChunked = call.request.headers['transfer-encoding'] !== undefined
  // Go says that there is no body where one would be usual.
  const length = header.get('Content-Length')?.[0] ?? (/^(?:POST|PUT|PATCH)$/.test(call.method) ? '0' : undefined)
  for (const name of ['User-Agent', 'Content-Length', 'Transfer-Encoding', 'Trailer']) header.delete(name)
  const { body } = call
  const lines = [
    `${call.method} ${call.target} HTTP/1.1`,
    `Host: ${call.host}`,
    ...(agent === '' ? [] : [`User-Agent: ${agent}`]),
    ...(isChunked ? ['Transfer-Encoding: chunked'] : length === undefined ? [] : [`Content-Length: ${length}`]),
    ...sorted(header).flatMap(([name, values]) => values.map(value => `${name}: ${value}`)),
  ]
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`)
  if (!isChunked) return Buffer.concat([head, body])
  const chunk = body.length === 0 ? '' : `${body.length.toString(16)}\r\n`
  return Buffer.concat([head, Buffer.from(chunk), body, Buffer.from(`${chunk === '' ? '' : '\r\n'}0\r\n\r\n`)])
}

async function show(call: Call): Promise<unknown> {
  const wait = parseGoDuration((call.query.get('wait') ?? '').slice(0, 100))
  if (!(await call.wait(wait ?? 0))) return call.reply
  const { name } = call.settings
  const [certificate] = connectionTls(call.request.socket)?.certificates ?? []
  const lines = [
    ...(name ? [`Name: ${name}`] : []),
    `Hostname: ${call.hostname}`,
    ...call.addresses.map(address => `IP: ${address}`),
    `RemoteAddr: ${call.remoteAddress}`,
    ...(certificate === undefined
      ? []
      : [`Certificate[0] Subject: ${new X509Certificate(certificate).subject.split('\n').toReversed().join(',')}`]),
  ]
  const shown = Buffer.from(lines.map(line => `${line}\n`).join(''))
  return call.send('text/plain; charset=utf-8', Buffer.concat([shown, writeRequest(call)]))
}

function showAsJson(call: Call): unknown {
  const { name } = call.settings
  return call.send(
    'application/json',
    `${goLine({
      hostname: call.hostname,
      ip: call.addresses,
      headers: Object.fromEntries(sorted(call.header)),
      url: call.target,
      host: call.host,
      method: call.method,
      ...(name ? { name } : {}),
      remoteAddr: call.remoteAddress,
    })}\n`,
  )
}

/** Byte `index` of the content: bars at both ends, letters between them. */
function content(start: number, end: number, size: number): Buffer {
  const bytes = Buffer.alloc(end - start)
  for (let at = 0; at < bytes.length; at += CHUNK.length - LETTERS.length) {
    const offset = (start + at) % LETTERS.length
    CHUNK.copy(bytes, at, offset, offset + Math.min(bytes.length - at, CHUNK.length - LETTERS.length))
  }
  if (start === 0 && bytes.length > 0) bytes[0] = 0x7c
  if (end === size && bytes.length > 0) bytes[bytes.length - 1] = 0x7c
  return bytes
}

function sendData(call: Call): unknown {
  const asked = call.query.get('size') ?? ''
  const unit = UNITS[(call.query.get('unit') ?? '').toLowerCase()] ?? 1
  const wanted = Math.max(0, (/^[+-]?\d{1,18}$/.test(asked) ? Number(asked) : 1) * unit)
  const size = Math.min(wanted, call.limit(10_485_760, 65_536))
  const isAttachment = /^(?:1|t|true)$/i.test(call.query.get('attachment') ?? '')
  if (!isAttachment) return size < 2 ? call.send(null, '') : call.text(content(0, size, size).toString('latin1'))
  const shown = Math.max(0, size - 1)
  const { raw } = call.reply
  raw.setHeader('Content-Disposition', 'Attachment')
  raw.setHeader('Accept-Ranges', 'bytes')
  raw.setHeader('Last-Modified', new Date().toUTCString())
  const { range } = call.request.headers
  const part = range === undefined || shown === 0 ? 'whole' : readRange(range, shown)
  if (part === 'whole') return call.text(content(0, shown, shown).toString('latin1'))
  if (part === 'unsatisfiable') {
    raw.setHeader('Content-Range', `bytes */${shown}`)
    return call.text('invalid range: failed to overlap\n', 416)
  }
  raw.setHeader('Content-Range', `bytes ${part.first}-${part.last}/${shown}`)
  return call.text(content(part.first, part.last + 1, shown).toString('latin1'), 206)
}

export function createWhoami(svc: Svc<unknown>): Server {
  // In public mode, health is kept per session.
  const health: Store<number> = svc.state<number>('whoami-health', { maxCount: 1000, ttlMs: 3_600_000 })
  const keyOf = (call: Call): string =>
    call.svc.config.publicMode ? hashOf(svc.http.session(call.request).key) : HEALTH

  async function serveHealth(call: Call): Promise<unknown> {
    if (call.method !== 'POST') return call.send(null, '', (await health.get(keyOf(call))) ?? 200)
    const text = call.body.toString().trim()
    const status = /^\d{3}$/.test(text) ? Number(text) : 0
    if (status < 200 || status > 599)
      return call.error('the body must be a status as a JSON number, from 200 to 599', 400)
    await health.set(keyOf(call), status)
    return call.send(null, '')
  }

  return {
    name: 'whoami',
    title: 'whoami',
    summary: 'The request as Go writes it',
    example: '/',
    mediaTypes: ['text/plain', 'application/json'],
    handle(call) {
      const { path } = call
      const clean = cleanPath(path)
      if (clean !== null) return call.redirect(clean + call.search, 307)
      switch (path) {
        case '/api':
          return showAsJson(call)
        case '/data':
          return sendData(call)
        case '/bench':
          if (call.request.raw.httpVersionMajor === 1 && call.request.headers.connection !== 'close')
            call.reply.raw.setHeader('Connection', 'keep-alive')
          return call.send('text/plain', '1')
        case '/health':
          return serveHealth(call)
        case '/echo':
          call.reply.raw.setHeader('Sec-Websocket-Version', '13')
          return call.error('Bad Request', 400)
        default:
          return show(call)
      }
    },
    socket: {
      paths: ['/echo'],
      plainStatus: 400,
      open(socket) {
        socket.on('message', (message: Buffer, isBinary: boolean) => socket.send(message, { binary: isBinary }))
      },
    },
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
