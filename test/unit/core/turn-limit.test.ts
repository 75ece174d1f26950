/** Work that arrives at once is spread over turns of the event loop. */
import t from 'tap'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { TurnLimit } from '../../../core/http/sockets/turn-limit.ts'

t.test('a limited number starts in each turn, in order [HARD-9]', async t => {
  const limit = new TurnLimit(3)
  const started: number[] = []
  for (let count = 0; count < 8; count++) limit.run(() => started.push(count))
  t.strictSame(started, [0, 1, 2])
  await nextTurn()
  t.ok(started.length <= 6)
  while (started.length < 8) await nextTurn()
  t.strictSame(started, [0, 1, 2, 3, 4, 5, 6, 7])
  await nextTurn()
  await nextTurn()
  limit.run(() => started.push(8))
  t.equal(started.length, 9, 'at once again')
})
