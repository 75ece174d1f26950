/** The one timer behind the pace of all token streams. */
import t from 'tap'
import { setTimeout as wait } from 'node:timers/promises'
import { TokenClock } from '../../plugins/llm/token-clock.ts'

t.test('everybody wakes once, in the order of their times and not before them', async t => {
  const clock = new TokenClock()
  const woken: number[] = []
  const start = performance.now()
  const delays = [30, 5, 17, 5, 0, 120, 60, -10]
  await Promise.all(delays.map(delay => new Promise<void>(resolve => {
    clock.at(start + delay, () => {
      woken.push(delay)
      t.ok(performance.now() >= start + delay, `${delay} ms: not too early`)
      resolve()
    })
  })))
  t.strictSame([...woken].sort((a, b) => a - b), [...delays].sort((a, b) => a - b), 'each once')
  t.strictSame(woken.filter(delay => delay > 1), [5, 5, 17, 30, 60, 120])
})

t.test('who is cancelled sleeps on, others of the same moment do not', async t => {
  const clock = new TokenClock()
  const woken: string[] = []
  const dueAt = Math.ceil(performance.now()) + 10
  const cancel = clock.at(dueAt, () => woken.push('cancelled'))
  clock.at(dueAt, () => woken.push('kept'))
  const cancelFar = clock.at(dueAt + 60_000, () => woken.push('far'))
  cancel()
  cancel()
  cancelFar()
  await wait(40)
  t.strictSame(woken, ['kept'])
})

t.test('wake-ups that ask for the next one get it, after a pause too', async t => {
  const clock = new TokenClock()
  for (let round = 0; round < 2; round++) {
    let steps = 0
    await new Promise<void>(resolve => {
      const step = (): void => {
        if (++steps === 20) resolve()
        else clock.at(performance.now() + 1, step)
      }
      clock.at(performance.now() + 1, step)
    })
    t.equal(steps, 20)
    await wait(30)
  }
})
