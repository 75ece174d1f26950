/** Registers, channels, secrets and strict stores, in one process. */
import t from 'tap'
import { ReplicaError } from '../../../core/contract/plugin.ts'
import { copyJson } from '../../../core/state/json-values.ts'
import { StateRegistry, type StateFailure } from '../../../core/state/state-registry.ts'

function registry(isStrict = false) {
  const failures: StateFailure[] = []
  const made = new StateRegistry({ instanceId: 'one', isStrict, onError: (_error, failure) => failures.push(failure) })
  t.teardown(() => made.close())
  return { registry: made, failures }
}

t.test('a register has its value once it is ready, in every generation [STATE-25]', async t => {
  const { registry: r } = registry()
  const first = r.hold(1, 'identity', 'v1')
  const keys = first.replicated('keys', { initial: async () => ['k1'] })
  t.throws(() => keys.current, { message: 'register "keys" of plugin identity is read before svc.whenRegistered' })
  await first.ready()
  t.same(keys.current, ['k1'])
  const second = r.hold(2, 'identity', 'v1')
  const same = second.replicated('keys', { initial: () => ['other'] })
  await second.ready()
  t.same(same.current, ['k1'])
  const edited = r.hold(3, 'identity', 'v2').replicated('keys', { initial: () => ['new'] })
  await edited.update(value => value)
  t.same(edited.current, ['k1'], 'changed code goes on with it')
  const other = r.hold(4, 'identity', 'v2').replicated('keys', { initial: () => ['new'], schema: 2 })
  await other.update(value => value)
  t.same(other.current, ['new'], 'another schema starts over')
})

t.test('updates of a register apply in turn and reach all listeners [STATE-25]', async t => {
  const { registry: r, failures } = registry()
  const holder = r.hold(1, 'p', 'v')
  const counter = holder.replicated('n', { initial: async () => 0 })
  const seen: number[] = []
  counter.subscribe(() => {
    throw new Error('listener')
  })
  const stop = counter.subscribe(value => seen.push(value))
  const sums = await Promise.all([1, 2, 3].map(by => counter.update(value => value + by)))
  t.same(sums, [1, 3, 6])
  t.same(seen, [1, 3, 6])
  stop()
  await t.rejects(
    counter.update(() => {
      throw new Error('change')
    }),
    { message: 'change' },
  )
  t.equal(await counter.update(value => value + 1), 7, 'a failed change leaves the value')
  t.same(seen, [1, 3, 6])
  t.match(failures[0], { plugin: 'p', name: 'n', during: 'subscriber' })
})

t.test("an initial value that fails is the plugin's failure [STATE-25]", async t => {
  const holder = registry().registry.hold(1, 'p', 'v')
  holder.replicated('n', {
    initial: () => {
      throw new Error('no entropy')
    },
  })
  await t.rejects(holder.ready(), { message: 'no entropy' })
})

t.test('channels reach this replica, in turn; others are gone [STATE-26]', async t => {
  const { registry: r, failures } = registry()
  const seen: string[] = []
  const holder = r.hold(1, 'p', 'v')
  const channel = holder.channel<string, number>('news', {
    async on(message, from) {
      t.equal(from, r.replicas.self)
      await new Promise(resolve => setImmediate(resolve))
      if (message === 'bad') throw new Error('refused')
      return seen.push(message)
    },
  })
  t.equal(channel.replica, r.replicas.self)
  const [first, second] = await Promise.all([channel.tell('a'), channel.tell('b')])
  t.same(first, { reached: [channel.replica], missing: [], replies: [1] })
  t.same(second.replies, [2])
  t.same(await channel.tell('bad'), { reached: [], missing: [channel.replica], replies: [] })
  t.equal(await channel.ask(channel.replica, 'c'), 3)
  await t.rejects(channel.ask('000000000000', 'd'), { code: 'REPLICA_GONE' })
  await t.rejects(channel.ask(channel.replica, 'bad'), { code: 'REPLICA_FAILED', message: 'refused' })
  channel.send('bad')
  channel.send('e')
  await channel.ask(channel.replica, 'f')
  t.same(seen, ['a', 'b', 'c', 'e', 'f'])
  t.match(failures, [{ plugin: 'p', name: 'news', during: 'message' }])
})

t.test('the newest generation handles messages; without one the channel is unknown [STATE-26]', async t => {
  const { registry: r } = registry()
  const [one, two] = [r.hold(1, 'p', 'v'), r.hold(2, 'p', 'w')]
  const channel = one.channel<string, string>('c', { on: () => 'one' })
  two.channel('c', { on: () => 'two' })
  t.equal(await channel.ask(channel.replica, ''), 'two')
  await two.release()
  t.equal(await channel.ask(channel.replica, ''), 'one')
  await one.release()
  await t.rejects(channel.ask(channel.replica, ''), { code: 'REPLICA_FAILED', message: 'unknown channel' })
})

