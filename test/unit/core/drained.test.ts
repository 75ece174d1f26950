/** Waiting for a reader that is slow, has disconnected, or reads nothing. */
import t from 'tap'
import { EventEmitter } from 'node:events'
import { drained, isGone } from '../../../core/contract/drained.ts'

function stream(state: { destroyed?: boolean; stream?: { destroyed: boolean } } = {}) {
  return Object.assign(new EventEmitter(), state)
}

t.test('a writer goes on when its stream has drained [UNSENT-4]', async t => {
  const slow = stream()
  const waiting = drained(slow)
  slow.emit('drain')
  t.equal(await waiting, true)
  t.same(slow.eventNames(), [])
})

t.test('a writer gives up when its stream closes, or has closed before [UNSENT-4]', async t => {
  const closing = stream()
  const waiting = drained(closing)
  closing.emit('close')
  t.equal(await waiting, false)
  for (const gone of [stream({ destroyed: true }), stream({ stream: { destroyed: true } })]) {
    t.ok(isGone(gone))
    t.equal(await drained(gone), false)
  }
})

t.test('a reader that reads nothing does not hold a writer for ever [UNSENT-4]', async t => {
  const stalled = stream()
  t.equal(await drained(stalled, 20), false)
  t.same(stalled.eventNames(), [])
})
