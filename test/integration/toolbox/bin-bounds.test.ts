/**
 * Limits of request bins, under load and over time.
 * Runs alone: it measures memory. Takes long: it fills a store.
 */
import t from 'tap'
import type { Config } from '../../../core/contract/plugin.ts'
import { createBinStore } from '../../../plugins/bins/bin-store.ts'
import type { Bin } from '../../../plugins/bins/bin.ts'
import { storedBytes, type CapturedRequest } from '../../../plugins/bins/captured-request.ts'
import { limitsOf } from '../../../plugins/bins/limits.ts'
import { usedBytes } from '../../support/heap.ts'
import { pluginState } from '../../support/plugin-state.ts'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'

const answer = { status: 200, headers: {}, body: null, delay_ms: 0 }
const normal = { publicMode: false, maxDelayMs: 30_000 } as Config
const open = { publicMode: true, maxDelayMs: 10_000 } as Config

const { url } = await serve(t, { env: { SVC_INSPECTOR_CAPACITY: '1' } })
const { url: publicUrl } = await serve(t, { env: { SVC_PUBLIC_MODE: 'true' } })

function requestOf(fields: Partial<CapturedRequest> = {}): CapturedRequest {
  return {
    id: 'i',
    bin_id: 'b',
    timestamp: '',
    method: 'POST',
    path: '/',
    full_path: '/bin/b',
    query: null,
    headers: [],
    content_type: null,
    body: null,
    body_base64: null,
    body_size: 0,
    body_truncated: false,
    client_ip: '',
    ...fields,
  }
}

t.test('public instances have lower limits [BIN-12]', async t => {
  t.strictSame(limitsOf(open), {
    max_bins: 100,
    max_bins_per_session: 10,
    ttl_secs: 3600,
    max_requests: 50,
    max_bytes_per_bin: 262_144,
    max_captured_body: 65_536,
    max_delay_ms: 10_000,
  })
  const made = await send(publicUrl, '/bin', { method: 'POST' })
  await send(publicUrl, made.json<{ path: string }>().path, { method: 'DELETE' })
  t.match(made.json(), { limits: limitsOf(open) })
  t.match((await send(publicUrl, '/bin', { method: 'POST', body: '{"delay_ms":10001}' })).json(), {
    error: 'invalid_bin',
  })
})

t.test('the size of a capture is the memory of headers, kept body, path and query [BIN-13]', async t => {
  const sizeOf = (fields: Partial<CapturedRequest>): number => storedBytes(requestOf({ full_path: '', ...fields }))
  const empty = sizeOf({})
  t.equal(sizeOf({ body: 'é€' }), empty + 4, 'two bytes a character')
  t.equal(sizeOf({ body: 'ab', full_path: '/bin/x', query: 'q=1' }), empty + 2 + 6 + 3)
  t.equal(sizeOf({ body_base64: 'AAAA' }), empty + 4)
  const header = sizeOf({ headers: [{ name: '', value: '' }] }) - empty
  t.equal(
    sizeOf({
      headers: [
        { name: 'ab', value: 'cde' },
        { name: 'f', value: '' },
      ],
    }),
    empty + 2 * header + 6,
  )
})

t.test('the oldest captures are dropped to keep the limits; numbering continues [BIN-13]', async t => {
  const limits = limitsOf(normal)
  /** Memory that the log adds to each request. */
  const ENTRY_BYTES = 96
  const bins = createBinStore(pluginState(normal).svc, limits)
  const { id } = await bins.create('s', answer)
  const stored = async (): Promise<number[]> => (await bins.newest(id, 1000)).map(({ seq }) => seq)
  for (let count = 1; count <= 130; count++) t.match(await bins.capture(id, requestOf()), { bin: { id }, seq: count })
  t.strictSame(await bins.info(id), { lastSeq: 130, count: 100 })
  t.strictSame([(await stored()).at(0), (await stored()).at(-1)], [130, 31])
  const large = requestOf({ body: 'x'.repeat(65_536) })
  for (let count = 0; count < 40; count++) await bins.capture(id, large)
  t.equal((await stored()).at(0), 170)
  const each = storedBytes(large) + ENTRY_BYTES
  t.equal((await stored()).length, Math.floor(limits.max_bytes_per_bin / each), 'as many as fit')
})

t.test('concurrent captures get unique numbers [BIN-13]', async t => {
  const { id } = (await send(url, '/bin', { method: 'POST' })).json<{ id: string }>()
  const replies = await Promise.all(Array.from({ length: 150 }, () => send(url, `/bin/${id}/x`, { method: 'POST' })))
  const numbers = replies.map(reply => reply.json<{ seq: number }>().seq)
  t.strictSame(
    numbers.toSorted((a, b) => a - b),
    Array.from({ length: 150 }, (_, index) => index + 1),
  )
  t.strictSame(
    replies.map(reply => Number(reply.headers['x-svc-bin-seq'])),
    numbers,
  )
  t.match((await send(url, `/bin/${id}/requests`)).json(), { bin: { total_requests: 150, stored_requests: 100 } })
})

t.test('a full instance evicts the oldest bin [BIN-14]', async t => {
  const first = (await send(url, '/bin', { method: 'POST' })).json<{ id: string }>()
  const replies = await Promise.all(Array.from({ length: 400 }, () => send(url, '/bin', { method: 'POST' })))
  t.ok(replies.every(reply => reply.status === 201))
  t.equal((await send(url, `/bin/${first.id}`)).status, 404)
  const { count, bins } = (await send(url, '/bin')).json<{ count: number; bins: { id: string }[] }>()
  t.equal(count, 200)
  const made = new Set(replies.map(reply => reply.json<{ id: string }>().id))
  t.equal(made.size, 400)
  t.ok(bins.every(({ id }) => made.has(id)))
})

