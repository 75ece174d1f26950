/** The socket of `/ws`: echoes messages, and does what its query asks for. */
import type { RawData } from 'ws'
import { Pacer, type Svc, type WebSocket } from 'svc/plugin'
import { type Close, type EchoOptions, WITHOUT_CODE, WITHOUT_FRAME } from './echo-options.ts'

/** A message in more fragments closes the socket with 1009 (RFC 6455, 7.4.1). */
export const MAX_FRAGMENTS = 10_000
/** Fragments that are written before the client has taken those before. */
const FRAGMENTS_AT_ONCE = 64
const TOO_BIG = 1009

/**
 * Sends every message back unchanged and in order, text as text and binary as binary. If a client does not read its
 * echoes, reading from it stops; the core limits the buffered data.
 */
export function serveEcho(svc: Svc, socket: WebSocket, options: EchoOptions): void {
  const { close, first, fragment, pingMs } = options
  const pongs = pingMs === null ? null : countPongs(socket, pingMs)
  const end = (): void => {
    if (close !== null) endWith(socket, close, pongs)
  }
  let left = close !== null && 'messages' in close.after ? close.after.messages : Infinity
  const closesAtOnce = left === 0
  const echo = fragment === null ? echoWhole(socket) : echoInFragments(svc, socket, fragment)
  socket.on('message', (data, isBinary) => {
    // What comes after the last message is not echoed.
    if (left === 0) return
    left--
    echo({ data, isBinary }, left === 0 ? end : () => {})
  })
  if (first !== null) socket.send(first, closesAtOnce ? end : () => {})
  else if (closesAtOnce) end()
  if (close !== null && 'ms' in close.after) {
    const timer = setTimeout(end, close.after.ms)
    socket.once('close', () => clearTimeout(timer))
  }
}

/** Pings at intervals. Returns the pongs so far. */
function countPongs(socket: WebSocket, pingMs: number): () => number {
  let pongs = 0
  socket.on('pong', () => void pongs++)
  const timer = setInterval(() => {
    if (socket.readyState === socket.OPEN) socket.ping()
  }, pingMs)
  socket.once('close', () => clearInterval(timer))
  return () => pongs
}

function endWith(socket: WebSocket, { code, reason }: Close, pongs: (() => number) | null): void {
  if (socket.readyState !== socket.OPEN) return
  if (code === WITHOUT_FRAME) return socket.terminate()
  if (code === WITHOUT_CODE) return socket.close()
  const counted = pongs === null ? [] : [`pongs=${pongs()}`]
  socket.close(code, [...(reason === '' ? [] : [reason]), ...counted].join(' '))
}

interface Message {
  data: RawData
  isBinary: boolean
}

/** Sends a message back; `sent` is called when it is written. */
type Echo = (message: Message, sent: () => void) => void

function echoWhole(socket: WebSocket): Echo {
  return ({ data, isBinary }, sent) => socket.send(data, { binary: isBinary }, sent)
}

/** Echoes one message after the other, and reads no more while one is on its way. */
function echoInFragments(svc: Svc, socket: WebSocket, size: number): Echo {
  const waiting: { bytes: Buffer; isBinary: boolean; sent: () => void }[] = []
  const work = async (): Promise<void> => {
    socket.pause()
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      await sendFragments(socket, next, size, new Pacer(svc.budgets.workMs))
      next.sent()
      waiting.shift()
    }
    socket.resume()
  }
  return ({ data, isBinary }, sent) => {
    const bytes = Buffer.isBuffer(data) ? data : Buffer.concat([data].flat() as Buffer[])
    if (bytes.length / size > MAX_FRAGMENTS) return socket.close(TOO_BIG, `more than ${MAX_FRAGMENTS} fragments`)
    if (waiting.push({ bytes, isBinary, sent }) === 1) work().catch(() => socket.terminate())
  }
}

async function sendFragments(
  socket: WebSocket,
  { bytes, isBinary }: { bytes: Buffer; isBinary: boolean },
  size: number,
  pacer: Pacer,
): Promise<void> {
  let written = 0
  for (let start = 0; start === 0 || start < bytes.length; start += size) {
    if (socket.readyState !== socket.OPEN) return
    const options = { binary: isBinary, fin: start + size >= bytes.length }
    const piece = bytes.subarray(start, start + size)
    written++
    if (options.fin || written % FRAGMENTS_AT_ONCE === 0)
      await new Promise<void>(resolve => socket.send(piece, options, () => resolve()))
    else socket.send(piece, options)
    if (pacer.isDue) await pacer.pause()
  }
}
