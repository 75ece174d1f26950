/** Tasks that several replicas share: one of them runs the agent, and all may be asked. */
import t, { type Test } from 'tap'
import { message, nameOf, ReplicaSet, sinkConfig } from '../../support/a2a-replicas.ts'
import { StateUnavailable } from '../../../core/contract/plugin.ts'
import { httpError, rpcError, toA2aError } from '../../../plugins/a2a/protocol/errors.ts'
import { until } from '../../support/until.ts'
import type { Step } from '../../../plugins/a2a/types.ts'

function replicas(t: Test, count = 3, bounds: ConstructorParameters<typeof ReplicaSet>[1] = {}) {
  const set = new ReplicaSet(count, bounds)
  t.teardown(() => set.close())
  return { set, one: set.replicas[0]!, two: set.replicas[1]!, three: set.replicas[2]! }
}

/** An agent that goes on when the test says so. */
function gate() {
  let open = (): void => {}
  const opened = new Promise<void>(resolve => (open = resolve))
  return { opened, open }
}

/** The error of what should fail. */
const refusal = (attempt: Promise<unknown>): Promise<unknown> =>
  attempt.then(
    () => 'accepted',
    (error: unknown) => error,
  )

const ask: Step[] = [{ state: 'INPUT_REQUIRED', text: 'a decision' }]
const done: Step[] = [{ state: 'COMPLETED', text: 'done' }]

t.test('a stream at another replica has every update of the run, once and in order [A2A-30]', async t => {
  const { one, two } = replicas(t)
  const { opened, open } = gate()
  const task = await one.begin(
    (async function* (): AsyncGenerator<Step> {
      yield { state: 'WORKING', text: 'first' }
      await opened
      yield { artifact: { artifactId: 'a', parts: [{ text: 'x' }] } }
      yield { state: 'COMPLETED', text: 'done' }
    })(),
  )
  await until(async () => (await two.find(task.id)).status.state === 'WORKING')
  const seen: string[] = []
  const late: string[] = []
  two.tasks.follow(task, { update: update => seen.push(nameOf({ ...update, bytes: 0, rank: 0 })), closed: () => {} })
  two.tasks.follow(await two.find(task.id), {
    update: update => late.push(nameOf({ ...update, bytes: 0, rank: 0 })),
    closed: () => {},
  })
  open()
  await until(() => seen.includes('COMPLETED'))
  t.same(seen, ['WORKING', 'a', 'COMPLETED'])
  t.same(late, ['a', 'COMPLETED'])
  t.same([one.pushed, two.pushed], [['WORKING', 'a', 'COMPLETED'], []], 'pushes are the work of the owner')
})

t.test(
  'while an agent is at work, changes are made by its replica, whichever replica gets the request [A2A-30]',
  async t => {
    const { set, one, two, three } = replicas(t)
    const { opened, open } = gate()
    const task = await one.begin(
      (async function* (): AsyncGenerator<Step> {
        await opened
        yield* done
      })(),
    )
    const followed = await two.followUp(task.id, 'more')
    t.same(
      followed.history.map(({ parts }) => parts),
      [[{ text: 'begin' }], [{ text: 'more' }]],
    )
    t.equal(followed.run?.replica, one.name)
    await three.service.attach(await three.find(task.id), sinkConfig('c'))
    t.equal((await three.service.detach(await three.find(task.id), 'c')).configs.length, 0)
    t.same(one.local.get(task.id)?.task.history.length, 2, 'the agent sees the message')
    const canceled = await two.service.cancel(await two.find(task.id))
    t.equal(canceled.status.state, 'CANCELED')
    t.same(
      set.passed,
      ['message', 'attach', 'detach', 'cancel'].map(kind => ({ to: one.name, kind })),
    )
    const changes = (pushed: string[]) => pushed.filter(what => what !== 'drop c')
    t.same([changes(one.pushed), changes(two.pushed), changes(three.pushed)], [['message', 'CANCELED'], [], []])
    t.ok(
      [one, two, three].every(({ pushed }) => pushed.includes('drop c')),
      'each drops what it has not delivered',
    )
    open()
    t.match(await refusal(three.service.cancel(await three.find(task.id))), { reason: 'TASK_NOT_CANCELABLE' })
    await until(async () => (await set.stores.runs.count()) === 0)
  },
)

