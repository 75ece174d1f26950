/** Connections, datagrams and gRPC calls that originals of other projects answer, for comparison with svc. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { credentials } from '@grpc/grpc-js'
import { GrpcCaller, loadProto } from '../../support/grpc-caller.ts'

/** Bytes are characters of Latin-1. */
export interface TcpCase {
  /** Sent one after the other, each after the answer to the one before; then the client ends its side. */
  send: string[]
  /** Over TLS, with the only version, cipher and curve that the client offers. */
  tls?: { version: 'TLSv1.2' | 'TLSv1.3'; cipher: string; curve: string; servername?: string; alpn?: string[] }
}

/** What came after connecting, after each piece that was sent, and after the client's end. */
export interface TcpAnswer {
  received: string[]
}

export interface UdpCase {
  datagram: string
}

export interface UdpAnswer {
  datagram: string
}

export interface GrpcCase {
  method: string
  /** Names with `-bin` have bytes, as characters of Latin-1. */
  metadata?: Record<string, string>
  tls?: { servername: string }
}

export interface GrpcAnswer {
  code: number
  messages: unknown[]
}

/** How long a recorder waits for more. */
const QUIET_MS = 150
/** How long a replay waits for what was recorded, until it goes on with what it has. */
const PATIENCE_MS = 20_000
const GRPC_ECHO = 'gateway_api_conformance.echo_basic.grpcecho.GrpcEcho'
export const AUTHORITY = 'echo-basic.test'

const tls13 = { version: 'TLSv1.3', cipher: 'TLS_AES_128_GCM_SHA256', curve: 'X25519' } as const
const tls12 = { version: 'TLSv1.2', cipher: 'ECDHE-ECDSA-AES128-GCM-SHA256', curve: 'P-256' } as const

/** The name is `n`. */
export const WHOAMI_TCP: readonly TcpCase[] = [
  { send: [] },
  { send: ['hello'] },
  { send: ['hello\n', 'again\r\n'] },
  { send: ['WHO'] },
  { send: [' WHO\r\n'] },
  { send: ['\x0b\x0cWHO\t'] },
  { send: ['WHO\xc2\xa0'] },
  { send: ['WHO\xc2\x85'] },
  { send: ['WHO\xa0'] },
  { send: ['\xef\xbb\xbfWHO'] },
  { send: ['who'] },
  { send: ['WHO WHO'] },
  { send: ['\xff\x00\xfe'] },
  { send: ['   '] },
  { send: ['x'.repeat(256)] },
  { send: ['x'.repeat(300)] },
  { send: ['stop'] },
  { send: ['STOP'] },
  { send: ['one', ' STOP \n'] },
]

export const WHOAMI_TCP_BANNER: readonly TcpCase[] = [{ send: [] }, { send: ['hello'] }, { send: ['STOP'] }]

/** The name is `n`. */
export const WHOAMI_UDP: readonly UdpCase[] = [
  'hello',
  '',
  'WHO',
  ' WHO\n',
  'WHO\xc2\xa0',
  'WHO\xa0',
  'who',
  'STOP',
  '\xff\x00',
  'x'.repeat(1024),
  'x'.repeat(1200),
].map(datagram => ({ datagram }))

/** The head of an HTTP request. */
export const RAW_HEADERS: readonly TcpCase[] = [
  { send: ['GET / HTTP/1.1\r\nHost: a.test\r\n\r\n'] },
  { send: ['GET /a?b HTTP/1.1\r\nHost: a.test\r\nCaSE: 1\r\nCaSe:  2 \r\n\r\n'] },
  { send: ['GET / HTTP/1.1\nHost: a.test\n\n'] },
  { send: ['GET / HT', 'TP/1.1\r\nHost: a', '.test\r\n\r', '\n'] },
  { send: ['POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 5\r\n\r\nhello'] },
  { send: ['no request\r\n\r\n'] },
  { send: ['\r\n'] },
  { send: ['GET / HTTP/1.1\r\nHost: a.test\r\n'] },
]

