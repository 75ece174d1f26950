/** The one timer behind the pace of all token streams. */
import t from 'tap'
import { TokenClock } from '../../plugins/llm/token-clock.ts'

t.test('everybody wakes once, in the order of their times and not before them', async t => {
  const clock = new TokenClock()
  const woken: number[] = []
  const start = performance.now()
  const delays = [30, 5, 17, 5, 0, 120, 60, -10]
  await Promise.all(delays.map(delay => new Promise<void>(resolve => {
    clock.at(start + delay, {
      wake() {
        woken.push(delay)
        t.ok(performance.now() >= start + delay, `${delay} ms: not too early`)
        resolve()
      },
    })
  })))
  t.strictSame([...woken].sort((a, b) => a - b), [...delays].sort((a, b) => a - b), 'each once')
  t.strictSame(woken.filter(delay => delay > 1), [5, 5, 17, 30, 60, 120])
})

t.test('who waits for long is woken after a second, to ask again', async t => {
  const clock = new TokenClock()
  const start = performance.now()
  await new Promise<void>(resolve => clock.at(start + 60_000, { wake: resolve }))
  const waited = performance.now() - start
  t.ok(waited >= 1000 && waited < 50_000, `${waited} ms`)
})

t.test('wake-ups that ask for the next one get it, after a pause too', async t => {
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

/** How many of so many sleepers of one moment wake in each turn of the event loop; `begins` is told in every turn. */
async function wakesByTurn(sleepers: number, begins: boolean): Promise<number[]> {
  const clock = new TokenClock()
  const turns: number[] = []
  let inTurn = 0
  let left = sleepers
  const dueAt = performance.now() + 5
  if (begins) clock.begin()
  await new Promise<void>(resolve => {
    const turn = (): void => {
      if (inTurn > 0) turns.push(inTurn)
      inTurn = 0
      if (begins) clock.begin()
      if (left > 0) setImmediate(turn)
      else resolve()
    }
    for (let number = 0; number < sleepers; number++) clock.at(dueAt, { wake() { inTurn++; left-- } })
    turn()
  })
  return turns
}

t.test('a crowd wakes in several turns, and connections are accepted in between', async t => {
  const turns = await wakesByTurn(1000, false)
  t.equal(turns.reduce((sum, wakes) => sum + wakes, 0), 1000)
  t.ok(turns.length >= 4 && turns.every(wakes => wakes <= 256), turns.join())
})

t.test('while streams begin there are many turns', async t => {
  const turns = await wakesByTurn(200, true)
  t.equal(turns.reduce((sum, wakes) => sum + wakes, 0), 200)
  t.ok(turns.every(wakes => wakes <= 16), turns.join())
})
