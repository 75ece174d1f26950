/** The timer shared by all token streams. */
import t from 'tap'
import { TokenClock } from '../../../plugins/llm/streaming/token-clock.ts'

t.test('every sleeper wakes once, in order of due time and not early', async t => {
  const clock = new TokenClock()
  const woken: number[] = []
  const start = performance.now()
  const delays = [30, 5, 17, 5, 0, 120, 60, -10]
  await Promise.all(
    delays.map(
      delay =>
        new Promise<void>(resolve => {
          clock.at(start + delay, {
            wake() {
              woken.push(delay)
              t.ok(performance.now() >= start + delay, `${delay} ms: not too early`)
              resolve()
            },
          })
        }),
    ),
  )
  t.strictSame(
    [...woken].sort((a, b) => a - b),
    [...delays].sort((a, b) => a - b),
    'each once',
  )
  t.strictSame(
    woken.filter(delay => delay > 1),
    [5, 5, 17, 30, 60, 120],
  )
})

t.test('a sleeper with a long delay wakes after a second', async t => {
  const clock = new TokenClock()
  const start = performance.now()
  await new Promise<void>(resolve => clock.at(start + 60_000, { wake: resolve }))
  const waited = performance.now() - start
  t.ok(waited >= 1000 && waited < 50_000, `${waited} ms`)
})

t.test('a sleeper can sleep again while it wakes, also after a pause', async t => {
  const clock = new TokenClock()
  for (let round = 0; round < 2; round++) {
    let steps = 0
    await new Promise<void>(resolve => {
      const sleeper = {
        wake() {
          if (++steps === 20) resolve()
          else clock.at(performance.now() + 1, sleeper)
        },
      }
      clock.at(performance.now() + 1, sleeper)
    })
    t.equal(steps, 20)
    await new Promise(resolve => setTimeout(resolve, 30))
  }
})

/** Number of sleepers with the same due time that wake in each turn, if the clock is late. */
async function wakesByTurn(
  sleepers: number,
  { begins, lateMs }: { begins: boolean; lateMs: number },
): Promise<number[]> {
  let now = 100
  const clock = new TokenClock(() => now)
  const turns: number[] = []
  let inTurn = 0
  let left = sleepers
  for (let number = 0; number < sleepers; number++)
    clock.at(105, {
      wake() {
        inTurn++
        left--
      },
    })
  now = 105 + lateMs
  await new Promise<void>(resolve => {
    const turn = (): void => {
      if (inTurn > 0) turns.push(inTurn)
      inTurn = 0
      if (begins) clock.begin()
      if (left > 0) setImmediate(turn)
      else resolve()
    }
    turn()
  })
  t.equal(
    turns.reduce((sum, wakes) => sum + wakes, 0),
    sleepers,
    'all of them',
  )
  return turns
}

t.test('many sleepers wake in several turns, and connections are accepted in between', async t => {
  t.strictSame(await wakesByTurn(1000, { begins: false, lateMs: 1 }), [256, 256, 256, 232])
})

t.test('more turns are used while streams begin', async t => {
  t.strictSame(await wakesByTurn(200, { begins: true, lateMs: 1 }), [...Array.from({ length: 12 }, () => 16), 8])
})

t.test('late sleepers are not delayed by new streams', async t => {
  t.strictSame(await wakesByTurn(300, { begins: true, lateMs: 50 }), [300])
})
