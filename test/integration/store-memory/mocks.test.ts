/** The memory of full stores: mocks and what they keep [HARD-12]. Runs alone: it measures the heap. */
import t from 'tap'
import type { StoreBounds } from '../../../core/contract/plugin.ts'
import { MemoryStore } from '../../../core/state/state-registry.ts'
import { boundsFor } from '../../../plugins/mocks/bounds.ts'
import { memoryBounds, SessionMemories } from '../../../plugins/mocks/exchange/session-memory.ts'
import type { MockRecord } from '../../../plugins/mocks/management/mock.ts'
import { documentBounds, recordBounds } from '../../../plugins/mocks/management/mock-limits.ts'
import { MockStore } from '../../../plugins/mocks/management/mock-store.ts'
import { Registry } from '../../../plugins/mocks/management/registry.ts'
import { countBounds, RequestCounts } from '../../../plugins/mocks/exchange/request-counts.ts'
import { Traffic, trafficBounds, type CapturedRequest as MockRequest } from '../../../plugins/mocks/exchange/traffic.ts'
import { pluginState } from '../../support/plugin-state.ts'
import { MIB, own, ascii, slice, wide, shortHeaders, bounded, times } from '../../support/store-memory.ts'

t.test('mocks: svc.state "sessions" [HARD-12]', async t => {
  const bounds = boundsFor(false)
  const cases: Record<
    string,
    { sessions: number; fill: (memories: SessionMemories, session: string, index: number) => unknown }
  > = {
    'sessions with one count': { sessions: 50_000, fill: (memories, session) => memories.count('m', session, 'list') },
    'values of two bytes a character': {
      sessions: 300,
      fill: (memories, session) =>
        memories.set(
          'm',
          session,
          Object.fromEntries(Array.from({ length: 100 }, (_, place) => [`name${place}`, wide(1024)])),
        ),
    },
    'values cut from large texts': {
      sessions: 1_000,
      fill: (memories, session, index) =>
        memories.set(
          'm',
          session,
          Object.fromEntries(Array.from({ length: 20 }, (_, place) => [`name${place}`, slice(index + place)])),
        ),
    },
    'names without end': {
      sessions: 1_000,
      fill: (memories, session, index) => memories.set('m', session, { [ascii(`${index}`.repeat(50_000))]: '' }),
    },
    counts: {
      sessions: 200,
      fill: (memories, session) => times(2_000, place => memories.count('m', session, `operation ${place}`)),
    },
  }
  for (const [name, { sessions, fill }] of Object.entries(cases)) {
    await t.test(name, async t =>
      bounded(t, 32 * MIB, async () => {
        const store = new MemoryStore<never>({ ...(memoryBounds(bounds) as StoreBounds<never>), maxPerGroup: 1e6 })
        const memories = new SessionMemories(store, bounds)
        await times(sessions, index => fill(memories, `named ${index}`, index))
        return store
      }),
    )
  }
})

t.test('mocks: svc.state "mocks" and "documents" [HARD-12]', async t => {
  const bounds = boundsFor(true)
  const fillings: Record<string, (index: number) => string> = {
    'empty objects': () => `[${'{},'.repeat(190_000)}0]`,
    'names that nobody else has': index =>
      `{${Array.from({ length: 50_000 }, (_, place) => `"name${index}_${place}":0.5`).join(',')}}`,
    'text of two bytes a character': index => `"ж${'x'.repeat(1_000_000)}${index}"`,
  }
  for (const [name, filling] of Object.entries(fillings)) {
    await t.test(name, async t =>
      bounded(t, bounds.totalDocumentMemory, async () => {
        const { svc } = pluginState({ publicMode: true })
        const registry = new Registry({ bounds, publicMode: true, maxDelayMs: 0, checker: null as never })
        const store = new MockStore({
          records: svc.state<MockRecord>('mocks', recordBounds(bounds)),
          documents: svc.state<string>('documents', documentBounds(bounds)),
          registry,
          announce: async () => {},
          clearTraffic: async () => {},
          forget: async () => {},
        })
        const refused: unknown[] = []
        await times(20, async index => {
          const text = own(
            `{"openapi":"3.1.0","info":{"title":"M","version":"1"},"paths":{},"x-large":${filling(index)}}`,
          )
          const document = {
            text,
            kind: 'openapi' as const,
            format: 'json' as const,
            served: text,
            given: { settings: {}, rules: [], overrides: {} },
            message: null,
            rolledBackFrom: null,
          }
          await store
            .create({ name: `mock${index}`, source: 'api', files: null, enabled: true }, document)
            .catch((error: unknown) => refused.push(error))
        })
        t.match(refused[0], { body: { error: 'too_large' } })
        return store
      }),
    )
  }
})

