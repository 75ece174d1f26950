/** The idle timeout of a realtime session, with a clock of its own. */
import t from 'tap'
import { IdleTimeout } from '../../../plugins/llm-openai-realtime/idle-timeout.ts'

/** Timers that run when the test says so. */
function createTimers() {
  let now = 0
  const timers = new Set<{ at: number; act: () => void }>()
  return {
    count: () => timers.size,
    after(ms: number, act: () => void) {
      const timer = { at: now + ms, act }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
    pass(ms: number) {
      now += ms
      for (const timer of timers)
        if (timer.at <= now) {
          timers.delete(timer)
          timer.act()
        }
    },
  }
}

t.test('it begins when the sound has been played, and ends with speech [LLMN-204]', async t => {
  const timers = createTimers()
  const reached: number[] = []
  let audioMs = 100
  const idle = new IdleTimeout(timers, { audioMs: () => audioMs, reached: fromMs => reached.push(fromMs) })
  idle.start(800, 5000)
  timers.pass(799)
  audioMs = 900
  timers.pass(1)
  audioMs = 5000
  timers.pass(4999)
  t.same(reached, [])
  timers.pass(1)
  t.same(reached, [900], 'from the end of the sound')
  idle.start(0, 5000)
  idle.start(0, 6000)
  timers.pass(0)
  timers.pass(5000)
  t.same(reached, [900], 'a further response begins it again')
  idle.stop()
  t.equal(timers.count(), 0)
  idle.stop()
})
