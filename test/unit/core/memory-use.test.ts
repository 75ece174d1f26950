/** What stores hold, as `/_svc/metrics` shows it. Measures: the heap of the process. */
import t from 'tap'
import { BoundedMap } from '../../../core/collections/bounded-map.ts'
import { RingBuffer } from '../../../core/collections/ring-buffer.ts'
import { createMetrics } from '../../../core/metrics/metrics.ts'
import { addStoreMetrics } from '../../../core/metrics/store-metrics.ts'
import { StateRegistry } from '../../../core/state/state-registry.ts'
import { parseExposition } from '../../support/exposition.ts'
import { HEAP_FACTOR, heapGrowth, times } from '../../support/store-memory.ts'

/** `svc_state_entries` and `svc_state_bytes` by store. */
async function scrape(states: StateRegistry): Promise<Record<string, [number, number]>> {
  const metrics = createMetrics()
  addStoreMetrics(metrics, () => states.memoryUse(), states)
  const families = parseExposition(await metrics.text())
  const bytes = new Map(families.get('svc_state_bytes')!.samples.map(({ labels, value }) => [labels.store!, value]))
  return Object.fromEntries(
    families
      .get('svc_state_entries')!
      .samples.map(({ labels, value }) => [labels.store!, [value, bytes.get(labels.store!)!]]),
  )
}

t.test('stores, logs, registers and measured shared objects have their entries and bytes [METRIC-4]', async t => {
  const states = new StateRegistry()
  t.teardown(() => states.close())
  const holder = states.hold(1, 'shop', 'v1')
  const carts = holder.state<string>('carts', { maxCount: 10, maxBytes: 100_000 })
  const log = holder.eventLog<string>('orders', { maxPerStream: 10, maxCount: 10, maxBytes: 100_000 })
  holder.replicated('open', { initial: () => true })
  const ring = holder.shared('recent', () => new RingBuffer<string>({ maxCount: 4, maxBytes: 100, sizeOf: () => 7 }))
  const names = holder.shared('names', () => new BoundedMap<string>(10))
  holder.shared('clock', () => ({ now: 0 }))
  await holder.ready()
  t.strictSame(await scrape(states), {
    'shop/carts': [0, 0],
    'shop/orders': [0, 0],
    'shop/open': [1, 8],
    'shop/recent': [0, 0],
    'shop/names': [0, 0],
  })
  await carts.set('a', 'tea')
  await log.append('a', 'order')
  ring.add('x')
  names.set('long', 'x'.repeat(10_000))
  const used = await scrape(states)
  t.strictSame(used['shop/carts'], [1, await carts.bytes()])
  t.strictSame(used['shop/orders'], [1, await log.bytes()])
  t.strictSame(used['shop/recent'], [1, 7])
  t.equal(used['shop/names']![0], 1)
  t.ok(used['shop/names']![1] > 10_000)

  const next = states.hold(2, 'shop', 'v2')
  await next.state<string>('carts', { maxCount: 10, maxBytes: 100_000, schema: 2 }).set('b', 'tea')
  t.equal((await scrape(states))['shop/carts']![0], 2, 'data of both schemas count while one drains')
  await holder.release()
  t.equal((await scrape(states))['shop/carts']![0], 1)
})

t.test(
  'the bytes of a store that has no bound in bytes are estimated within the factor of bounds [METRIC-4]',
  async t => {
    const states = new StateRegistry()
    t.teardown(() => states.close())
    const holder = states.hold(1, 'shop', 'v1')
    const store = holder.state<object>('rows', { maxCount: 10_000 })
    const grown = await heapGrowth(async () => {
      await times(10_000, index =>
        store.set(
          `key of row ${index}`,
          JSON.parse(`{"name":"row number ${index}","tags":["one","two"],"count":${index}}`),
        ),
      )
    })
    const [entries, bytes] = (await scrape(states))['shop/rows']!
    t.equal(entries, 10_000)
    t.ok(grown < HEAP_FACTOR * bytes && grown > bytes / 3, `${grown} bytes of heap, ${bytes} estimated`)
    const self: { self?: object } = {}
    self.self = self
    await store.set('key of row 0', self)
    t.equal((await scrape(states))['shop/rows']![0], 10_000, 'a value that refers to itself does not fail')
  },
)

t.test('at most 256 stores have their own label, further ones are "other" [METRIC-4]', async t => {
  const states = new StateRegistry()
  t.teardown(() => states.close())
  const holder = states.hold(1, 'shop', 'v1')
  for (let index = 0; index < 300; index++)
    await holder.state<string>(`store-${index}`, { maxCount: 1, maxBytes: 1000 }).set('a', 'b')
  const used = await scrape(states)
  t.equal(Object.keys(used).length, 257)
  t.equal(used.other![0], 44)
})

t.test('a store that is unavailable is left out [METRIC-4]', async t => {
  const states = new StateRegistry()
  t.teardown(() => states.close())
  const holder = states.hold(1, 'shop', 'v1')
  holder.shared('broken', () => ({
    memoryUse() {
      throw new Error('away')
    },
  }))
  holder.shared('whole', () => ({ memoryUse: () => ({ entries: 1, bytes: 2 }) }))
  t.strictSame(await scrape(states), { 'shop/whole': [1, 2] })
})
