/** Unsent data of WebSockets, tested without connections. */
import t from 'tap'
import { UnsentMemory } from '../../../core/limits/unsent-memory.ts'
import { WebSocketMemory, type BoundedSocket } from '../../../core/http/streams/websocket-memory.ts'

type Sent = (error?: Error) => void

/** A socket with writes that complete when the test says so. */
function fakeSocket(memory: WebSocketMemory, address = 'a') {
  const written: Sent[] = []
  let onClose = (): void => {}
  const state = { isPaused: false, isTerminated: false }
  const socket = {
    send: (_data: unknown, _options: unknown, sent: Sent) => void written.push(sent),
    pause() {
      state.isPaused = true
    },
    resume() {
      state.isPaused = false
    },
    terminate() {
      state.isTerminated = true
    },
    once: (_event: string, listener: () => void) => {
      onClose = listener
    },
  }
  const bounded = socket as unknown as BoundedSocket
  memory.adopt(bounded, address)
  return {
    socket: bounded,
    state,
    send: (bytes: number) => bounded.send(Buffer.alloc(bytes)),
    take: (count = 1) => {
      for (const sent of written.splice(0, count)) sent()
    },
    close: () => {
      for (const sent of written.splice(0)) sent(new Error('closed'))
      onClose()
    },
  }
}

const KIB = 1024

function memoryOf(totalBytes: number, perAddress = Infinity): WebSocketMemory {
  const bounds = { unsentStreamBytes: 256 * KIB, unsentClientBytes: Infinity, unsentTotalBytes: totalBytes }
  return new WebSocketMemory(new UnsentMemory(bounds), { perAddress, maxCompressed: 2 })
}

t.test('a socket with 16 MiB unsent is closed [WS-7]', async t => {
  const memory = memoryOf(64 * KIB * KIB)
  const { state, send, close } = fakeSocket(memory)
  send(16 * KIB * KIB)
  t.notOk(state.isTerminated)
  send(1)
  t.ok(state.isTerminated)
  close()
})

t.test('a socket that does not read is not read from [WS-7]', async t => {
  const memory = memoryOf(64 * KIB * KIB)
  const { state, send, take, close } = fakeSocket(memory)
  send(200 * KIB)
  t.notOk(state.isPaused)
  send(100 * KIB)
  t.ok(state.isPaused)
  take()
  t.ok(state.isPaused, 'most of it has to be taken first')
  take()
  t.notOk(state.isPaused)
  t.equal(memory.unsent, 0)
  send(300 * KIB)
  close()
  t.equal(memory.unsent, 0)
})

t.test('tiny frames count with the memory they use [WS-7]', async t => {
  const memory = memoryOf(64 * KIB * KIB)
  const { state, send } = fakeSocket(memory)
  for (let count = 0; count < 600; count++) send(1)
  t.ok(state.isPaused)
})

t.test('callbacks and options are passed on in all forms [WS-7]', async t => {
  const memory = memoryOf(64 * KIB * KIB)
  const { socket, take } = fakeSocket(memory)
  let calls = 0
  socket.send('text', () => calls++)
  socket.send(new Uint8Array(4).buffer, { binary: true }, () => calls++)
  socket.send('text')
  take(3)
  t.equal(calls, 2)
  t.equal(memory.unsent, 0)
})

t.test('over the total, the socket that has read nothing for the longest time is closed [HARD-13]', async t => {
  const memory = memoryOf(1000 * KIB)
  const [slow, reader, last] = [fakeSocket(memory), fakeSocket(memory), fakeSocket(memory)]
  reader.send(100 * KIB)
  reader.send(100 * KIB)
  slow.send(290 * KIB)
  reader.take()
  last.send(250 * KIB)
  t.ok(last.state.isPaused, 'above half of it nobody is read from')
  last.send(390 * KIB)
  t.strictSame(
    [slow, reader, last].map(({ state }) => state.isTerminated),
    [true, false, false],
  )
  slow.close()
  last.take(2)
  t.notOk(last.state.isPaused)
  reader.take()
  t.equal(memory.unsent, 0)
})

t.test('a plugin that sends without waiting loses its socket [HARD-13]', async t => {
  const memory = memoryOf(1000 * KIB * KIB)
  const { state, send } = fakeSocket(memory)
  for (let count = 0; count < 16; count++) send(KIB * KIB)
  t.notOk(state.isTerminated)
  send(1)
  t.ok(state.isTerminated)
})

t.test('sockets of an address are counted [WS-7]', async t => {
  const memory = memoryOf(1000, 2)
  const first = fakeSocket(memory)
  fakeSocket(memory)
  t.notOk(memory.admits('a'))
  t.ok(memory.admits('b'))
  first.close()
  t.ok(memory.admits('a'))
})

t.test('a socket that its plugin has paused is read again when neither wants it to wait [WS-7]', async t => {
  const memory = memoryOf(64 * KIB * KIB)
  const { socket, state, send, take, close } = fakeSocket(memory)
  send(512 * KIB)
  t.ok(state.isPaused, 'full')
  socket.pause()
  take()
  t.ok(state.isPaused, 'the plugin wants it to wait')
  send(512 * KIB)
  socket.resume()
  t.ok(state.isPaused, 'full again')
  take()
  t.notOk(state.isPaused)
  socket.pause()
  t.ok(state.isPaused)
  socket.resume()
  t.notOk(state.isPaused)
  close()
})
