/** Limits of the stored tasks, the order of eviction, changes and followers. */
import t from 'tap'
import type { Svc } from '../../../core/contract/plugin.ts'
import { StateRegistry } from '../../../core/state/state-registry.ts'
import type { Bounds } from '../../../plugins/a2a/bounds.ts'
import { openTaskStores } from '../../../plugins/a2a/tasks/stores.ts'
import {
  applyEvent,
  artifactEvent,
  createTask,
  messageEvent,
  statusEvent,
  type Task,
  type TaskEvent,
} from '../../../plugins/a2a/tasks/task.ts'
import { TaskStore } from '../../../plugins/a2a/tasks/task-store.ts'
import type { TaskState } from '../../../plugins/a2a/types.ts'

const roomy: Bounds = {
  tasks: 100,
  tasksPerSession: 100,
  taskIdleMs: 1000,
  storeWaitMs: 30_000,
  runningTasks: 10,
  taskBytes: 1e9,
  oneTaskBytes: 1e8,
  sinks: 1,
  sinkBytes: 1,
  cardSignatures: 1,
  hugeArtifactBytes: 1,
  faultCounters: 1,
  faultCounterMs: 1000,
}

function makeStore(t: { teardown(callback: () => void): void }, bounds: Partial<Bounds> = {}) {
  let now = 1_000_000
  const registry = new StateRegistry({ now: () => now, isStrict: true })
  t.teardown(() => registry.close())
  const stores = openTaskStores(registry.hold(1, 'a2a', '1') as unknown as Svc, { ...roomy, ...bounds })
  const store = new TaskStore(stores)
  const add = async (id: string, { session = 's', text = 'x' } = {}): Promise<Task> => {
    const rank = store.nextRank()
    const blank = createTask({ id, contextId: 'c', agent: 'a', session, turn: 1, rank })
    const message = { messageId: 'm', role: 'user', parts: [{ text }] } as const
    const task = { ...applyEvent(blank, messageEvent(message, rank)), updates: 0 }
    await store.add(task)
    return task
  }
  const has = async (id: string, session = 's'): Promise<boolean> => {
    try {
      return (await store.find(id, 'a', session)).id === id
    } catch {
      return false
    }
  }
  const apply = (id: string, event: TaskEvent) => store.change(id, task => applyEvent(task, event), event)
  const enter = (id: string, state: TaskState, text = 'x') =>
    apply(id, statusEvent({ id, contextId: 'c' }, state, text, store.nextRank()))
  const present = (ids: string[], session = 's') => Promise.all(ids.map(id => has(id, session)))
  return { store, stores, add, has, present, apply, enter, advance: (ms: number) => void (now += ms) }
}

t.test('over a limit, the oldest finished task is evicted, else the oldest [A2A-25]', async t => {
  const { add, present, enter } = makeStore(t, { tasks: 4, tasksPerSession: 3 })
  for (const id of ['1', '2', '3']) await add(id)
  await enter('2', 'COMPLETED')
  await add('4')
  t.same(await present(['1', '2', '3', '4']), [true, false, true, true], 'of the session the finished one')
  await add('5')
  t.same(await present(['1', '3', '4', '5']), [false, true, true, true], 'else its oldest')
  await add('6', { session: 'other' })
  await enter('4', 'FAILED')
  await add('7', { session: 'other' })
  t.same(await present(['3', '4', '5']), [true, false, true], 'of all the finished one')
  t.same(await present(['6', '7'], 'other'), [true, true])
})

t.test('bytes are limited, but one task is kept in any case [A2A-25]', async t => {
  const { add, has, stores, apply } = makeStore(t, { taskBytes: 200_000 })
  for (let index = 0; index < 100; index++) await add(String(index), { text: 'x'.repeat(100) })
  t.ok((await stores.tasks.bytes()) <= 150_000)
  t.ok((await stores.tasks.count()) < 50)
  t.ok(await has('99'))
  await add('huge', { text: 'x'.repeat(400_000) })
  t.same([await stores.tasks.count(), await has('huge')], [1, true])
  const artifact = { artifactId: 'a', parts: [{ text: 'more' }] }
  const huge = await stores.tasks.get('huge')
  await apply('huge', artifactEvent(huge!, { artifact, append: false, lastChunk: true }, 1))
  t.ok(await has('huge'))
  await stores.tasks.delete('huge')
  t.same([await stores.tasks.bytes(), await stores.updates.after('huge', 0)], [0, []])
})

