/**
 * Due times of the tokens of a stream, and the behavior of a pump if the client is slow or disconnects, or if the stream
 * fails.
 */
import t from 'tap'
import type { BodyStream, StreamEnd } from 'svc/plugin'
import { framings, type Framer } from '../../../plugins/llm/streaming/framing.ts'
import { PlainOutput } from '../../../plugins/llm/streaming/output.ts'
import { pump, type PumpOptions, type StreamOutcome } from '../../../plugins/llm/streaming/pump.ts'
import type { StreamEvent } from '../../../plugins/llm/contract/stream.ts'
import type { Sleeper, TokenClock } from '../../../plugins/llm/streaming/token-clock.ts'

const GAP_MS = 200

/** A client with a buffer for `capacity` writes, until `drain` is called. */
class Reader {
  closed = false
  text = ''
  #capacity: number
  #drain = (): void => {}
  readonly signal = new AbortController().signal
  finish: (reason: StreamEnd) => void = () => {}
  readonly over = new Promise<StreamEnd>(resolve => {
    this.finish = resolve
  })

  constructor(capacity = Infinity) {
    this.#capacity = capacity
  }

  write(chunk: string | Buffer): boolean {
    this.text += typeof chunk === 'string' ? chunk : chunk.toString('latin1')
    return --this.#capacity > 0
  }

  end(last = ''): void {
    this.text += last
    this.closed = true
    this.finish('done')
  }

  leave(): void {
    this.closed = true
    this.finish('client')
  }

  ready(): Promise<void> {
    return new Promise(resolve => {
      this.#drain = resolve
    })
  }

  async drain(): Promise<void> {
    this.#capacity = 1
    this.#drain()
    await new Promise(resolve => setImmediate(resolve))
  }
}

/** Records sleepers and their due times. Tests advance its time. */
class HeldClock {
  time = 1000
  readonly dueAt: number[] = []
  readonly #sleepers: Sleeper[] = []

  now(): number {
    return this.time
  }

  begin(): void {}

  at(dueAt: number, sleeper: Sleeper): void {
    this.dueAt.push(dueAt)
    this.#sleepers.push(sleeper)
  }

  get waiting(): number {
    return this.#sleepers.length
  }

  wakeNext(): void {
    this.#sleepers.shift()!.wake()
  }
}

function start(
  reader: Reader,
  events: Iterable<StreamEvent>,
  {
    clock = new HeldClock(),
    framer = framings.ndjson,
    ...options
  }: Omit<Partial<PumpOptions>, 'clock'> & { clock?: HeldClock; framer?: Framer },
): void {
  pump(reader as unknown as BodyStream, events, {
    output: new PlainOutput(reader as unknown as BodyStream, framer, () => clock.now()),
    clock: clock as unknown as TokenClock,
    ttftMs: 0,
    nextGap: () => 0,
    errorEvent: () => ({ data: '' }),
    destroy() {},
    stallMs: 0,
    ended() {},
    fail(error) {
      throw error
    },
    ...options,
  })
}

function tokens(count: number, paced = true): StreamEvent[] {
  return Array.from({ length: count }, (_, index) => ({ data: String(index), paced }))
}

t.test('due times add up; a stream that wakes too early waits again', t => {
  const clock = new HeldClock()
  const reader = new Reader()
  start(reader, tokens(3), { clock, nextGap: () => GAP_MS })
  t.equal(reader.text, '0\n', 'the first event does not wait')
  clock.wakeNext()
  t.equal(clock.dueAt.length, 2)
  t.equal(clock.dueAt[1], clock.dueAt[0])
  t.equal(reader.text, '0\n')
  clock.time = clock.dueAt[0]!
  clock.wakeNext()
  t.equal(reader.text, '0\n1\n')
  t.equal(clock.dueAt[2], clock.dueAt[0]! + GAP_MS)
  t.end()
})

t.test('a stream that is too late does not catch up', t => {
  const clock = new HeldClock()
  start(new Reader(), tokens(5), { clock, nextGap: () => GAP_MS })
  while (clock.waiting > 0) {
    clock.time = clock.dueAt.at(-1)! + 20
    const wokenAt = clock.time
    clock.wakeNext()
    if (clock.waiting > 0) t.ok(clock.dueAt.at(-1)! >= wokenAt + GAP_MS)
  }
  t.equal(clock.dueAt.length, 4, 'all other events wait')
  t.end()
})