t.test('errors of the owner arrive as they are [A2A-30]', async t => {
  const { set, one, two } = replicas(t, 2, { oneTaskBytes: 20_000 })
  const { opened, open } = gate()
  const task = await one.begin(
    (async function* (): AsyncGenerator<Step> {
      await opened
      yield* done
    })(),
  )
  t.match(await refusal(two.followUp(task.id, 'x'.repeat(30_000))), {
    reason: 'RESOURCE_EXHAUSTED',
    message: 'the task would take more than 0 MiB of memory',
  })
  const found = await two.find(task.id)
  const followUp = { message: { ...message('x'), contextId: 'other' }, config: null }
  t.match(await refusal(two.service.followUp(found, followUp, { heldBytes: 0, plan: () => [] })), {
    reason: 'INVALID_PARAMS',
    violations: [{ field: 'message.contextId' }],
  })
  for (let index = 0; index < 10; index++) await two.service.attach(await two.find(task.id), sinkConfig(`c-${index}`))
  // This one has read the task before it was full.
  t.match(await refusal(two.service.attach(found, sinkConfig('c-10'))), {
    reason: 'INVALID_PARAMS',
    message: /at most 10/,
  })
  open()
  await until(async () => (await two.find(task.id)).run === null)
  t.equal(set.passed.filter(({ kind }) => kind === 'attach').length, 11)
})

t.test('an interrupted task continues at the replica that gets the message [A2A-30]', async t => {
  const { set, one, two, three } = replicas(t)
  const task = await one.begin(ask)
  await until(async () => (await one.find(task.id)).status.state === 'INPUT_REQUIRED')
  const [first, second] = await Promise.allSettled([
    two.followUp(task.id, 'yes', done),
    three.followUp(task.id, 'yes', done),
  ])
  await until(async () => (await one.find(task.id)).status.state === 'COMPLETED')
  const { history, updates } = await one.find(task.id)
  const accepted = [first, second].filter(({ status }) => status === 'fulfilled').length
  t.equal(history.filter(({ role }) => role === 'user').length, 1 + accepted)
  t.equal(updates, accepted + 1, 'only one agent was started')
  await until(async () => (await set.stores.runs.count()) === 0)
  t.same(
    set.passed.filter(({ kind }) => kind !== 'message'),
    [],
  )
})

t.test('a message for a run that has just ended starts the agent here [A2A-30]', async t => {
  const { one, two } = replicas(t)
  const { opened, open } = gate()
  const task = await one.begin(
    (async function* (): AsyncGenerator<Step> {
      await opened
      yield* ask
    })(),
  )
  const stale = await two.find(task.id)
  open()
  await until(async () => (await two.find(task.id)).run === null)
  await two.service.followUp(stale, { message: message('yes'), config: null }, { heldBytes: 0, plan: () => done })
  await until(async () => (await two.find(task.id)).status.state === 'COMPLETED')
  t.same(two.pushed, ['message', 'COMPLETED'])
})

t.test('the tasks of a replica that is gone fail, or continue where a message arrives [A2A-31]', async t => {
  const { set, one, two, three } = replicas(t)
  const never = () =>
    (async function* (): AsyncGenerator<Step> {
      yield { state: 'WORKING', text: 'x' }
      await new Promise(() => {})
    })()
  const [lost, continued, canceled, finished] = [
    await one.begin(never()),
    await one.begin(never()),
    await one.begin(never()),
    await one.begin(done),
  ]
  const alive = await two.begin(never())
  await until(async () => (await two.find(alive.id)).status.state === 'WORKING' && !(await two.find(finished.id)).run)
  const seen: string[] = []
  three.tasks.follow(await three.find(lost.id), {
    update: update => seen.push(nameOf({ ...update, bytes: 0, rank: 0 })),
    closed: () => {},
  })
  set.handlers.delete(one.name)
  await three.followUp(continued.id, 'go on', done)
  t.equal((await three.service.cancel(await three.find(canceled.id))).status.state, 'CANCELED')
  await until(async () => (await three.find(continued.id)).status.state === 'COMPLETED')
  await set.failLost()
  const { status } = await three.find(lost.id)
  t.match(status, { state: 'FAILED', message: { parts: [{ text: 'The replica that worked on this task is gone.' }] } })
  t.same(seen, ['FAILED'])
  t.same(
    await Promise.all(
      [continued, canceled, finished, alive].map(async ({ id }) => (await three.find(id)).status.state),
    ),
    ['COMPLETED', 'CANCELED', 'COMPLETED', 'WORKING'],
  )
  t.same(
    three.pushed.filter(what => what === 'FAILED'),
    [],
    'only the leader does it',
  )
  t.equal(two.pushed.filter(what => what === 'FAILED').length, 1)
  t.equal(await set.stores.runs.count(), 1, 'the one that lives')
  await two.service.cancel(await two.find(alive.id))
  await until(async () => (await set.stores.runs.count()) === 0)
})