/** Namespace `ns<1>`, ingress `gw`, service `s&t`, pod `p-1`; the same for UDP and gRPC. */
export const ECHO_BASIC_TCP: readonly TcpCase[] = [
  { send: [] },
  { send: ['PING\n'] },
  { send: ['PI', 'NG\r\n'] },
  { send: ['PING'] },
  { send: ['PING\r'] },
  { send: ['PING\r\r\n'] },
  { send: ['ping\n', ' PING\n', 'PING \n', 'PING\n'] },
  { send: ['\n', '\r\nPING\n'] },
  { send: ['TEST\n'] },
  { send: ['IS_TLS\n'] },
  { send: ['PING\nIS_TLS\nTEST\nPING\n'] },
  { send: ['\xff\x00\n', 'PING\n'] },
  { send: [`${'x'.repeat(60_000)}\n`, 'PING\n'] },
  { send: ['PING\n', 'IS_TLS\n', 'TEST\n'], tls: { ...tls13, servername: 'a.test' } },
  { send: ['TEST\n'], tls: tls13 },
  { send: ['TEST\n'], tls: { ...tls13, curve: 'P-384' } },
  { send: ['TEST\n'], tls: { ...tls13, cipher: 'TLS_CHACHA20_POLY1305_SHA256', alpn: ['h2', 'x'] } },
  { send: ['TEST\n'], tls: { ...tls12, servername: 'b.test' } },
]

export const ECHO_BASIC_UDP: readonly UdpCase[] = [
  'hello',
  '',
  '<&>',
  '"\\/\n\r\t\b\f\x00\x1f\x7f',
  '\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80',
  '\xe2\x80\xa8\xe2\x80\xa9',
  '\xff\xfe',
  '\xe2\x82',
  '\xed\xa0\x80',
  '\xc0\x80a',
  'x'.repeat(1024),
  'x'.repeat(1500),
  `${'x'.repeat(1023)}\xc3\xa9`,
].map(datagram => ({ datagram }))

export const ECHO_BASIC_GRPC: readonly GrpcCase[] = [
  { method: 'Echo' },
  { method: 'EchoTwo' },
  { method: 'EchoThree' },
  { method: 'Echo', metadata: { 'x-one': 'a', 'x-two': 'b c', 'x-empty': '' } },
  { method: 'Echo', metadata: { 'x-bytes-bin': 'text', 'x-test-reflect': '<&>' } },
  { method: 'Echo', metadata: { cookie: 'a=b; c=d', referer: 'r' } },
  { method: 'Echo', tls: { servername: 'a.test' } },
]

/** Waits until nothing has come for a while, or in a replay until as much has come as was recorded. */
async function received(chunks: Buffer[], socket: Socket, expected: string | undefined): Promise<string> {
  const text = (): string => withoutMachine(Buffer.concat(chunks).toString('latin1'))
  while (expected === undefined && (await comesMore(socket)));
  const deadline = AbortSignal.timeout(PATIENCE_MS)
  while (expected !== undefined && text().length < expected.length && socket.readable && !deadline.aborted)
    await Promise.race(['data', 'end', 'close'].map(event => once(socket, event, { signal: deadline }))).catch(() => {})
  const received = text()
  chunks.length = 0
  return received
}

async function comesMore(socket: Socket): Promise<boolean> {
  if (!socket.readable) return false
  const timer = new AbortController()
  const quiet = new Promise<false>(resolve => setTimeout(() => resolve(false), QUIET_MS))
  const more = once(socket, 'data', { signal: timer.signal }).then(
    () => true,
    () => false,
  )
  const result = await Promise.race([more, quiet])
  timer.abort()
  return result
}

