/** Mocks of several replicas that share their stores. */
import t, { type Test } from 'tap'
import { boundsFor, type Bounds } from '../../../plugins/mocks/bounds.ts'
import { Checker } from '../../../plugins/mocks/check/checker.ts'
import { countBounds, RequestCounts } from '../../../plugins/mocks/exchange/request-counts.ts'
import { documentsOf, withParts, type Deployable, type MockRecord } from '../../../plugins/mocks/management/mock.ts'
import { documentBounds, recordBounds } from '../../../plugins/mocks/management/mock-limits.ts'
import { MockStore } from '../../../plugins/mocks/management/mock-store.ts'
import { EPOCH_BOUNDS, StoreEpoch } from '../../../plugins/mocks/management/store-epoch.ts'
import { Registry } from '../../../plugins/mocks/management/registry.ts'
import type { SourceEntry } from '../../../plugins/mocks/sources/sources.ts'
import { syncSources } from '../../../plugins/mocks/sources/sync.ts'
import { pluginState } from '../../support/plugin-state.ts'
import { until } from '../../support/until.ts'

interface Replica {
  epoch: StoreEpoch
  registry: Registry
  mocks: MockStore
}

/** Replicas with the same stores. A write is announced to all others. */
function deployment(count: number, limits: Partial<Bounds> = {}) {
  const bounds = { ...boundsFor(false), ...limits }
  const { svc } = pluginState({ publicMode: false }, { isStrict: true })
  const records = svc.state<MockRecord>('mocks', recordBounds(bounds))
  const documents = svc.state<string>('documents', documentBounds(bounds))
  const epochs = svc.state<string>('epoch', EPOCH_BOUNDS)
  const replicas: Replica[] = []
  for (let index = 0; index < count; index++) {
    const registry = new Registry({ bounds, publicMode: false, maxDelayMs: 1000, checker: new Checker('unused') })
    const announce = async (name: string): Promise<void> => {
      await Promise.all(replicas.filter(other => other.registry !== registry).map(other => other.mocks.refresh(name)))
    }
    const nothing = async (): Promise<void> => {}
    const mocks = new MockStore({ records, documents, registry, announce, clearTraffic: nothing, forget: nothing })
    replicas.push({ registry, mocks, epoch: new StoreEpoch(epochs, { epoch: null }) })
  }
  return { replicas, records, documents, epochs, bounds }
}

const document = (title: string): string =>
  `{"openapi":"3.1.0","info":{"title":"${title}","version":"1"},"paths":{"/a":{"get":{"responses":{"200":{"description":"ok"}}}}}}`

const deployable = (text: string): Deployable => ({
  text,
  kind: 'openapi',
  format: 'json',
  served: text,
  given: {},
  message: null,
  rolledBackFrom: null,
})

const upload = (replica: Replica, name: string, text: string) =>
  replica.mocks.create({ name, source: 'api', files: null, enabled: true }, deployable(text))

const entry = (digest: string, title = 'File'): SourceEntry => ({
  name: 'shop',
  source: 'file',
  file: '/shop.json',
  text: document(title),
  problems: [],
  given: {},
  enabled: true,
  at: null,
  digest,
})
const sync = ({ registry, mocks }: Replica, entries: SourceEntry[]) =>
  syncSources(registry, mocks, { entries, errors: [] })
const slow = (record: MockRecord): MockRecord =>
  withParts(record, { settings: { ...record.parts.settings, delay_ms: 7 } })
const delayAt = (replica: Replica | undefined, name: string): number | undefined =>
  replica?.registry.get(name)?.live.parts.settings.delayMs

t.test('when a write has ended, every replica serves the result [MOCK-93]', async t => {
  const { replicas } = deployment(3)
  const [a, b, c] = replicas as [Replica, Replica, Replica]
  await upload(a, 'm', document('One'))
  for (const { registry } of replicas)
    t.match(registry.get('m'), { revision: 1, version: 1, live: { api: { document: { title: 'One' } } } })
  await b.mocks.deploy('m', deployable(document('Two')), record => record)
  await c.mocks.edit('m', slow)
  for (const replica of replicas) {
    t.match(replica.registry.get('m'), { revision: 3, version: 2, live: { api: { document: { title: 'Two' } } } })
    t.equal(delayAt(replica, 'm'), 7)
    t.equal(await replica.mocks.text(replica.registry.get('m')?.versions[0]?.sha256 ?? ''), document('One'))
  }
  await a.mocks.remove('m')
  for (const { registry } of replicas) t.equal(registry.get('m'), undefined)
})

