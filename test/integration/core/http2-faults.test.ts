/** What the fault headers do over HTTP/2, frame by frame: the sentences of docs/faults.md. */
import t from 'tap'
import { connect, type Socket } from 'node:net'
import { constants } from 'node:http2'
import { FRAME, PREFACE, SETTINGS, fieldBlock, frame } from '../../support/http2-frames.ts'
import { serve } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const END_STREAM = 0x1
const END_HEADERS = 0x4
const { NGHTTP2_INTERNAL_ERROR: INTERNAL_ERROR, NGHTTP2_NO_ERROR: NO_ERROR } = constants

interface Frame {
  type: number
  flags: number
  stream: number
  payload: Buffer
}

/** A client that sends requests and records all frames. */
class FrameClient {
  readonly #socket: Socket
  #bytes = Buffer.alloc(0)
  readonly frames: Frame[] = []
  end: 'none' | 'fin' | 'reset' = 'none'

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1')
    this.#socket
      .on('data', bytes => this.#take(bytes))
      .on('end', () => {
        this.end = 'fin'
      })
      .on('error', () => {
        this.end = 'reset'
      })
    this.#socket.write(Buffer.concat([PREFACE, SETTINGS, frame(FRAME.settings, 0x1, 0, Buffer.alloc(0))]))
  }

  request(stream: number, headers: Record<string, string>, { method = 'GET', path = '/echo' } = {}): void {
    this.#socket.write(
      frame(
        FRAME.headers,
        END_HEADERS | END_STREAM,
        stream,
        fieldBlock({ ':method': method, ':scheme': 'http', ':path': path, ':authority': 'a', ...headers }),
      ),
    )
  }

  /** Frames of a stream so far; 0: GOAWAY alone. */
  of(stream: number): Frame[] {
    return this.frames.filter(one => one.stream === stream && (stream !== 0 || one.type === FRAME.goaway))
  }

  /** Whether a stream was ended or reset, or the connection is closed. */
  async ended(stream: number): Promise<Frame[]> {
    await until(
      () =>
        this.end !== 'none' ||
        this.of(stream).some(
          ({ type, flags }) => type === FRAME.rstStream || (type === FRAME.data && (flags & END_STREAM) !== 0),
        ),
      `the end of stream ${stream}`,
    )
    return this.of(stream)
  }

  close(): void {
    this.#socket.destroy()
  }

  #take(bytes: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, bytes])
    while (this.#bytes.length >= 9 && this.#bytes.length >= 9 + this.#bytes.readUIntBE(0, 3)) {
      const length = this.#bytes.readUIntBE(0, 3)
      this.frames.push({
        type: this.#bytes[3]!,
        flags: this.#bytes[4]!,
        stream: this.#bytes.readUInt32BE(5),
        payload: this.#bytes.subarray(9, 9 + length),
      })
      this.#bytes = this.#bytes.subarray(9 + length)
    }
  }
}

const typesOf = (frames: Frame[]): number[] =>
  frames.map(({ type }) => type).filter((type, index, all) => type !== FRAME.data || all[index - 1] !== FRAME.data)
const bytesOf = (frames: Frame[]): number =>
  frames.reduce((sum, { type, payload }) => sum + (type === FRAME.data ? payload.length : 0), 0)
const codeOf = ({ payload }: Frame): number => payload.readUInt32BE(payload.length - 4)

const server = await serve(t, { env: { SVC_GRPC_ON_HTTP: 'true' } })

function open(t: { teardown(callback: () => unknown): unknown }): FrameClient {
  const client = new FrameClient(server.ports.http!)
  t.teardown(() => client.close())
  return client
}

/** The body that the head announces: as long as that of the same fault over HTTP/1.1, where the length can be read. */
async function announced(fault: string): Promise<number> {
  const response = await fetch(`${server.url}/echo`, { headers: { 'X-Svc-Abort': fault } })
  await response.text().catch(() => '')
  return Number(response.headers.get('content-length'))
}

