/** Incomplete large messages of WebSockets, tested without connections. */
import { EventEmitter } from 'node:events'
import t from 'tap'
import { LargeMessages, type MessageReceiver } from '../../../core/http/streams/large-messages.ts'

function receiver(messages: LargeMessages) {
  const socket = Object.assign(new EventEmitter(), { isTerminated: false, terminate() {} })
  socket.terminate = () => {
    socket.isTerminated = true
  }
  const connection = new EventEmitter()
  messages.watch(socket as unknown as MessageReceiver, connection as never)
  return { socket, receive: (bytes: number) => connection.emit('data', Buffer.alloc(bytes)) }
}

t.test('the socket whose message has made no progress for the longest time is closed [STREAM-17]', async t => {
  const messages = new LargeMessages(100)
  const [first, second, third] = [receiver(messages), receiver(messages), receiver(messages)]
  first.receive(40)
  second.receive(40)
  first.receive(10)
  t.equal(messages.bytes, 90)
  third.receive(30)
  t.strictSame(
    [first, second, third].map(({ socket }) => socket.isTerminated),
    [false, true, false],
  )
  t.equal(messages.bytes, 80)
})

t.test('a complete message and a closed socket free their bytes', async t => {
  const messages = new LargeMessages(100)
  const [first, second] = [receiver(messages), receiver(messages)]
  first.receive(60)
  first.socket.emit('message')
  t.equal(messages.bytes, 0)
  second.receive(60)
  second.socket.emit('close')
  t.equal(messages.bytes, 0)
  first.receive(100)
  t.notOk(first.socket.isTerminated)
})
