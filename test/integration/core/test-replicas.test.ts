/** `startReplicas` of `svc/testing`: servers that share their state. */
import t, { type Test } from 'tap'
import { startReplicas, type TestReplicas } from '../../../core/testing/index.ts'
import { pluginFolder } from '../../support/plugins.ts'
import { NEEDS_SERVER, startStateServer } from '../../support/state-store.ts'
import { until } from '../../support/until.ts'

const TALLY = `import { definePlugin } from 'svc/plugin'
export default definePlugin({ title: 'Tally', paths: ['/tally'], register(app, svc) {
  const marks = svc.state('marks', { maxCount: 10, watched: true })
  const log = svc.eventLog('log', { maxPerStream: 10, maxCount: 10 })
  const status = svc.replicated('status', { initial: () => ({ text: 'new' }) })
  const objects = svc.shared('objects', () => ({ count: 0 }))
  const seen = []
  marks.subscribe(({ kind, key }) => seen.push(kind + ' ' + key))
  const names = svc.channel('names', { on: async ({ fails }) => { if (fails) throw new Error('no name'); return svc.replicas.self } })
  app.get('/tally/mark', async () => { objects.count += 1; await log.append('all', { n: 1 }); return { marks: await marks.increment('a'), here: objects.count } })
  app.get('/tally/read', async () => ({ marks: await marks.get('a'), log: (await log.newest('all', 10)).length, status: status.current, seen: seen.length > 0 }))
  app.get('/tally/status', async ({ query }) => status.update(() => ({ text: query.text })))
  app.get('/tally/names', async () => ({ self: names.replica, list: svc.replicas.list().map(({ replica }) => replica), leader: svc.replicas.isLeader(), ...(await names.tell({})) }))
  app.get('/tally/ask', async ({ query }) => names.ask(query.of, { fails: query.fails === '1' }).catch(error => error.code))
  app.get('/tally/secret', async () => (await svc.secret('key')).toString('hex'))
  app.get('/tally/bad', async () => { await marks.set('b', new Map()); return 'kept' })
} })`

type Json = Record<string, unknown>

async function check(t: Test, replicas: TestReplicas): Promise<void> {
  const get = async (index: number, path: string): Promise<Json> =>
    (await (await fetch(`${replicas.via(index).url}/tally/${path}`)).json()) as Json
  const text = async (index: number, path: string) => (await fetch(`${replicas.via(index).url}/tally/${path}`)).text()

  t.strictSame(await get(0, 'mark'), { marks: 1, here: 1 })
  t.strictSame(await get(1, 'mark'), { marks: 2, here: 1 }, 'a shared object stays in its replica')
  t.strictSame(await get(4, 'mark'), { marks: 3, here: 2 }, 'the third request of three is at the second again')
  await get(2, 'status?text=changed')
  await until(async () => (await get(2, 'read')).seen === true, 'the change')
  for (const index of [0, 1, 2])
    t.match(await get(index, 'read'), { marks: 3, log: 3, status: { text: 'changed' }, seen: true })
  const shown = await Promise.all([0, 1, 2].map(index => get(index, 'names')))
  const names = shown.map(({ self }) => self)
  t.equal(new Set(names).size, 3)
  for (const { list, replies } of shown) {
    t.same(new Set(list as string[]), new Set(names))
    t.same(new Set(replies as string[]), new Set(names))
  }
  await until(async () => {
    const leaders = (await Promise.all([0, 1, 2].map(index => get(index, 'names')))).filter(({ leader }) => leader)
    return leaders.length === 1
  }, 'one leader')
  t.equal(await text(0, `ask?of=${names[1]}`), names[1])
  t.equal(await text(0, `ask?of=${names[1]}&fails=1`), 'REPLICA_FAILED')
  t.equal(await text(0, 'secret'), await text(1, 'secret'))
  t.equal((await fetch(`${replicas.via(0).url}/tally/bad`)).status, 500, 'a value that is not JSON')

  await replicas.via(1).stop()
  await until(async () => ((await get(0, 'names')).list as string[]).length === 2, 'that the others notice')
  t.equal(await text(0, `ask?of=${names[1]}`), 'REPLICA_GONE')
  t.match(await get(2, 'mark'), { marks: 4 })
}

const options = (t: Test) => ({ folders: [pluginFolder(t, { tally: TALLY }).folder], plugins: ['tally'] })

t.test('in the memory of the process [STATE-45]', async t => {
  const replicas = await startReplicas(3, options(t))
  t.teardown(() => replicas.stop())
  t.equal(replicas.servers.length, 3)
  t.ok(replicas.via(0).lines.length >= 0)
  await check(t, replicas)
  await t.rejects(startReplicas(0), /from 1 to 64/)
  await t.rejects(startReplicas(2, { yaml: '{}', plugins: ['echo'] }), /cannot be combined/)
})

t.test('in a store [STATE-45]', NEEDS_SERVER, async t => {
  const { url } = await startStateServer(t)
  await using replicas = await startReplicas(3, { ...options(t), store: url })
  await using others = await startReplicas(1, { ...options(t), store: url })
  await check(t, replicas)
  t.match(await (await fetch(`${others.via(7).url}/tally/mark`)).json(), { marks: 1 }, 'another deployment')
})