/** `recorded`: what the original has answered; undefined in a recording. */
export async function converse(
  port: number,
  { send, tls }: TcpCase,
  recorded?: TcpAnswer,
  host = '127.0.0.1',
): Promise<TcpAnswer> {
  const socket =
    tls === undefined
      ? connect({ host, port, allowHalfOpen: true, noDelay: true })
      : connectTls({
          host,
          port,
          rejectUnauthorized: false,
          minVersion: tls.version,
          maxVersion: tls.version,
          ...(tls.version === 'TLSv1.3' ? { ciphers: tls.cipher } : { ciphers: `${tls.cipher}:@SECLEVEL=1` }),
          ecdhCurve: tls.curve,
          ...(tls.servername === undefined ? {} : { servername: tls.servername }),
          ...(tls.alpn === undefined ? {} : { ALPNProtocols: tls.alpn }),
        })
  await once(socket, tls === undefined ? 'connect' : 'secureConnect')
  const chunks: Buffer[] = []
  // Each wait listens for errors.
  socket.setMaxListeners(0)
  socket.on('data', (chunk: Buffer) => void chunks.push(chunk)).on('error', () => {})
  const answers = [await received(chunks, socket, recorded?.received[0])]
  for (const [index, piece] of send.entries()) {
    socket.write(Buffer.from(piece, 'latin1'))
    answers.push(await received(chunks, socket, recorded?.received[index + 1]))
  }
  socket.end()
  if (socket.readable) await Promise.race([once(socket, 'end'), once(socket, 'close')])
  socket.destroy()
  return { received: [...answers, withoutMachine(Buffer.concat(chunks).toString('latin1'))] }
}

export async function ask(port: number, { datagram }: UdpCase, host = '127.0.0.1'): Promise<UdpAnswer> {
  const socket = createSocket('udp4')
  socket.send(Buffer.from(datagram, 'latin1'), port, host)
  const [answer] = (await once(socket, 'message')) as [Buffer]
  socket.close()
  return { datagram: withoutMachine(answer.toString('latin1')) }
}

export async function call(port: number, { method, metadata = {}, tls }: GrpcCase): Promise<GrpcAnswer> {
  const channel =
    tls === undefined
      ? credentials.createInsecure()
      : credentials.createSsl(null, null, null, { rejectUnauthorized: false, checkServerIdentity: () => undefined })
  const caller = new GrpcCaller(`127.0.0.1:${port}`, loadProto('services/grpcecho.proto')[GRPC_ECHO]!, {
    channel,
    'grpc.default_authority': AUTHORITY,
    ...(tls === undefined ? {} : { 'grpc.ssl_target_name_override': tls.servername }),
  })
  const sent = Object.fromEntries(
    Object.entries(metadata).map(([name, value]) => [
      name,
      name.endsWith('-bin') ? Buffer.from(value, 'latin1') : value,
    ]),
  )
  const { code, messages, details } = await caller.call(method, {}, { metadata: sent })
  caller.close()
  return { code, messages: messages.map(comparable), ...(code === 14 ? { details } : {}) }
}

/** Go keeps metadata in a map: fields come in any order. Which cipher of TLS 1.3 is chosen is a matter of the library. */
function comparable(message: {
  assertions?: { headers: { key: string; value: string }[]; tls_assertions?: { cipher_suite: string } | null }
}): object {
  const tls = message.assertions?.tls_assertions
  if (tls != null) tls.cipher_suite = tls.cipher_suite.replace(/^TLS_(?:AES|CHACHA20)\w+$/, 'TLS_*')
  message.assertions?.headers.sort((a, b) => (a.key + a.value < b.key + b.value ? -1 : 1))
  for (const header of message.assertions?.headers ?? [])
    if (header.key === 'user-agent') header.value = header.value.replace(/[\d.]+/g, '*')
  return message
}

function withoutMachine(text: string): string {
  return text
    .replace(/^(Hostname): .*/gm, '$1: <name>')
    .replace(/(?:^IP: .*\n)+/gm, 'IP: <addresses>\n')
    .replace(/"(tcpport|tlsport)":"\d+"/g, '"$1":"<port>"')
}
