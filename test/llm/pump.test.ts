/** When the tokens of a stream are due, and what a pump does for a reader that is slow, gone, or behind a stream that fails. */
import t from 'tap'
import type { BodyStream } from 'svc/plugin'
import { framings } from '../../plugins/llm/framing/framing.ts'
import { pump, type PumpOptions } from '../../plugins/llm/pump.ts'
import type { StreamEvent } from '../../plugins/llm/provider.ts'
import type { Sleeper, TokenClock } from '../../plugins/llm/token-clock.ts'

const GAP_MS = 200

/** A reader whose buffer takes so many writes until `drain` is called. */
class Reader {
  closed = false
  text = ''
  #room: number
  #drain = (): void => {}
  readonly signal = new AbortController().signal

  constructor(room = Infinity) {
    this.#room = room
  }

  write(chunk: string | Buffer): boolean {
    this.text += typeof chunk === 'string' ? chunk : chunk.toString('latin1')
    return --this.#room > 0
  }

  end(last = ''): void {
    this.text += last
    this.closed = true
  }

  ready(): Promise<void> {
    return new Promise(resolve => { this.#drain = resolve })
  }

  async drain(): Promise<void> {
    this.#room = 1
    this.#drain()
    await new Promise(resolve => setImmediate(resolve))
  }
}

interface Asked { dueAt: number; wokenAt: number }

/** Wakes who asks at the time that `wakeAt` says, and keeps when they wanted to be woken. */
function clockOf(asked: Asked[], wakeAt: (dueAt: number) => number): TokenClock {
  return {
    begin() {},
    at(dueAt: number, sleeper: Sleeper) {
      while (performance.now() < wakeAt(dueAt)) { /* the server has other things to do */ }
      asked.push({ dueAt, wokenAt: performance.now() })
      sleeper.wake()
    },
  } as unknown as TokenClock
}

function start(reader: Reader, events: Iterable<StreamEvent>, options: Partial<PumpOptions>): void {
  pump(reader as unknown as BodyStream, events, {
    framer: framings.ndjson, clock: clockOf([], dueAt => dueAt), ttftMs: 0, nextGap: () => 0, errorEvent: () => ({ data: '' }), destroy() {}, stallMs: 0, fail(error) { throw error }, ...options,
  })
}

function tokens(count: number, paced = true): StreamEvent[] {
  return Array.from({ length: count }, (_, index) => ({ data: String(index), paced }))
}

t.test('in time, due times add up; who is woken too early asks for the same time again', t => {
  const asked: Asked[] = []
  const sleepers: Sleeper[] = []
  const clock = { begin() {}, at(dueAt: number, sleeper: Sleeper) { asked.push({ dueAt, wokenAt: performance.now() }); sleepers.push(sleeper) } } as unknown as TokenClock
  const reader = new Reader()
  start(reader, tokens(3), { clock, nextGap: () => GAP_MS })
  t.equal(reader.text, '0\n', 'the first does not wait')
  sleepers.shift()!.wake()
  t.equal(asked.length, 2)
  t.equal(asked[1]!.dueAt, asked[0]!.dueAt)
  t.equal(reader.text, '0\n')
  while (performance.now() < asked[0]!.dueAt) { /* wait for it */ }
  sleepers.shift()!.wake()
  t.equal(reader.text, '0\n1\n')
  t.equal(asked[2]!.dueAt, asked[0]!.dueAt + GAP_MS)
  t.end()
})

t.test('late by more than it may catch up with, the next is a whole gap away', t => {
  const asked: Asked[] = []
  start(new Reader(), tokens(5), { clock: clockOf(asked, dueAt => dueAt + 20), nextGap: () => GAP_MS })
  t.equal(asked.length, 4, 'all but the first wait')
  asked.slice(1).forEach(({ dueAt }, index) => t.ok(dueAt >= asked[index]!.wokenAt + GAP_MS))
  t.end()
})

t.test('what nothing waits between leaves together; a full reader is waited for', async t => {
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

t.test('frames of bytes wait for a full reader, too', async t => {
  const reader = new Reader(1)
  start(reader, [{ event: 'a', data: {} }, { event: 'b', data: {} }, { event: 'c', data: {} }], { framer: framings['aws-eventstream'] })
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

t.test('when the client has gone, no more events are made', t => {
  const sleepers: Sleeper[] = []
  const clock = { begin() {}, at(_dueAt: number, sleeper: Sleeper) { sleepers.push(sleeper) } } as unknown as TokenClock
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
  sleepers.shift()!.wake()
  t.equal(reader.text, '0\n')
  t.equal(sleepers.length, 0)
  t.ok(isReleased)
  t.end()
})

t.test('what making an event throws is handed over, at once and later', t => {
  function* events(after: number): Iterable<StreamEvent> {
    yield* tokens(after)
    throw new Error('cannot be made')
  }
  for (const after of [0, 1, 2]) {
    const errors: unknown[] = []
    const sleepers: Sleeper[] = []
    const clock = { begin() {}, at(_dueAt: number, sleeper: Sleeper) { sleepers.push(sleeper) } } as unknown as TokenClock
    start(new Reader(), events(after), { clock, nextGap: () => 1, fail: error => errors.push(error) })
    while (sleepers.length > 0) {
      const before = performance.now()
      while (performance.now() < before + 2) { /* until it is due */ }
      sleepers.shift()!.wake()
    }
    t.match(errors, [{ message: 'cannot be made' }], `after ${after}`)
  }
  t.end()
})
