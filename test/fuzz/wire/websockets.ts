/** WebSocket frames as bytes on a socket, after a valid handshake. */
import { connect } from 'node:net'
import type { Family, Finding } from '../engine.ts'
import { mutateBytes } from '../mutate.ts'
import type { Target } from './server.ts'

interface Session {
  path: string
  subprotocol?: string
  frames: Buffer
}

const PATIENCE_MS = 8000
const MASK = Buffer.from([1, 2, 3, 4])

/** A masked frame (RFC 6455, 5.2). */
export function frame(opcode: number, payload: Buffer | string, flags = 0x80): Buffer {
  const bytes = Buffer.from(payload)
  const length =
    bytes.length < 126
      ? [bytes.length]
      : bytes.length < 65_536
        ? [126, bytes.length >> 8, bytes.length & 255]
        : [127, 0, 0, 0, 0, ...[24, 16, 8, 0].map(shift => (bytes.length >> shift) & 255)]
  const masked = bytes.map((byte, index) => byte ^ MASK[index % 4]!)
  return Buffer.concat([Buffer.from([flags | opcode, length[0]! | 0x80, ...length.slice(1)]), MASK, masked])
}

const text = (value: unknown): Buffer => frame(1, typeof value === 'string' ? value : JSON.stringify(value))
const SEEDS: Session[] = [
  {
    path: '/ws',
    frames: Buffer.concat([
      text('hello'),
      frame(2, Buffer.alloc(200)),
      frame(9, 'ping'),
      frame(8, Buffer.from([3, 232])),
    ]),
  },
  { path: '/ws', frames: Buffer.concat([frame(1, 'first', 0), frame(0, 'last'), frame(10, '')]) },
  { path: '/ws', frames: text('x'.repeat(70_000)) },
  { path: '/ws/time?interval_ms=100&count=2', frames: text('x') },
  {
    path: '/graphql/ws',
    subprotocol: 'graphql-transport-ws',
    frames: Buffer.concat(
      [
        { type: 'connection_init', payload: {} },
        { type: 'ping' },
        { type: 'subscribe', id: '1', payload: { query: '{ __typename }', variables: { a: 1 } } },
        { type: 'complete', id: '1' },
      ].map(text),
    ),
  },
  {
    path: '/graphql/ws',
    subprotocol: 'graphql-ws',
    frames: Buffer.concat(
      [
        { type: 'connection_init' },
        { type: 'start', id: '1', payload: { query: '{ __typename }' } },
        { type: 'stop', id: '1' },
        { type: 'connection_terminate' },
      ].map(text),
    ),
  },
  {
    path: '/ai/openai/v1/realtime?model=svc-echo',
    subprotocol: 'realtime',
    frames: Buffer.concat(
      [
        {
          type: 'session.update',
          session: { type: 'realtime', output_modalities: ['text'], tools: [], audio: { output: { voice: 'ash' } } },
        },
        {
          type: 'conversation.item.create',
          item: { id: 'a', type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hello' }] },
        },
        { type: 'input_audio_buffer.append', audio: 'AECAAECA' },
        { type: 'input_audio_buffer.commit' },
        { type: 'response.create', response: { max_output_tokens: 9, input: [{ type: 'item_reference', id: 'a' }] } },
        { type: 'response.cancel' },
        { type: 'conversation.item.truncate', item_id: 'a', content_index: 0, audio_end_ms: 1 },
      ].map(text),
    ),
  },
  {
    path: '/ai/gemini/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent',
    frames: Buffer.concat(
      [
        {
          setup: {
            model: 'svc-echo',
            generationConfig: { responseModalities: ['TEXT'] },
            sessionResumption: { handle: 'a' },
          },
        },
        { clientContent: { turns: [{ role: 'user', parts: [{ text: 'hello' }] }], turnComplete: true } },
        { realtimeInput: { audio: { mimeType: 'audio/pcm;rate=16000', data: 'AECAAECA' }, audioStreamEnd: true } },
        { toolResponse: { functionResponses: [{ id: 'a', name: 'f', response: {} }] } },
      ].map(text),
    ),
  },
]
const WORDS = [
  '"type":"subscribe"',
  '"id":"1"',
  '"query":"{a}"',
  '__proto__',
  '{',
  '}',
  '\x81\x80',
  '\x88\x80\0\0\0\0',
  '\xc1',
  '\x81\xff',
]

export function webSockets(target: Target, slice: number): Family<Session> {
  return {
    name: 'WebSocket frames',
    seeds: SEEDS,
    slice,
    inFlight: 8,
    // Half of the cases change the payload under a valid frame header: the message, not the frame, is invalid.
    mutate: (random, seed) => ({
      ...seed,
      frames: random.oneIn(2)
        ? mutateBytes(random, seed.frames, WORDS)
        : text(mutateBytes(random, seed.frames, WORDS).toString('latin1')),
    }),
    run: session => exchange(target.server.ports.http!, session),
  }
}

/** Sends the frames after the 101 and closes its side; the response must end. */
function exchange(port: number, { path, subprotocol, frames }: Session): Promise<Finding> {
  return new Promise(resolve => {
    const protocol = subprotocol === undefined ? '' : `Sec-WebSocket-Protocol: ${subprotocol}\r\n`
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(
        `GET ${path} HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n${protocol}\r\n`,
      ),
    )
    let head = ''
    const done = (finding: Finding): void => {
      socket.destroy()
      resolve(finding)
    }
    socket.on('data', chunk => {
      if (head.includes('\r\n\r\n')) return
      head += chunk.toString('latin1')
      if (!head.includes('\r\n\r\n')) return
      if (!head.startsWith('HTTP/1.1 101 ')) done(`no 101: ${head.slice(0, 200)}`)
      else socket.end(frames)
    })
    socket.on('close', () => done(null)).on('error', () => done(null))
    socket.setTimeout(PATIENCE_MS, () => done(`the connection was still open ${PATIENCE_MS} ms after its end`))
  })
}