t.test('mocks: svc.state "request-counts" [HARD-12]', async t => {
  const bounds = { ...boundsFor(false), operations: 1e6 }
  const operations: Record<string, (index: number) => string> = {
    'short names': index => ascii(`get ${index}`),
    'names cut from large texts': slice,
    'long names of two bytes a character': index => own(`ж${'x'.repeat(2_000)}${index}`),
  }
  for (const [name, operation] of Object.entries(operations)) {
    await t.test(name, async t =>
      bounded(t, 16 * MIB, async () => {
        const store = pluginState({}).svc.state<number>('request-counts', countBounds(bounds))
        const counts = new RequestCounts(store, new Map(), async () => {})
        for (let part = 0; part < 100; part++) {
          for (let index = 0; index < 1_000; index++) counts.add('m', operation(part * 1_000 + index))
          await counts.flush()
        }
        return store
      }),
    )
  }
})

t.test('mocks: svc.eventLog "traffic" [HARD-12]', async t => {
  const { trafficBytes } = boundsFor(false)
  const request = (fields: Partial<MockRequest>): MockRequest => ({
    id: ascii('0123456789abcdef0123456789abcdef0123'),
    request_id: ascii('0123456789abcdef0123456789abcdef0123'),
    timestamp: ascii('2026-01-01T00:00:00.000Z'),
    session: null,
    client_ip: ascii('192.168.100.100'),
    method: 'GET',
    path: '/',
    query: null,
    headers: [],
    body: null,
    body_truncated: false,
    operation: null,
    version: 1,
    status: 200,
    source: null,
    rule: null,
    violations: [],
    credential: null,
    response: { headers: [], body: null, truncated: false },
    latency_ms: 0.5,
    ...fields,
  })
  const cases: Record<string, { count: number; fields: (index: number) => Partial<MockRequest> }> = {
    'requests without anything': { count: 20_000, fields: () => ({}) },
    'many headers': { count: 300, fields: () => ({ headers: shortHeaders(1_000) }) },
    'bodies of two bytes a character': {
      count: 600,
      fields: () => ({ body: wide(5_400), response: { headers: [], body: wide(5_400), truncated: false } }),
    },
    violations: {
      count: 2_000,
      fields: index => ({
        violations: Array.from({ length: 20 }, (_, place) => ({
          in: 'body',
          path: ascii(`/${place}`),
          keyword: 'type',
          message: own(`must be ${index} ж`),
        })),
      }),
    },
  }
  for (const [name, { count, fields }] of Object.entries(cases)) {
    await t.test(name, async t =>
      bounded(t, 4 * trafficBytes, async () => {
        // Four mocks, so that the noise of the heap is small compared to the measurement.
        const log = pluginState({}).svc.eventLog<MockRequest>('traffic', {
          ...trafficBounds(boundsFor(false)),
          maxPerStream: 1e6,
          maxCount: 1e6,
        })
        const traffic = new Traffic(log, boundsFor(false))
        for (const mock of ['a', 'b', 'c', 'd']) await times(count, index => traffic.add(mock, request(fields(index))))
        return log
      }),
    )
  }
})