t.test('events without a delay are written together; a full buffer delays the next write', async t => {
  const long = 'x'.repeat(13_000)
  const reader = new Reader(1)
  start(reader, [{ data: 'a' }, { data: long }, { data: long }, { data: 'b' }], {})
  t.equal(reader.text, `a\n${long}\n`)
  await reader.drain()
  t.equal(reader.text, `a\n${long}\n${long}\n`)
  t.notOk(reader.closed)
  await reader.drain()
  t.equal(reader.text, `a\n${long}\n${long}\nb\n`)
  t.ok(reader.closed)
})

t.test('binary frames also wait for a full buffer', async t => {
  const reader = new Reader(1)
  start(
    reader,
    [
      { event: 'a', data: {} },
      { event: 'b', data: {} },
      { event: 'c', data: {} },
    ],
    { framer: framings['aws-eventstream'] },
  )
  t.match(reader.text, ':event-type')
  t.notMatch(reader.text, ':event-type\u0007\u0000\u0001b')
  t.notOk(reader.closed)
  await reader.drain()
  t.match(reader.text, ':event-type\u0007\u0000\u0001b')
  t.notMatch(reader.text, ':event-type\u0007\u0000\u0001c')
  await reader.drain()
  t.match(reader.text, ':event-type\u0007\u0000\u0001c')
  await reader.drain()
  t.ok(reader.closed)
})

t.test('no more events are generated after the client disconnects', t => {
  const clock = new HeldClock()
  let isReleased = false
  function* events(): Iterable<StreamEvent> {
    try {
      yield* tokens(10)
    } finally {
      isReleased = true
    }
  }
  const reader = new Reader()
  start(reader, events(), { clock, nextGap: () => GAP_MS })
  reader.closed = true
  clock.wakeNext()
  t.equal(reader.text, '0\n')
  t.equal(clock.waiting, 0)
  t.ok(isReleased)
  t.end()
})

t.test('errors of the event generator are passed on, immediately and later', t => {
  function* events(after: number): Iterable<StreamEvent> {
    yield* tokens(after)
    throw new Error('cannot be made')
  }
  for (const after of [0, 1, 2]) {
    const errors: unknown[] = []
    const clock = new HeldClock()
    start(new Reader(), events(after), { clock, nextGap: () => 1, fail: error => errors.push(error) })
    while (clock.waiting > 0) {
      clock.time = clock.dueAt.at(-1)!
      clock.wakeNext()
    }
    t.match(errors, [{ message: 'cannot be made' }], `after ${after}`)
  }
  t.end()
})

/** Starts a stream and returns its outcome once it has ended. */
function outcomeOf(reader: Reader, options: Parameters<typeof start>[2], events = tokens(3)): Promise<StreamOutcome> {
  return new Promise(ended => start(reader, events, { ...options, ended }))
}

t.test('a whole stream reports all that it wrote [LLMN-1]', async t => {
  const clock = new HeldClock()
  const outcome = await outcomeOf(new Reader(), { clock }, [{ data: 'head' }, ...tokens(3), { data: 'end' }])
  t.same(outcome, { isWhole: true, by: null, events: 5, tokens: 3, firstTokenAt: 1000 })
})

t.test('a stream whose client leaves reports only what was written [LLMN-1]', async t => {
  const clock = new HeldClock()
  const reader = new Reader()
  const ended = outcomeOf(reader, { clock, nextGap: () => GAP_MS }, [{ data: 'head' }, ...tokens(3)])
  clock.time = clock.dueAt[0]!
  clock.wakeNext()
  reader.leave()
  t.same(await ended, { isWhole: false, by: 'client', events: 3, tokens: 2, firstTokenAt: 1000 })
})

t.test('a stream that a fault breaks reports the fault [LLMN-1]', async t => {
  const point = { what: 'stream_error', afterTokens: 2, isLast: false } as const
  const outcome = await outcomeOf(new Reader(), { break: point })
  t.match(outcome, { isWhole: false, by: 'fault', events: 2, tokens: 2 })
})
