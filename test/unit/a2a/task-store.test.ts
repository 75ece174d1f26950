/** Limits of the task store, and the order of eviction. */
import t from 'tap'
import { Task } from '../../../plugins/a2a/task.ts'
import { TaskStore } from '../../../plugins/a2a/task-store.ts'

const roomy = {
  tasks: 100,
  tasksPerSession: 100,
  taskIdleMs: 1000,
  runningTasks: 10,
  taskBytes: 1e9,
  oneTaskBytes: 1e8,
}

function makeStore(t: { teardown(callback: () => void): void }, bounds: Partial<typeof roomy> = {}) {
  let now = 0
  const store = new TaskStore({ ...roomy, ...bounds }, () => now)
  t.teardown(() => store.close())
  const add = (id: string, { session = 's', text = 'x' } = {}) => {
    const task = new Task({ id, contextId: 'c', agent: 'a', session }, store)
    task.addMessage({ messageId: 'm', role: 'user', parts: [{ text }] })
    store.add(task)
    return task
  }
  const has = (id: string, session = 's') => {
    try {
      return store.find(id, 'a', session).id === id
    } catch {
      return false
    }
  }
  return { store, add, has, advance: (ms: number) => void (now += ms) }
}

t.test('over a limit, the oldest finished task is evicted, else the oldest [A2A-25]', async t => {
  const { add, has, store } = makeStore(t, { tasks: 4, tasksPerSession: 3 })
  for (const id of ['1', '2', '3']) add(id)
  store.find('2', 'a', 's').setStatus('COMPLETED', 'done')
  add('4')
  t.same(
    ['1', '2', '3', '4'].map(id => has(id)),
    [true, false, true, true],
    'of the session the finished one',
  )
  add('5')
  t.same(
    ['1', '3', '4', '5'].map(id => has(id)),
    [false, true, true, true],
    'else its oldest',
  )
  add('6', { session: 'other' })
  store.find('4', 'a', 's').setStatus('FAILED', 'x')
  add('7', { session: 'other' })
  t.same(
    [has('3'), has('4'), has('5'), has('6', 'other'), has('7', 'other')],
    [true, false, true, true, true],
    'of all the finished one',
  )
})

t.test('bytes are limited, but the only task stays [A2A-25]', async t => {
  const { add, has, store } = makeStore(t, { taskBytes: 100_000 })
  for (let index = 0; index < 100; index++) add(String(index), { text: 'x'.repeat(100) })
  t.ok(store.bytes <= 100_000 && store.size < 50 && has('99'))
  const huge = add('huge', { text: 'x'.repeat(200_000) })
  t.same([store.size, has('huge')], [1, true])
  huge.addArtifact({ artifactId: 'a', parts: [{ text: 'more' }] }, false, true)
  t.ok(has('huge'))
  store.remove(huge)
  t.same([store.bytes, store.size], [0, 0], 'nothing is left in the books')
})

t.test(
  'what would be too much for one task is refused, and counts no longer once its agent has done with it [HARD-12]',
  async t => {
    const { add, store } = makeStore(t, { oneTaskBytes: 100_000 })
    const task = add('1')
    const message = { messageId: 'm', role: 'user', parts: [{ data: Array.from({ length: 1000 }, () => []) }] } as const
    const bytes = store.measure(task, message)
    t.ok(bytes > 40_000, 'three bytes of text take more than forty')
    task.addMessage(message, bytes)
    t.throws(() => store.measure(task, message), { reason: 'RESOURCE_EXHAUSTED', message: /MiB of memory/ })
    t.notOk(store.isFull(task))
    const before = store.bytes
    const release = task.reserve(90_000)
    t.same([store.bytes, store.isFull(task)], [before + 90_000, true])
    release()
    t.same([store.bytes, store.isFull(task)], [before, false])
  },
)

t.test('an idle task is removed, a used one stays [A2A-25]', async t => {
  const { add, has, store, advance } = makeStore(t)
  add('used')
  const idle = add('idle')
  advance(800)
  t.ok(has('used'))
  advance(800)
  t.same([has('used'), has('idle')], [true, false])
  t.ok(idle.isEvicted)
  advance(1200)
  t.same([...store.of('a', 's')], [])
  store.sweep()
  t.equal(store.size, 0)
})

t.test('an evicted task stops its agent and closes its streams; history stays limited [A2A-25]', async t => {
  const { add, store } = makeStore(t)
  const task = add('1')
  const run = (task.run = new AbortController())
  let closed = 0
  task.subscribe({ update: () => {}, closed: () => void closed++ })
  for (let index = 0; index < 150; index++) task.setStatus('WORKING', String(index))
  t.equal(task.history.length, 100)
  store.remove(task)
  t.same([run.signal.aborted, closed, task.subscriberCount, store.bytes], [true, 1, 0, 0])
})

t.test('a context counts the remaining tasks of one agent and session [A2A-25]', async t => {
  const { add, store, advance } = makeStore(t, { tasksPerSession: 2 })
  const count = (session = 's') => store.countIn('a', session, 'c')
  t.equal(count(), 0)
  for (const id of ['1', '2', '3']) add(id)
  add('4', { session: 'other' })
  t.same([count(), count('other'), store.countIn('b', 's', 'c'), store.countIn('a', 's', 'd')], [2, 1, 0, 0])
  advance(1001)
  t.same([count(), count('other')], [0, 0], 'what is idle does not count')
  store.sweep()
  add('5')
  t.equal(count(), 1)
})