t.test('a full public instance rejects concurrent creations [BIN-14]', async t => {
  const make = (session: string): Promise<{ status: number; error: string | undefined }> =>
    send(publicUrl, '/bin', { method: 'POST', headers: { 'X-Svc-Session': session } }).then(reply => ({
      status: reply.status,
      error: reply.json<{ error?: string }>().error,
    }))
  const count = (outcomes: { status: number; error: string | undefined }[], error: string | undefined): number =>
    outcomes.filter(outcome => outcome.error === error).length

  const own = await Promise.all(Array.from({ length: 30 }, () => make('greedy')))
  t.strictSame([count(own, undefined), count(own, 'too_many_bins')], [10, 20])
  t.ok(own.every(({ status, error }) => status === (error === undefined ? 201 : 429)))
  const all = await Promise.all(Array.from({ length: 200 }, (_, index) => make(`session-${index}`)))
  t.strictSame([count(all, undefined), count(all, 'bins_full')], [90, 110])
  t.ok(all.every(({ status, error }) => status === (error === undefined ? 201 : 503)))
})

t.test('interleaved creations cannot exceed the limit [BIN-14]', async t => {
  const bins = createBinStore(pluginState(open).svc, limitsOf(open))
  const outcomes = await Promise.allSettled(Array.from({ length: 40 }, () => bins.create('s', answer)))
  t.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 10)
  t.equal((await bins.ofSession('s')).length, 10)
})

t.test(
  'over the total limit in bytes the oldest bin is removed; a public instance refuses a new one [BIN-14] [HARD-12]',
  async t => {
    const large = { ...answer, headers: { 'x-large': 'x'.repeat(1_000_000) } }
    for (const [config, maxMib, evicts] of [
      [normal, 64, true],
      [open, 32, false],
    ] as const) {
      const { svc, stores } = pluginState(config)
      const bins = createBinStore(svc, limitsOf(config))
      const first = await bins.create('s', large)
      const outcomes: PromiseSettledResult<Bin>[] = []
      for (let index = 0; index < 80; index++)
        outcomes.push(...(await Promise.allSettled([bins.create(`session ${index}`, large)])))
      const refused = outcomes.filter(outcome => outcome.status === 'rejected')
      const bytes = await stores.get('bins')!.bytes()
      t.ok(bytes <= maxMib * 1024 * 1024 && bytes > (maxMib - 2) * 1024 * 1024, `${bytes} bytes`)
      t.equal((await bins.find(first.id)) === undefined, evicts)
      t.equal(refused.length > 0, !evicts)
      t.ok(refused.every(({ reason }) => (reason as { body?: { error?: string } }).body?.error === 'bins_full'))
    }
  },
)

t.test(
  'bins and their requests share the limit in bytes: over it the oldest bin is removed [BIN-14] [HARD-12]',
  async t => {
    const { svc, stores, logs } = pluginState(normal)
    const bins = createBinStore(svc, limitsOf(normal))
    const ids: string[] = []
    const body = 'x'.repeat(65_536)
    for (let index = 0; index < 80; index++) {
      const { id } = await bins.create('s', answer)
      ids.push(id)
      for (let count = 0; count < 20; count++) t.ok(await bins.capture(id, requestOf({ body })))
    }
    const left = (await bins.ofSession('s')).map(({ id }) => id).reverse()
    t.ok(left.length < 80)
    t.strictSame(left, ids.slice(-left.length), 'the oldest were removed')
    for (const id of left) t.strictSame(await bins.info(id), { lastSeq: 20, count: 15 })
    const bytes = (await stores.get('bins')!.bytes()) + (await logs.get('requests')!.bytes())
    t.ok(bytes <= 64 * 1024 * 1024 && bytes > 62 * 1024 * 1024, `${bytes} bytes`)
  },
)

t.test('a bin lives 24 hours (public: one), and what it held is freed without a visit [BIN-15]', async t => {
  for (const [config, hours] of [
    [normal, 24],
    [open, 1],
  ] as const) {
    let now = 1_000_000
    const { svc, logs, sweep } = pluginState(config, { now: () => now })
    const bins = createBinStore(svc, limitsOf(config))
    const { id } = await bins.create('s', answer)
    now += hours * 3_600_000 - 1
    t.ok(await bins.capture(id, requestOf()), 'captures do not extend the lifetime')
    const changes: string[] = []
    bins.follow(
      id,
      1,
      ({ seq }) => changes.push(String(seq)),
      () => changes.push('ended'),
    )
    now += 1
    sweep()
    t.strictSame(changes, ['ended'])
    t.equal(await logs.get('requests')!.bytes(), 0)
    t.equal(await bins.capture(id, requestOf()), undefined)
  }
})

t.test('memory stays flat however much is sent to a bin [BIN-13]', async t => {
  const { id } = (await send(url, '/bin', { method: 'POST' })).json<{ id: string }>()
  const body = 'x'.repeat(65_536)
  const fill = async (count: number): Promise<void> => {
    for (let sent = 0; sent < count; sent += 20)
      await Promise.all(Array.from({ length: 20 }, () => send(url, `/bin/${id}`, { method: 'POST', body })))
  }
  await fill(100)
  const before = usedBytes()
  await fill(300)
  const grown = usedBytes() - before
  t.ok(grown < 8_000_000, `${Math.round(grown / 1e6)} MB more after another 20 MB were captured`)
})