t.test('the limit of running tasks holds for all replicas together [A2A-25, A2A-30]', async t => {
  const { one, two, set } = replicas(t, 2, { runningTasks: 3 })
  const slow: Step[] = [{ afterMs: 5000, state: 'COMPLETED', text: 'x' }]
  const tasks = [await one.begin(slow), await two.begin(slow), await one.begin(slow)]
  t.match(await refusal(two.begin(slow)), {
    reason: 'RESOURCE_EXHAUSTED',
    message: 'too many running tasks (at most 3)',
  })
  const [first] = tasks
  await two.followUp(first!.id, 'joins the history')
  for (const { id } of tasks) await one.service.cancel(await one.find(id))
  t.equal((await two.begin(done)).status.state, 'SUBMITTED')
  await until(async () => (await set.stores.runs.count()) === 0)
})

t.test('what an agent does at once is stored together [A2A-50]', async t => {
  const { one, two, set } = replicas(t, 2)
  const working: Step = { state: 'WORKING', text: 'x' }
  const artifact: Step = { artifact: { artifactId: 'a', parts: [{ text: 'x' }] } }
  const writes: string[] = []
  set.onWrite = name => void writes.push(name)
  const quick = await one.begin([working, artifact])
  t.same([quick.status.state, quick.updates], ['SUBMITTED', 0], 'as it was sent')
  t.match(await two.find(quick.id), { status: { state: 'COMPLETED' }, run: null, updates: 0, artifacts: [{}] })
  t.same(writes, ['tasks.add'], 'in one write, without a slot')
  t.same(one.pushed, ['WORKING', 'a', 'COMPLETED'], 'each update is pushed')
  t.same(
    one.states.map(({ status, artifacts }) => [status.state, artifacts.length]),
    [
      ['WORKING', 0],
      ['WORKING', 1],
      ['COMPLETED', 1],
    ],
    'with the task as it was then',
  )

  writes.length = 0
  const slow = await one.begin([working, { ...artifact, afterMs: 20 }, ...done])
  t.match(await two.find(slow.id), { status: { state: 'WORKING' }, run: { replica: one.name }, updates: 0 })
  const seen: string[] = []
  two.tasks.follow(await two.find(slow.id), {
    update: update => seen.push(nameOf({ ...update, bytes: 0, rank: 0 })),
    closed: () => {},
  })
  await until(async () => (await set.stores.runs.count()) === 0)
  t.same(seen, ['a', 'COMPLETED'])
  t.same(writes, ['runs.set', 'tasks.add', 'tasks.update', 'runs.delete'])

  writes.length = 0
  const long = await one.begin(Array.from({ length: 70 }, () => working))
  await until(async () => (await set.stores.runs.count()) === 0)
  t.match(await two.find(long.id), { status: { state: 'COMPLETED' }, updates: 39 })
  t.same(writes, ['runs.set', 'tasks.add', 'tasks.update', 'tasks.update', 'runs.delete'], '32 steps at a time')

  const broken = null as unknown as Step
  const failed = await one.begin([working, broken, ...done])
  t.match(await two.find(failed.id), { status: { state: 'FAILED' }, history: [{}, { parts: [{ text: 'x' }] }] })
  t.match(one.errors, [['an A2A agent failed', {}]])
})

t.test('an evicted task stops its agent; one that grows too large fails [A2A-25, HARD-12]', async t => {
  const { one, set } = replicas(t, 1, { oneTaskBytes: 50_000 })
  const slow: Step[] = [{ afterMs: 5000, state: 'COMPLETED', text: 'x' }]
  const evicted = await one.begin(slow)
  const run = one.local.get(evicted.id)!
  await set.stores.tasks.delete(evicted.id)
  t.ok(run.isAborted && run.signal.aborted)
  t.equal(one.local.get(evicted.id), undefined)
  const artifact = { artifactId: 'a', parts: [{ text: 'x'.repeat(30_000) }] }
  const large = await one.begin([{ artifact }, { artifact, append: true }, { artifact, append: true }, ...done])
  await until(async () => (await one.find(large.id)).run === null)
  const { status, artifacts } = await one.find(large.id)
  t.match(status, { state: 'FAILED', message: { parts: [{ text: 'The task has reached its memory limit.' }] } })
  t.equal(artifacts[0]?.parts.length, 2)
  const quick = await one.begin(
    (function* () {
      yield* done
    })(),
  )
  await set.stores.tasks.delete(quick.id)
  await until(async () => (await set.stores.runs.count()) === 0)
  t.same(one.pushed.at(-1), 'FAILED', 'an agent that never waits notices at its next step')
  t.same(one.errors, [])
})