t.test('a replica that joins serves what is stored [MOCK-93]', async t => {
  const { replicas } = deployment(2)
  const [a, b] = replicas as [Replica, Replica]
  await upload(a, 'm', document('One'))
  b.registry.drop('m')
  for (const name of await b.mocks.names()) await b.mocks.refresh(name)
  t.match(b.registry.get('m'), { revision: 1 })
})

t.test('the revision is compared when the change is written [MOCK-94]', async t => {
  const { replicas } = deployment(2)
  const [a, b] = replicas as [Replica, Replica]
  await upload(a, 'm', document('One'))
  const ifFirst = (record: MockRecord): MockRecord => {
    if (record.revision !== 1) throw new Error('changed')
    return slow(record)
  }
  const outcomes = await Promise.allSettled([a.mocks.edit('m', ifFirst), b.mocks.edit('m', ifFirst)])
  t.strictSame(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  t.match(b.registry.get('m'), { revision: 2 })
})

t.test('replicas together keep the limit of mocks exactly [MOCK-94]', async t => {
  const { replicas, records } = deployment(2, { mocks: 3 })
  const outcomes = await Promise.allSettled(
    Array.from({ length: 8 }, (_, index) => upload(replicas[index % 2]!, `m${index}`, document(`${index}`))),
  )
  t.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 3)
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') t.match(outcome.reason, { body: { error: 'too_many_mocks', limit: 3 } })
  t.equal(await records.count(), 3)
  for (const { registry } of replicas) t.equal(registry.list().length, 3)
})

t.test('edits of a mock from files hold where the files are the same [MOCK-95]', async t => {
  const { replicas } = deployment(3)
  const [a, b, c] = replicas as [Replica, Replica, Replica]
  t.match(await sync(a, [entry('d1')]), { added: ['shop'], errors: [] })
  t.match(await sync(b, [entry('d1')]), { added: ['shop'], errors: [] })
  t.match(b.registry.get('shop'), { revision: 1, version: 1 }, 'the second replica adds no version')
  await a.mocks.edit('shop', slow)
  t.strictSame([delayAt(a, 'shop'), delayAt(b, 'shop')], [7, 7])
  t.match(await sync(c, [entry('d2', 'Newer')]), { added: ['shop'] })
  t.match(c.registry.get('shop'), { revision: 3, version: 2, live: { api: { document: { title: 'Newer' } } } })
  t.equal(delayAt(c, 'shop'), 0)
  t.match(b.registry.get('shop'), { live: { api: { document: { title: 'File' } } } }, 'it serves its own file')
  t.equal(delayAt(b, 'shop'), 7)
  t.match(await sync(b, [entry('d2', 'Newer')]), { updated: ['shop'] })
  t.match(b.registry.get('shop'), { revision: 3, version: 2, live: { api: { document: { title: 'Newer' } } } })
  t.match(await sync(a, []), { removed: ['shop'] })
  t.equal(a.registry.get('shop'), undefined)
  t.ok(b.registry.get('shop'), 'others keep what their files define')
})

t.test('a document is stored once, and as long as a mock has it [MOCK-96]', async t => {
  const { replicas, documents, bounds } = deployment(1)
  const [a] = replicas as [Replica]
  const stored = async (): Promise<number> => documents.count()
  await upload(a, 'm', document('One'))
  await upload(a, 'n', document('One'))
  t.equal(await stored(), 1)
  await a.mocks.remove('m')
  t.equal(await a.mocks.text([...documentsOf(a.registry.get('n')!.record).keys()][0]!), document('One'))
  for (let index = 0; index < bounds.versions; index++)
    await a.mocks.deploy('n', deployable(document(`v${index}`)), record => record)
  t.equal(await stored(), bounds.versions, 'the first version was dropped')
  await t.rejects(
    a.mocks.deploy('n', deployable(document('refused')), () => {
      throw new Error('no')
    }),
  )
  t.equal(await stored(), bounds.versions)
  await a.mocks.remove('n')
  t.equal(await stored(), 0)
})