t.test('replies that are late or not wanted any more [STATE-26]', async t => {
  const channel = registry()
    .registry.hold(1, 'p', 'v')
    .channel<null, never>('c', { on: () => new Promise(() => {}) })
  await t.rejects(channel.ask(channel.replica, null, { timeoutMs: 5 }), { code: 'REPLICA_TIMEOUT' })
  await t.rejects(channel.ask(channel.replica, null, { signal: AbortSignal.abort(new Error('left')) }), {
    message: 'left',
  })
  t.match(await channel.tell(null, { waitMs: 5 }), { missing: [channel.replica] })
  t.ok(new ReplicaError('REPLICA_GONE', '') instanceof Error)
})

t.test('a process alone is its own leader [STATE-27]', async t => {
  const { replicas } = registry().registry
  t.match(replicas.self, /^[0-9a-f]{12}$/)
  t.match(replicas.list(), [{ replica: replicas.self, instanceId: 'one', startedAt: /^\d{4}-/ }])
  t.equal(replicas.isLeader(), true)
  t.type(
    replicas.onGone(() => {}),
    'function',
  )
})

t.test('a secret is the same in all generations and another one for each name and plugin [STATE-27]', async t => {
  const { registry: r } = registry()
  const secret = await r.hold(1, 'p', 'v').secret('rounds')
  t.equal(secret.length, 32)
  t.same(await r.hold(2, 'p', 'w').secret('rounds'), secret)
  t.notSame(await r.hold(2, 'p', 'w').secret('other'), secret)
  t.notSame(await r.hold(2, 'q', 'w').secret('rounds'), secret)
})

t.test('strict stores return copies and take JSON only [STATE-28]', async t => {
  const { registry: r } = registry(true)
  const store = r
    .hold(1, 'tally', 'v')
    .state<{ list: unknown[]; gone?: undefined }>('marks', { maxCount: 9, watched: true })
  const given = { list: [1], gone: undefined }
  await store.set('a', given)
  given.list.push(2)
  const read = await store.get('a')
  t.strictSame(read, { list: [1] })
  read!.list.push(3)
  t.strictSame(await store.peek('a'), { list: [1] })
  let runs = 0
  await store.update('a', current => {
    runs += 1
    return { list: [...current!.list, 'x'] }
  })
  t.equal(runs, 2, 'a change may run more than once')
  t.strictSame((await store.list())[0]!.value, { list: [1, 'x'] })
  for (const [value, kind] of [
    [new Map(), 'a Map'],
    [new Date(0), 'a Date'],
    [1n, 'a bigint'],
    [Number.NaN, 'NaN'],
    [undefined, 'undefined'],
    [() => {}, 'a function'],
    [Buffer.from('x'), 'a Buffer'],
  ] as const)
    await t.rejects(store.set('b', { list: [value] }), {
      name: 'TypeError',
      message: `state "marks" of plugin tally: value at $.list[0] is ${kind}, not JSON`,
    })
  const cycle: { list: unknown[] } = { list: [] }
  cycle.list.push(cycle)
  await t.rejects(store.set('b', cycle), { message: /contains itself/ })
  t.equal(await store.get('b'), undefined, 'nothing was written')
})

t.test('strict logs return copies and take JSON only [STATE-28]', async t => {
  const { registry: r } = registry(true)
  const log = r.hold(1, 'tally', 'v').eventLog<{ list: unknown[] }>('marks', { maxPerStream: 9, maxCount: 9 })
  const given = { list: [1] }
  await log.append('a', given)
  given.list.push(2)
  const [first] = await log.newest('a', 1)
  t.strictSame(first, { seq: 1, value: { list: [1] } })
  first!.value.list.push(3)
  t.strictSame(await log.after('a', 0), [{ seq: 1, value: { list: [1] } }])
  t.strictSame((await log.find('a', ({ list }) => list[0] === 1))?.value, { list: [1] })
  t.equal(await log.find('a', () => false), undefined)
  const followed = await new Promise<{ list: unknown[] }>(resolve => {
    log.follow(
      'a',
      0,
      (_seq, value) => resolve(value),
      () => {},
    )
  })
  followed.list.push(4)
  t.strictSame((await log.newest('a', 1))[0]!.value, { list: [1] })
  await t.rejects(log.append('a', { list: [new Map()] }), {
    name: 'TypeError',
    message: 'event log "marks" of plugin tally: value at $.list[0] is a Map, not JSON',
  })
  t.equal(await log.clear('a'), 1, 'nothing else was appended')
})