t.test('a state store that is unavailable or full is an error of the protocol [A2A-18]', async t => {
  const away = toA2aError(new StateUnavailable('timeout'))
  t.match(rpcError(away), {
    code: -32603,
    message: 'The state store is unavailable',
    data: [{ reason: 'STATE_UNAVAILABLE' }],
  })
  t.match(httpError(away, '1.0'), { error: { code: 503, status: 'UNAVAILABLE' } })
  t.same(away.headers, { 'X-Svc-State-Store': 'away', 'Retry-After': '1' })
  const full = toA2aError(new StateUnavailable('full'))
  t.match(rpcError(full), { code: -32603, data: [{ reason: 'STATE_FULL' }] })
  t.same(full.headers, { 'X-Svc-State-Store': 'full', 'Retry-After': '5' })
  t.throws(() => toA2aError(new TypeError('a bug')), TypeError)
})

const steps = (opened: Promise<void>) =>
  (async function* (): AsyncGenerator<Step> {
    yield { state: 'WORKING', text: 'first' }
    await opened
    yield { artifact: { artifactId: 'a', parts: [{ text: 'x' }] } }
    yield { state: 'COMPLETED', text: 'done' }
  })()

for (const outage of ['before', 'after'] as const)
  t.test(
    `a run waits for a store that fails ${outage} a change, and no update is lost or doubled [A2A-48]`,
    async t => {
      const { set, one, two } = replicas(t)
      const { opened, open } = gate()
      const task = await one.begin(steps(opened))
      await until(async () => (await two.find(task.id)).status.state === 'WORKING')
      const seen: string[] = []
      two.tasks.follow(task, {
        update: update => seen.push(nameOf({ ...update, bytes: 0, rank: 0 })),
        closed: () => {},
      })
      set.outage = outage
      open()
      // A few turns in which the change fails.
      for (let index = 0; index < 20; index++) await new Promise(resolve => setImmediate(resolve))
      t.notOk(seen.includes('COMPLETED'))
      set.outage = null
      await until(() => seen.includes('COMPLETED'))
      t.same(seen, ['WORKING', 'a', 'COMPLETED'])
      t.same(one.pushed, ['WORKING', 'a', 'COMPLETED'])
      t.equal((await two.find(task.id)).artifacts[0]?.parts.length, 1)
      t.same(one.errors, [])
      await until(async () => (await set.stores.runs.count()) === 0)
    },
  )

t.test('a run that waited too long stops, and its task fails when the store is back [A2A-48]', async t => {
  const { set, one } = replicas(t, 1, { storeWaitMs: 0 })
  const { opened, open } = gate()
  const task = await one.begin(steps(opened))
  await until(async () => (await one.find(task.id)).status.state === 'WORKING')
  set.outage = 'before'
  open()
  await until(() => one.local.get(task.id) === undefined)
  set.outage = null
  await until(async () => (await one.find(task.id)).status.state === 'FAILED')
  const { status, run, artifacts } = await one.find(task.id)
  t.match(status.message?.parts, [{ text: /state store was unavailable/ }])
  t.same([run, artifacts], [null, []])
  await until(async () => (await set.stores.runs.count()) === 0, 'its slot')
  t.same(one.errors, [])
})

t.test('a task that was stored although there was no answer fails when the store is back [A2A-48]', async t => {
  const { set, one } = replicas(t, 1)
  set.outage = 'after'
  t.match(await refusal(one.begin(steps(new Promise(() => {})))), { code: 'STATE_UNAVAILABLE' })
  t.equal(await set.stores.runs.count(), 1)
  await until(async () => (await set.stores.runs.count()) === 0)
  const [task] = await one.tasks.list('agent', 'session')
  t.match(task, { status: { state: 'FAILED' }, run: null })

  const asking = await one.begin(ask)
  set.outage = 'after'
  t.match(await refusal(one.followUp(asking.id, 'yes', done)), { code: 'STATE_UNAVAILABLE' })
  await until(async () => (await set.stores.runs.count()) === 0)
  t.match(await one.find(asking.id), { status: { state: 'FAILED' }, run: null })
  t.same(one.errors, [])
})