t.test('old versions are dropped before a document is refused [MOCK-96]', async t => {
  const size = document('0000').length
  const { replicas, documents } = deployment(2, { totalDocumentBytes: 3 * size })
  const [a, b] = replicas as [Replica, Replica]
  await upload(a, 'm', document('0000'))
  await a.mocks.deploy('m', deployable(document('0001')), record => record)
  await upload(b, 'n', document('0002'))
  await upload(b, 'o', document('0003'))
  t.strictSame(
    a.registry.get('m')?.versions.map(({ title }) => title),
    ['0001'],
  )
  const refusal: unknown = await upload(a, 'p', document('0004')).catch((error: unknown) => error)
  t.match(refusal, { body: { error: 'too_large', limit: 3 * size } })
  t.equal(await documents.count(), 3)
})

t.test('a mock that a replica cannot compile keeps what it served [MOCK-93]', async t => {
  const { replicas, records, documents } = deployment(2)
  const [a, b] = replicas as [Replica, Replica]
  await upload(a, 'm', document('One'))
  const record = a.registry.get('m')!.record
  await documents.add('f'.repeat(64), '{"openapi":"9.9.9"}')
  await records.set('m', {
    ...record,
    revision: 2,
    versions: [...record.versions, { ...record.versions[0]!, version: 2, sha256: 'f'.repeat(64) }],
  })
  await t.rejects(b.mocks.refresh('m'))
  t.match(b.registry.get('m'), { revision: 1, live: { api: { document: { title: 'One' } } } })
})

t.test('mocks survive a store that comes back empty [MOCK-101]', async t => {
  const { replicas, records, documents, epochs } = deployment(3)
  const [a, b, c] = replicas as [Replica, Replica, Replica]
  await upload(a, 'm', document('One'))
  await a.mocks.deploy('m', deployable(document('Two')), record => record)
  await a.mocks.edit('m', slow)
  for (const { epoch } of replicas) t.equal(await epoch.hasChanged(), false)
  for (const store of [records, documents, epochs]) await store.clear()
  const reconnect = async ({ epoch, mocks }: Replica): Promise<void> => {
    if (await epoch.hasChanged()) await mocks.restore()
    for (const name of await mocks.names()) await mocks.refresh(name)
  }
  await reconnect(a)
  for (const { registry } of [a, b, c])
    t.match(registry.get('m'), { revision: 3, version: 2, live: { api: { document: { title: 'Two' } } } })
  t.equal(delayAt(a, 'm'), 7)
  t.same(JSON.parse(await a.mocks.text(a.registry.get('m')!.current!.sha256)), JSON.parse(document('Two')))
  await b.mocks.edit('m', record => withParts(record, { settings: { ...record.parts.settings, delay_ms: 8 } }))
  await reconnect(c)
  t.match(c.registry.get('m'), { revision: 4 }, 'what another replica has stored stays')
  await b.mocks.remove('m')
  await reconnect(c)
  t.equal(c.registry.get('m'), undefined, 'a deleted mock stays deleted')
})

t.test('requests are counted by all replicas, exactly when someone looks [MOCK-97]', async (t: Test) => {
  const { svc } = pluginState({})
  const store = svc.state<number>('request-counts', countBounds(boundsFor(false)))
  const replicas: RequestCounts[] = []
  const flushAll = (): Promise<unknown> => Promise.all(replicas.map(counts => counts.flush()))
  for (let index = 0; index < 3; index++) replicas.push(new RequestCounts(store, new Map(), flushAll))
  for (let index = 0; index < 300; index++) replicas[index % 3]?.add('m', index % 2 === 0 ? 'list' : '')
  replicas[0]?.add('n', 'list')
  t.equal(await store.count(), 0, 'no request waits for the store')
  await replicas[1]?.collect()
  t.strictSame([...((await replicas[1]?.ofMock('m')) ?? [])].sort(), [
    ['', 150],
    ['list', 150],
  ])
  t.equal(await replicas[2]?.total('m'), 300)
  await replicas[0]?.clear('m')
  t.strictSame([await replicas[2]?.total('m'), await replicas[2]?.total('n')], [0, 1])
  replicas[0]?.add('m', 'list')
  await until(async () => (await store.within('m').get('list')) === 1, 'the count reaches the store without a look')
})