t.test(
  'reset, empty, truncate, bad-chunk and garbage break their stream, and the connection keeps serving others [ABORT-11]',
  async t => {
    const client = open(t)
    client.request(1, { 'x-svc-abort': 'reset' })
    const reset = await client.ended(1)
    t.strictSame([typesOf(reset), codeOf(reset.at(-1)!)], [[FRAME.rstStream], INTERNAL_ERROR], 'no HEADERS')

    client.request(3, { 'x-svc-abort': 'empty' })
    const empty = await client.ended(3)
    t.strictSame([typesOf(empty), codeOf(empty.at(-1)!)], [[FRAME.headers, FRAME.rstStream], INTERNAL_ERROR])

    client.request(5, { 'x-svc-abort': 'truncate' })
    const truncated = await client.ended(5)
    t.strictSame(
      [typesOf(truncated), codeOf(truncated.at(-1)!)],
      [[FRAME.headers, FRAME.data, FRAME.rstStream], INTERNAL_ERROR],
    )
    t.equal(bytesOf(truncated), Math.floor((await announced('truncate')) / 2), 'half of the body')

    client.request(7, { 'x-svc-abort': 'bad-chunk' })
    const malformed = await client.ended(7)
    t.strictSame(typesOf(malformed), [FRAME.headers, FRAME.data])
    t.ok((malformed.at(-1)!.flags & END_STREAM) !== 0, 'END_STREAM')
    t.ok(Math.abs(bytesOf(malformed) - bytesOf(truncated)) <= 2, 'half of the body')

    client.request(11, { 'x-svc-abort': 'garbage' })
    const garbage = await client.ended(11)
    t.strictSame([typesOf(garbage), codeOf(garbage.at(-1)!)], [[FRAME.rstStream], INTERNAL_ERROR], 'no HEADERS')

    client.request(13, {})
    t.strictSame(typesOf(await client.ended(13)), [FRAME.headers, FRAME.data], 'the connection goes on')
    t.strictSame([client.of(0), client.end], [[], 'none'])
  },
)

t.test(
  'close ends the connection with all its streams, and so do faults that act like close on HEAD [ABORT-11, ABORT-5]',
  async t => {
    for (const [method, fault] of [
      ['GET', 'close'],
      ['HEAD', 'close'],
      ['HEAD', 'empty'],
      ['HEAD', 'truncate'],
      ['HEAD', 'bad-chunk'],
    ] as const) {
      const client = open(t)
      client.request(1, { 'x-svc-delay': '5000' })
      client.request(3, { 'x-svc-abort': fault }, { method })
      t.strictSame(typesOf(await client.ended(3)), [], `${method} ${fault}: nothing on the stream`)
      t.strictSame(client.of(0).map(codeOf), [NO_ERROR], 'GOAWAY')
      t.equal(client.end, 'fin')
      t.strictSame(
        client.of(1).map(one => [one.type, codeOf(one)]),
        [[FRAME.rstStream, NO_ERROR]],
        'the answer that was still to come is cut',
      )
    }
    const client = open(t)
    client.request(1, { 'x-svc-abort': 'reset' }, { method: 'HEAD' })
    t.strictSame(typesOf(await client.ended(1)), [FRAME.rstStream], 'reset stays a reset on HEAD')
    t.equal(client.end, 'none')
  },
)

t.test('a delay affects one stream, a failure is a complete response [ABORT-8]', async t => {
  const client = open(t)
  client.request(1, { 'x-svc-delay': '400' })
  client.request(3, { 'x-svc-fail': '503' })
  client.request(5, {})
  const [failed, plain] = [await client.ended(3), await client.ended(5)]
  t.strictSame(client.of(1), [], 'others are answered meanwhile')
  for (const frames of [failed, plain, await client.ended(1)]) {
    t.strictSame(typesOf(frames), [FRAME.headers, FRAME.data])
    t.ok((frames.at(-1)!.flags & END_STREAM) !== 0)
  }
  t.strictSame([client.of(0), client.end], [[], 'none'])
})

t.test('without response headers the status is 444 over HTTP/2 too [ABORT-10]', async t => {
  const client = open(t)
  client.request(1, { 'x-svc-abort': 'reset', 'x-request-id': 'h2-reset' })
  await client.ended(1)
  client.request(3, { 'x-svc-abort': 'close', 'x-request-id': 'h2-close' })
  await client.ended(3)
  for (const [id, fault] of [
    ['h2-reset', 'reset'],
    ['h2-close', 'close'],
  ] as const) {
    const entry = await until(async () => {
      const response = await fetch(`${server.url}/_svc/requests/${id}`)
      return response.status === 200 ? ((await response.json()) as object) : null
    }, `the entry of ${id}`)
    t.match(entry, {
      status: 444,
      ended: 'aborted',
      fault: 'abort',
      fault_source: `X-Svc-Abort: ${fault}`,
      version: 'HTTP/2.0',
    })
  }
})