t.test('a strict log has the bounds of the newest generation [STATE-28]', async t => {
  const { registry: r } = registry(true)
  const log = r.hold(1, 'tally', 'v').eventLog<number>('marks', { maxPerStream: 9, maxCount: 9 })
  for (const n of [1, 2, 3]) await log.append('a', n)
  const same = r.hold(2, 'tally', 'v').eventLog<number>('marks', { maxPerStream: 9, maxCount: 2 })
  t.equal((await same.newest('a', 9)).length, 2)
})

t.test('strict registers are frozen, take JSON only, and may run a change twice [STATE-28]', async t => {
  const { registry: r } = registry(true)
  const holder = r.hold(1, 'tally', 'v')
  const register = holder.replicated<{ list: unknown[] }>('marks', { initial: () => ({ list: [1] }) })
  await holder.ready()
  t.throws(() => register.current.list.push(2), { name: 'TypeError' })
  let runs = 0
  await register.update(({ list }) => {
    runs += 1
    return { list: [...list, 'x'] }
  })
  t.equal(runs, 2)
  t.strictSame(register.current, { list: [1, 'x'] })
  await t.rejects(
    register.update(() => ({ list: [new Date(0)] })),
    { message: 'register "marks" of plugin tally: value at $.list[0] is a Date, not JSON' },
  )
  await t.rejects(
    register.update(() => ({ list: ['x'.repeat(262_144)] })),
    { message: 'register "marks" of plugin tally: value has 262157 bytes of JSON; at most 262144 are allowed' },
  )
  t.strictSame(register.current, { list: [1, 'x'] })
  const wrong = r.hold(1, 'other', 'v')
  wrong.replicated('keys', { initial: () => new Set() })
  await t.rejects(wrong.ready(), { message: 'register "keys" of plugin other: value at $ is a Set, not JSON' })
})

t.test('strict channels copy messages and replies, which are JSON only [STATE-28]', async t => {
  const { registry: r } = registry(true)
  const received: { list: unknown[] }[] = []
  const channel = r.hold(1, 'tally', 'v').channel<{ list: unknown[] }, unknown>('news', {
    on(message) {
      received.push(message)
      return message.list[0] === 'bad' ? new Map() : message.list[0] === 'none' ? undefined : message.list
    },
  })
  const message = { list: ['a'] }
  const { replies } = await channel.tell(message)
  t.not(received[0], message)
  t.strictSame(replies, [['a']])
  t.not(replies[0], received[0]!.list)
  t.strictSame(await channel.ask(channel.replica, { list: ['none'] }), undefined, 'a handler need not reply')
  const wrong = { list: [new Map()] }
  const expected = { message: 'message of channel "news" of plugin tally: value at $.list[0] is a Map, not JSON' }
  await t.rejects(channel.tell(wrong), expected)
  await t.rejects(channel.ask(channel.replica, wrong), expected)
  t.throws(() => channel.send(wrong), expected)
  const reply = { message: 'reply of channel "news" of plugin tally: value at $ is a Map, not JSON' }
  await t.rejects(channel.tell({ list: ['bad'] }), reply)
  await t.rejects(channel.ask(channel.replica, { list: ['bad'] }), reply)
})

t.test('a member named __proto__ survives a copy [STATE-28]', async t => {
  const copy = copyJson(JSON.parse('{"__proto__":{"a":1}}') as object, 'x')
  t.equal(JSON.stringify(copy), '{"__proto__":{"a":1}}')
  t.equal(Object.getPrototypeOf(copy), Object.prototype)
})

t.test('values are checked at any depth, and a problem is named with its path [STATE-28]', async t => {
  const nested = (levels: number, inner: unknown): unknown =>
    levels === 0 ? inner : { a: [nested(levels - 1, inner)] }
  const deep = nested(200, { kept: 1, gone: undefined })
  t.strictSame(copyJson(deep, 'x'), nested(200, { kept: 1 }))
  t.not((copyJson(deep, 'x') as { a: unknown[] }).a, (deep as { a: unknown[] }).a)
  t.throws(() => copyJson(nested(40, new Map()), 'x'), {
    message: `x: value at $${'.a[0]'.repeat(40)} is a Map, not JSON`,
  })
  const circle: { list: unknown[] } = { list: [] }
  circle.list.push(circle)
  t.throws(() => copyJson(circle, 'x'), { message: 'x: value at $.list[0] contains itself, which is not JSON' })
  t.throws(() => copyJson([1, undefined], 'x'), { message: 'x: value at $[1] is undefined, not JSON' })
  const same = { a: 1 }
  t.strictSame(copyJson([same, same], 'x'), [same, same], 'the same object twice is not a circle')
})
