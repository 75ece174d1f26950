/** Two replicas over one store, in one process. */
import t from 'tap'
import { randomBytes } from 'node:crypto'
import type { Store, StoreChange } from '../../core/contract/plugin.ts'
import { NEEDS_SERVER, openReplica, startStateServer } from '../support/state-store.ts'
import { until } from '../support/until.ts'

t.test('two replicas', NEEDS_SERVER, async t => {
  const server = await startStateServer(t)
  const one = await openReplica(t, server.url, { instanceId: 'one' })
  const two = await openReplica(t, server.url, { instanceId: 'two' })
  const [first, second] = [one, two].map(({ registry }) => registry.hold(1, 'p', 'code')) as [
    ReturnType<typeof one.registry.hold>,
    ReturnType<typeof one.registry.hold>,
  ]

  t.test('of many takes, adds and updates at both replicas each counts once [STATE-35]', async t => {
    const stores = [first, second].map(holder => holder.state<number>('numbers', { maxCount: 10 }))
    const runs = Array.from({ length: 100 }, (_, index) => stores[index % 2]!)
    t.equal((await Promise.all(runs.map(store => store.add('a', 1)))).filter(Boolean).length, 1)
    t.equal((await Promise.all(runs.map(store => store.take('a')))).filter(value => value === 1).length, 1)
    const sums = await Promise.all(runs.map(store => store.update('n', (n = 0) => n + 1)))
    t.same(
      sums.sort((left, right) => left! - right!),
      Array.from({ length: 100 }, (_, index) => index + 1),
    )
    await Promise.all(runs.map(store => store.increment('n', 2)))
    t.equal(await stores[0]!.get('n'), 300)
  })

  t.test('a replica that always updates an entry makes way for the other one [STATE-35]', async t => {
    const [busy, other] = [first, second].map(holder => holder.state<number>('busy', { maxCount: 10 })) as [
      Store<number>,
      Store<number>,
    ]
    let isOver = false
    const updateAlways = async (): Promise<number> => {
      let count = 0
      for (; !isOver; count++) await busy.update('n', (n = 0) => n + 1)
      return count
    }
    const writers = Array.from({ length: 4 }, updateAlways)
    for (let count = 0; count < 100; count++) await other.update('n', (n = 0) => n + 1)
    isOver = true
    const counts = await Promise.all(writers)
    t.equal(
      await busy.get('n'),
      counts.reduce((sum, count) => sum + count, 100),
    )
  })

  t.test('what was read of an immutable store is kept, until a replica removes it [STATE-46]', async t => {
    const [a, b] = [first, second].map(holder =>
      holder.state<string>('texts', { maxCount: 10, immutable: true, ttlMs: 60_000 }),
    ) as [Store<string>, Store<string>]
    const reads = (): number =>
      Number(/cmdstat_evalsha:calls=(\d+)/.exec(server.command('INFO', 'commandstats'))?.[1] ?? 0)
    const costOf = async (work: () => Promise<unknown>): Promise<number> => {
      const before = reads()
      for (let index = 0; index < 50; index++) await work()
      return reads() - before
    }
    await a.set('k', 'text')
    t.equal(await b.get('k'), 'text')
    t.ok((await costOf(() => b.get('k'))) < 25, 'fifty reads')
    t.ok((await costOf(() => b.get('unknown'))) >= 50, 'what is not there is read each time')
    for (const remove of [
      () => a.delete('k'),
      () => a.take('k'),
      () => a.clear(),
      () => a.clear(text => text === 'text'),
    ]) {
      await a.set('k', 'text')
      t.equal(await b.get('k'), 'text')
      await remove()
      t.equal(await b.get('k'), undefined)
      t.equal(await b.peek('k'), undefined)
    }
  })

  t.test('a change that throws is reported, and decides on what is stored now [STATE-35]', async t => {
    const [a, b] = [first, second].map(holder => holder.state<number>('decisions', { maxCount: 10 })) as [
      Store<number>,
      Store<number>,
    ]
    await a.update('n', () => 1)
    await b.set('n', 5)
    await t.rejects(
      a.update('n', current => {
        if (current === 5) throw new Error('five')
        throw new Error(`out of date: ${current}`)
      }),
      { message: 'five' },
    )
    t.equal(await a.get('n'), 5)
  })

  t.test('values are copies and plain JSON [STATE-35]', async t => {
    const store = first.state<unknown>('values', { maxCount: 10 })
    await t.rejects(store.set('a', { a: new Map() }), {
      name: 'TypeError',
      message: 'state "values" of plugin p: value at $.a is a Map, not JSON',
    })
    await t.rejects(
      store.update('a', () => ({ a: new Date() })),
      { name: 'TypeError' },
    )
    t.equal(await store.get('a'), undefined)
    const long = { text: 'x'.repeat(20_000), list: [1, null, 'ü', '\u2028'] }
    await store.set('long', long)
    t.strictSame(await second.state<unknown>('values', { maxCount: 10 }).get('long'), long)
    t.ok(Number(server.command('MEMORY', 'USAGE', 'svc:{p/values.1}:v')) < 5_000, 'long values are deflated')
    for (const key of ['__proto__', 'constructor', '', 'a b', '{x}']) {
      t.equal(await store.get(key), undefined)
      await store.set(key, key, { group: key })
      t.equal(await store.get(key), key)
      t.equal((await store.list({ group: key })).length, 1)
    }
  })

  t.test('subscribers see the changes of both replicas in the order of the store [STATE-35]', async t => {
    const bounds = { maxCount: 3, watched: true, ttlMs: 3_600_000 }
    const [a, b] = [first, second].map(holder => holder.state<string>('watched', bounds)) as [
      Store<string>,
      Store<string>,
    ]
    await Promise.all([first.ready(), second.ready()])
    const seen: string[][] = [[], []]
    const print = (change: StoreChange<string>) =>
      change.kind === 'reset' ? 'reset' : `${change.kind} ${change.key} ${change.value}`
    const stops = [a, b].map((store, index) => store.subscribe(change => seen[index]!.push(print(change))))
    await a.set('a', '1')
    await b.set('b', '2', { ttlMs: 5 })
    await until(async () => (await b.count()) === 1)
    await a.update('a', () => '3')
    await b.delete('a')
    for (const key of ['c', 'd', 'e', 'f']) await a.set(key, '4')
    await until(() => seen.every(changes => changes.at(-1) === 'evicted c 4'))
    t.same(seen[0], [
      'set a 1',
      'set b 2',
      'expired b 2',
      'set a 3',
      'deleted a 3',
      'set c 4',
      'set d 4',
      'set e 4',
      'set f 4',
      'evicted c 4',
    ])
    t.same(seen[1], seen[0])
    for (const stop of stops) stop()
    await b.set('long', 'x'.repeat(20_000))
    a.subscribe(change => seen[0]!.push(print(change)))
    await b.set('long', randomBytes(40_000).toString('base64'))
    await until(() => seen[0]!.includes('reset'))
  })

  t.test('entries expire by the clock of the store, and the leader removes them [STATE-35]', async t => {
    const store = first.state<string>('short', { maxCount: 10, ttlMs: 30, watched: true })
    await first.ready()
    const gone = new Promise<StoreChange<string>>(resolve => {
      store.subscribe(change => change.kind === 'expired' && resolve(change))
    })
    await store.set('a', '1', { group: 'g' })
    t.same(await gone, { kind: 'expired', key: 'a', value: '1' })
    t.equal(await store.count(), 0)
    t.equal(server.command('HLEN', 'svc:{p/short.1}:m'), '0')
    const used = second.state<string>('used', { maxCount: 10, ttlMs: 1500, ttlFrom: 'use' })
    await used.set('a', '1')
    for (let uses = 0; uses < 5; uses++) {
      await new Promise(resolve => setTimeout(resolve, 400))
      t.equal(await used.get('a'), '1', 'a use restarts the time to live')
    }
  })

  t.test('a schema separates the stores of two versions; their code does not [STATE-35]', async t => {
    const old = one.registry.hold(1, 'q', 'old code').state<string>('s', { maxCount: 5 })
    const newer = two.registry.hold(1, 'q', 'new code').state<string>('s', { maxCount: 5 })
    const other = two.registry.hold(1, 'q', 'new code').state<string>('s', { maxCount: 5, schema: 2 })
    await old.set('a', '1')
    t.equal(await newer.get('a'), '1')
    t.equal(await other.get('a'), undefined)
  })

  t.test('followers at both replicas get every entry once, in order [STATE-35]', async t => {
    const logs = [first, second].map(holder =>
      holder.eventLog<string>('events', { maxPerStream: 1000, maxCount: 5000 }),
    )
    await logs[0]!.append('x', 'before')
    const seen: string[][] = [[], []]
    const stops = logs.map((log, index) =>
      log.follow(
        'x',
        0,
        (seq, value) => seen[index]!.push(`${seq} ${value}`),
        () => {},
      ),
    )
    const late: string[] = []
    stops.push(
      logs[1]!.follow(
        'x',
        null,
        (seq, value) => late.push(`${seq} ${value}`),
        () => {},
      ),
    )
    await Promise.all(Array.from({ length: 200 }, (_, index) => logs[index % 2]!.append('x', `v${index}`)))
    await logs[0]!.append('x', randomBytes(40_000).toString('base64'))
    await until(() => seen.every(entries => entries.length === 202))
    t.same(seen[0], seen[1])
    t.same(
      seen[0]!.map(entry => Number(entry.split(' ')[0])),
      Array.from({ length: 202 }, (_, index) => index + 1),
    )
    await until(() => late.length > 0 && late.at(-1) === seen[0]!.at(-1))
    for (const stop of stops) stop()
    await logs[0]!.append('x', 'afterwards')
    t.equal(seen[0]!.length, 202)
  })

  t.test('a stream ends at every replica with the entry of its secret store [STATE-35] [STATE-38]', async t => {
    const owners = [first, second].map(holder => holder.state<number>('owners', { maxCount: 10, secret: true }))
    const logs = [first, second].map((holder, index) =>
      holder.eventLog<string>('of-owners', { maxPerStream: 10, of: owners[index]! as unknown as Store<unknown> }),
    )
    t.equal(await logs[0]!.append('token', 'x'), undefined)
    await owners[0]!.set('token', 1)
    t.equal(await logs[0]!.append('token', 'x'), 1)
    const seen: string[] = []
    logs[1]!.follow(
      'token',
      0,
      (seq, value) => seen.push(`${seq} ${value}`),
      () => seen.push('ended'),
    )
    await until(() => seen.length === 1)
    t.notMatch(server.command('KEYS', '*'), /token/)
    await owners[1]!.delete('token')
    await until(() => seen.length === 2)
    t.same(seen, ['1 x', 'ended'])
    t.equal(await logs[0]!.append('token', 'y'), undefined)
  })

  t.test('batched entries are there for a reader at another replica [STATE-35]', async t => {
    const logs = [first, second].map(holder =>
      holder.eventLog<number>('batched', { maxPerStream: 1000, maxCount: 1000, batched: true }),
    )
    const numbers = Array.from({ length: 600 }, (_, index) => index)
    for (const number of numbers) void logs[0]!.append('all', number)
    t.equal(await logs[0]!.append('all', 600), undefined)
    const read = await logs[1]!.after('all', 0, 1000)
    t.same(
      read.map(({ value }) => value),
      [...numbers, 600],
    )
    t.same(await logs[1]!.info('all'), { lastSeq: 601, count: 601 })
  })

  t.test('a batch keeps the bounds and can be cleared in part [STATE-35]', async t => {
    const logs = [first, second].map(holder =>
      holder.eventLog<number>('bounded-batch', { maxPerStream: 100, maxCount: 100, batched: true }),
    )
    const values = async (index: number) => (await logs[index]!.after('all', 0, 1000)).map(({ value }) => value)
    const numbers = Array.from({ length: 350 }, (_, index) => index)
    for (const number of numbers) void logs[0]!.append('all', number)
    t.same(await values(1), numbers.slice(-100), 'only the last ones are sent')
    t.same(await logs[1]!.info('all'), { lastSeq: 350, count: 100 }, 'but all have numbers')
    t.same(await logs[1]!.newest('all', 2), [
      { seq: 350, value: 349 },
      { seq: 349, value: 348 },
    ])
    const cleared = await Promise.all(logs.map(log => log.clear('all', value => value % 2 === 0)))
    t.equal(cleared[0]! + cleared[1]!, 50, 'each entry is cleared once')
    t.same(
      await values(0),
      numbers.slice(-100).filter(number => number % 2 === 1),
    )
    for (const number of [1000, 1001, 1002]) void logs[1]!.append('all', number)
    t.equal((await values(0)).length, 53)
    for (const number of numbers.slice(0, 60)) void logs[1]!.append('all', number)
    t.same((await values(0)).length, 100)
    t.equal(await logs[0]!.clear('all'), 100)
    t.same(await logs[1]!.info('all'), { lastSeq: 413, count: 0 })
    await t.rejects(logs[0]!.append('all', new Date() as unknown as number), { name: 'TypeError' })
  })

  t.test('registers have one value, which every replica has when an update resolves [STATE-35]', async t => {
    let initials = 0
    const initial = () => ({ n: ++initials * 100 })
    const registers = [first, second].map(holder => holder.replicated('facts', { initial }))
    await Promise.all([first.ready(), second.ready()])
    t.same(registers[0]!.current, registers[1]!.current)
    const seen: number[] = []
    registers[1]!.subscribe(({ n }) => seen.push(n))
    const before = registers[0]!.current.n
    await registers[0]!.update(({ n }) => ({ n: n + 1 }))
    t.equal(registers[1]!.current.n, before + 1)
    await Promise.all(registers.flatMap(register => [1, 2, 3].map(() => register.update(({ n }) => ({ n: n + 1 })))))
    t.same(
      registers.map(({ current }) => current.n),
      [before + 7, before + 7],
    )
    t.equal(seen.at(-1), before + 7)
    await t.rejects(
      registers[0]!.update(() => ({ n: new Date() as unknown as number })),
      { name: 'TypeError' },
    )
    t.throws(() => (registers[0]!.current as { n: number }).n++, 'values are frozen')
  })

  t.test('messages reach both replicas, and asking one that is gone fails at once [STATE-35]', async t => {
    const noted: string[] = []
    const open = (holder: typeof first, name: string) =>
      holder.channel<string, string>('bell', {
        on(message, from) {
          noted.push(`${name} ${message} ${from}`)
          if (message === 'bad') throw new Error('refused')
          return `${name} noted ${message}`
        },
      })
    const [a, b] = [open(first, 'one'), open(second, 'two')]
    await until(() => one.state.replicas.list().length === 2)
    const outcome = await a.tell('hello')
    t.same(outcome, { reached: [a.replica, b.replica], missing: [], replies: ['one noted hello', 'two noted hello'] })
    t.equal(await b.ask(a.replica, 'you'), 'one noted you')
    t.equal(noted.at(-1), `one you ${b.replica}`)
    await t.rejects(a.ask(b.replica, 'bad'), { code: 'REPLICA_FAILED', message: 'refused' })
    await t.rejects(a.ask('000000000000', 'x'), { code: 'REPLICA_GONE' })
    b.send('bye')
    await until(() => noted.filter(line => line.includes(' bye ')).length === 2)
    const [slow] = [first, second].map(holder =>
      holder.channel<null, never>('slow', { on: () => new Promise(() => {}) }),
    )
    await t.rejects(slow!.ask(b.replica, null, { timeoutMs: 20 }), { code: 'REPLICA_TIMEOUT' })
    await t.rejects(slow!.ask(b.replica, null, { signal: AbortSignal.timeout(20) }), { name: 'TimeoutError' })
    await second.release()
    a.send('to nobody')
    await t.rejects(a.ask(b.replica, 'x'), { code: 'REPLICA_FAILED', message: 'unknown channel' })
  })

  t.test('secrets are the same at both replicas [STATE-35]', async t => {
    const [a, b] = await Promise.all([one, two].map(({ registry }) => registry.hold(1, 's', 'v').secret('rounds')))
    t.equal(a!.length, 32)
    t.same(a, b)
  })

  t.test('a replica that leaves is gone, and one leads [STATE-35]', async t => {
    t.equal([one, two].filter(({ state }) => state.replicas.isLeader()).length, 1)
    const three = await openReplica(t, server.url, { instanceId: 'three' })
    t.same(
      three.state.replicas.list().map(({ instanceId }) => instanceId),
      ['one', 'two', 'three'],
    )
    const gone: string[] = []
    one.state.replicas.onGone(replica => gone.push(replica))
    await until(() => one.state.replicas.list().length === 3)
    await three.registry.close()
    await until(() => gone.length === 1)
    t.same(gone, [three.state.replicas.self])
  })

  t.test('callbacks did not fail', async t => {
    t.same([...one.failures, ...two.failures], [])
  })
})
