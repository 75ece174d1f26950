/** Evaluation of conditions on many requests. */
import t from 'tap'
import { inSlices, TooSlow } from '../../../core/inspector/slices.ts'

function busy(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

t.test('others run between slices, and every item is visited in order [SEE-7]', async t => {
  const visited: number[] = []
  const turns: number[] = []
  const timer = setInterval(() => turns.push(visited.length), 1)
  await inSlices([1, 2, 3, 4, 5], item => {
    visited.push(item)
    busy(25)
  })
  clearInterval(timer)
  t.strictSame(visited, [1, 2, 3, 4, 5])
  t.ok(
    turns.some(count => count > 0 && count < 5),
    'a timer ran in between',
  )
  let isTurnOver = false
  setImmediate(() => {
    isTurnOver = true
  })
  await inSlices(
    Array.from({ length: 1000 }, (_, index) => index),
    () => {},
  )
  t.notOk(isTurnOver, 'quick conditions need one turn')
})

t.test('it stops after some time [SEE-7]', async t => {
  let visits = 0
  const slow = inSlices(
    Array.from({ length: 100 }, (_, index) => index),
    () => {
      visits++
      busy(25)
    },
    60,
  )
  t.ok((await slow.catch((error: unknown) => error)) instanceof TooSlow)
  t.ok(visits < 10, String(visits))
})
