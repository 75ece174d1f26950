/** When the tokens of a stream are due: by the pace from the first on, and by now where the server is late. */
import t from 'tap'
import type { BodyStream } from 'svc/plugin'
import { framings } from '../../plugins/llm/framing/framing.ts'
import { pump } from '../../plugins/llm/pump.ts'
import type { TokenClock } from '../../plugins/llm/token-clock.ts'

const GAP_MS = 200

/** Due times that the pump asked for, with the moment at which it was woken. */
async function dueTimes(wakeAt: (dueAt: number) => number): Promise<{ dueAt: number; wokenAt: number }[]> {
  const asked: { dueAt: number; wokenAt: number }[] = []
  const clock = {
    at(dueAt: number, wake: () => void) {
      while (performance.now() < wakeAt(dueAt)) { /* the server has other things to do */ }
      asked.push({ dueAt, wokenAt: performance.now() })
      wake()
      return () => {}
    },
  } as unknown as TokenClock
  const stream = { closed: false, signal: new AbortController().signal, write: () => true, end() {}, ready: async () => {} } as unknown as BodyStream
  const events = Array.from({ length: 5 }, (_, index) => ({ data: String(index), paced: true }))
  await pump(stream, events, { framer: framings.sse, clock, ttftMs: 0, nextGap: () => GAP_MS, errorEvent: () => ({ data: '' }), destroy() {}, stallMs: 0 })
  return asked
}

t.test('in time, due times add up', async t => {
  const asked = await dueTimes(() => 0)
  t.equal(asked.length, 4, 'all but the first wait')
  asked.slice(1).forEach(({ dueAt }, index) => t.equal(dueAt, asked[index]!.dueAt + GAP_MS))
})

t.test('late by more than it may catch up with, the next is a whole gap away', async t => {
  const asked = await dueTimes(dueAt => dueAt + 20)
  t.equal(asked.length, 4)
  asked.slice(1).forEach(({ dueAt }, index) => t.ok(dueAt >= asked[index]!.wokenAt + GAP_MS))
})
