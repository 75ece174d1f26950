/** The in-process connection of the gRPC bridge. */
import { once } from 'node:events'
import t from 'tap'
import { createDuplexPair } from '../../../plugins/grpc/bridge/duplex-pair.ts'

t.test('an end gets what was written in order, and never within the write [GRPC-31]', async t => {
  const [near, far] = createDuplexPair()
  const received: string[] = []
  let isWriting = false
  far.on('data', chunk => {
    received.push(String(chunk))
    t.notOk(isWriting)
  })
  // Flows from the next tick on.
  await new Promise(resolve => setImmediate(resolve))
  isWriting = true
  near.write('a')
  near.write('b')
  near.end('c')
  isWriting = false
  t.strictSame(received, [])
  await once(far, 'end')
  t.equal(received.join(''), 'abc')
})

t.test('an end that is destroyed destroys the other after what it has written [GRPC-31]', async t => {
  const [near, far] = createDuplexPair()
  const received: string[] = []
  far.on('data', chunk => received.push(String(chunk)))
  await new Promise(resolve => setImmediate(resolve))
  near.write('last')
  near.destroy()
  t.notOk(far.destroyed)
  await once(far, 'close')
  t.strictSame(received, ['last'])
})
