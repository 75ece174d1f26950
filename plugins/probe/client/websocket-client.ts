/** A WebSocket client on a connection of the probe (RFC 6455), for `probe.client`. */
import { randomBytes } from 'node:crypto'
import type { ClientConversation, ProbeClient, ReceivedMessage } from '../types.ts'
import type { Address } from './address.ts'
import { clock } from './changes.ts'
import { openConnection, type Connection } from './connection.ts'
import { encodeRequest } from './request.ts'
import { ResponseParser, type Response } from './response-parser.ts'
import { acceptOf, closeFrame, closeText, ConversationReader, encodeFrame, OPCODE } from './websocket-frames.ts'

/** Messages of one conversation that are kept. */
const MAX_MESSAGES = 1000
const CLOSE_MS = 1000

export const runWebSocket: ProbeClient['webSocket'] = async (
  { target, authority, fields = [], messages, forMs },
  { address, trust, limitMs, signal, onReceived },
) => {
  const startedAtMs = clock()
  const failed = (error: ClientConversation['error'], connectError: string | null = null): ClientConversation => ({
    startedAtMs,
    connectError,
    status: null,
    fields: [],
    messages: [],
    closeCode: null,
    error,
  })
  let connection: Connection
  try {
    connection = await openConnection(address as Address, trust, onReceived)
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? (error as Error).message
    return failed(reason === 'timed out' ? 'timeout' : 'refused', reason)
  }
  const stop = (): void => connection.close()
  signal.addEventListener('abort', stop)
  try {
    const key = randomBytes(16).toString('base64')
    for (const part of handshake(target, authority ?? address.authority, key, fields)) await connection.send(part)
    const until = startedAtMs + limitMs
    const response = await readHead(connection, until)
    if (response === null) return failed(connection.isOpen ? 'timeout' : 'reset')
    const accepted = response.fields.find(([name]) => name.toLowerCase() === 'sec-websocket-accept')?.[1]
    const common = { startedAtMs, connectError: null, status: response.status, fields: response.fields }
    if (response.status !== 101 || accepted !== acceptOf(key))
      return { ...common, messages: [], closeCode: null, error: response.status === 101 ? 'bad_handshake' : null }
    return { ...common, ...(await converse(connection, messages, Math.min(until, clock() + forMs))) }
  } finally {
    signal.removeEventListener('abort', stop)
    connection.close()
  }
}

function handshake(
  target: string,
  authority: string,
  key: string,
  fields: readonly (readonly [string, string])[],
): Buffer[] {
  const encoding = { authority, prefix: '', nonce: '', field: '', extraFields: [], check: '', model: '' }
  const upgrade = [
    ['Connection', 'Upgrade'],
    ['Upgrade', 'websocket'],
    ['Sec-WebSocket-Version', '13'],
    ['Sec-WebSocket-Key', key],
  ] as const
  const spec = { path: target, noMarker: true, fields: [...upgrade, ...fields] }
  return encodeRequest(spec, encoding, () => 1).parts.filter(part => Buffer.isBuffer(part))
}

/** The head of the answer; what follows it stays in the pieces of the connection. */
async function readHead(connection: Connection, until: number): Promise<Response | null> {
  const parser = new ResponseParser(['GET'])
  let fed = 0
  await connection.waitUntil(
    () => {
      for (; fed < connection.received.length; fed++) parser.feed(connection.received[fed]!)
      const [response] = parser.responses
      return !connection.isOpen || (response !== undefined && (response.framing === 'upgrade' || response.isComplete))
    },
    () => until,
  )
  return parser.responses[0] ?? null
}

/** Sends the messages and collects what comes back, until the peer closes or the time is over. */
async function converse(
  connection: Connection,
  messages: readonly string[],
  until: number,
): Promise<Pick<ClientConversation, 'messages' | 'closeCode' | 'error'>> {
  const reader = new ConversationReader()
  const received: ReceivedMessage[] = []
  let closing: string | null = null
  let fed = 0
  // What came with the head belongs to the conversation: it is behind the empty line.
  let isBehindHead = false
  let head: Buffer = Buffer.alloc(0)
  const read = (): void => {
    for (; fed < connection.received.length; fed++) {
      const { atMs, bytes } = connection.received[fed]!
      let content: Buffer = bytes
      if (!isBehindHead) {
        head = Buffer.concat([head, bytes])
        const end = head.indexOf('\r\n\r\n')
        if (end === -1) continue
        isBehindHead = true
        content = head.subarray(end + 4)
      }
      reader.read(content, (opcode, payload) => {
        if (opcode === OPCODE.close) closing = closeText(payload)
        else if (opcode === OPCODE.ping) void connection.send(encodeFrame(OPCODE.pong, payload, { isMasked: true }))
        else if (opcode < OPCODE.close && received.length < MAX_MESSAGES)
          received.push({ atMs, isText: opcode === OPCODE.text, data: payload })
      })
    }
  }
  for (const message of messages) await connection.send(encodeFrame(OPCODE.text, message, { isMasked: true }))
  await connection.waitUntil(
    () => {
      read()
      return closing !== null || !connection.isOpen
    },
    () => until,
  )
  const isCut = closing === null && !connection.isOpen
  if (connection.isOpen) {
    await connection.send(closeFrame(1000, '', true))
    const end = clock() + CLOSE_MS
    await connection.waitUntil(
      () => {
        read()
        return closing !== null || !connection.isOpen
      },
      () => end,
    )
  }
  const code = closing === null ? Number.NaN : Number.parseInt(closing, 10)
  return { messages: received, closeCode: Number.isNaN(code) ? null : code, error: isCut ? 'reset' : null }
}