t.test('an idle task is removed, a used one stays; listing does not count [A2A-25]', async t => {
  const { add, has, store, stores, advance } = makeStore(t)
  await add('used')
  const idle = await add('idle')
  let closed = 0
  store.follow(idle, { update: () => {}, closed: () => void closed++ })
  advance(800)
  t.ok(await has('used'))
  t.equal((await store.list('a', 's')).length, 2)
  advance(800)
  t.same([await has('used'), await has('idle')], [true, false])
  t.equal(closed, 1)
  advance(1200)
  t.same(await store.list('a', 's'), [])
  t.equal(await stores.tasks.count(), 0)
})

t.test('a follower gets each update once and in order, and the history stays limited [A2A-14, A2A-25]', async t => {
  const { add, store, stores, enter } = makeStore(t)
  const task = await add('1')
  await enter('1', 'WORKING', 'before')
  const seen: string[] = []
  const from = await store.find('1', 'a', 's')
  store.follow(from, {
    update: update => seen.push(update.kind === 'status' ? String(update.status.state) : 'artifact'),
    closed: () => seen.push('closed'),
  })
  const late: TaskEvent[] = []
  store.followEvents(task, { event: event => late.push(event), closed: () => {} })
  const artifact = { artifactId: 'a', parts: [{ text: 'part' }] }
  const event = artifactEvent(from, { artifact, append: true, lastChunk: true }, 1)
  t.match(event, { append: false }, 'nothing to append to')
  await store.change('1', current => applyEvent(current, event), event)
  await enter('1', 'COMPLETED')
  t.same(seen, ['artifact', 'COMPLETED'])
  t.same(
    late.map(({ kind }) => kind),
    ['status', 'artifact', 'status'],
  )
  t.same(late.reduce(applyEvent, task), await store.find('1', 'a', 's'), 'the updates lead to the stored task')
  for (let index = 0; index < 150; index++) await enter('1', 'WORKING', String(index))
  t.equal((await store.find('1', 'a', 's')).history.length, 100)
  t.equal((await stores.updates.after('1', 0, 1000)).length, 100)
  await stores.tasks.delete('1')
  t.equal(seen.at(-1), 'closed')
})

t.test('a follower that missed updates is closed [A2A-14]', async t => {
  const { add, store, enter } = makeStore(t)
  const task = await add('1')
  for (let index = 0; index < 101; index++) await enter('1', 'WORKING')
  const seen: string[] = []
  store.follow(task, { update: () => seen.push('update'), closed: () => seen.push('closed') })
  await new Promise(resolve => setImmediate(resolve))
  t.same(seen, ['closed'])
})

t.test('a chunk extends an artifact, a whole one replaces it; memory follows [HARD-12]', async t => {
  const { add, apply, store } = makeStore(t)
  const { bytes } = await add('1')
  const chunk = async (text: string, append: boolean) => {
    const artifact = { artifactId: 'a', parts: [{ text }] }
    const task = await store.find('1', 'a', 's')
    return apply('1', artifactEvent(task, { artifact, append, lastChunk: true }, 1))
  }
  await chunk('one', false)
  const { artifacts } = await chunk('two', true)
  t.same(
    artifacts.map(({ parts }) => parts),
    [[{ text: 'one' }, { text: 'two' }]],
  )
  const large = await chunk('x'.repeat(10_000), false)
  t.equal(large.artifacts.length, 1)
  t.ok(large.bytes > bytes + 10_000)
  t.ok((await chunk('', false)).bytes < bytes + 1_000)
})

t.test('the tasks of a context are numbered, for each agent and session [A2A-25]', async t => {
  const { store } = makeStore(t)
  const turn = (session = 's', agent = 'a') => store.takeTurn({ agent, session, contextId: 'c' })
  t.same([await turn(), await turn(), await turn('other'), await turn('s', 'b')], [1, 2, 1, 1])
  await store.returnTurn({ agent: 'a', session: 's', contextId: 'c' })
  t.equal(await turn(), 2)
})
