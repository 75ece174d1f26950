/** Large bodies and messages take turns. */
import { EventEmitter } from 'node:events'
import t from 'tap'
import type { WebSocket } from 'ws'
import { turnForBytes } from '../../../core/contract/turns.ts'
import { receiveMessages } from '../../../core/toolkit/receive-messages.ts'

const SMALL = Buffer.alloc(65_536, 's')
const LARGE = Buffer.alloc(65_537, 'l')

t.test('small work goes on at once, large work has a turn of the event loop each [HARD-30]', async t => {
  t.equal(turnForBytes(SMALL.length), true)
  let turn = 0
  const count = (): NodeJS.Immediate => setImmediate(() => (turn++, count().unref()))
  count().unref()
  const turns = await Promise.all(
    [1, 2, 3].map(async () => {
      t.equal(await turnForBytes(LARGE.length), true)
      return turn
    }),
  )
  t.equal(new Set(turns).size, 3, turns.join())
})

function openSocket() {
  const socket = Object.assign(new EventEmitter(), { readyState: 1, OPEN: 1, isPaused: false, pause() {}, resume() {} })
  socket.pause = () => void (socket.isPaused = true)
  socket.resume = () => void (socket.isPaused = false)
  return { socket, ws: socket as unknown as WebSocket }
}

t.test('messages keep their order, and nothing is read while a large one waits', async t => {
  const { socket, ws } = openSocket()
  const received: string[] = []
  const failures: unknown[] = []
  receiveMessages(
    ws,
    (message, isBinary) => {
      received.push(`${message.length} ${isBinary}`)
      if (message.length === 1) throw new Error('refused')
    },
    error => failures.push(error),
  )
  socket.emit('message', SMALL, false)
  t.strictSame(received, ['65536 false'], 'a small one at once')
  socket.emit('message', LARGE, true)
  socket.emit('message', [Buffer.from('a'), Buffer.from('bc')], false)
  t.equal(received.length, 1)
  t.ok(socket.isPaused)
  while (socket.isPaused) await new Promise(resolve => setImmediate(resolve))
  t.strictSame(received, ['65536 false', '65537 true', '3 false'])
  socket.emit('message', LARGE, true)
  socket.emit('message', Buffer.from('x'), false)
  while (failures.length === 0) await new Promise(resolve => setImmediate(resolve))
  t.match(failures, [{ message: 'refused' }])
  const closed = openSocket()
  closed.socket.readyState = 3
  receiveMessages(
    closed.ws,
    () => t.fail('a closed socket'),
    () => {},
  )
  closed.socket.emit('message', SMALL, false)
})
