/**
 * Every store that is bounded in bytes, filled with the data that costs the most memory per byte of text.
 * Runs alone: it measures the heap.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Test } from 'tap'
import type { Config, StoreBounds } from '../../../core/contract/plugin.ts'
import { CaptureStore } from '../../../core/inspector/capture-store.ts'
import type { CapturedRequest as Captured } from '../../../core/inspector/captured-request.ts'
import { BodyConverter, ResponseCopy } from '../../../core/inspector/response-copy.ts'
import { MemoryStore } from '../../../core/state/state-registry.ts'
import { createBinStore } from '../../../plugins/bins/bin-store.ts'
import type { CapturedRequest as BinRequest } from '../../../plugins/bins/captured-request.ts'
import { limitsOf } from '../../../plugins/bins/limits.ts'
import { Blocklists } from '../../../plugins/guardrails/azure-blocklists.ts'
import { persistedQueryBounds } from '../../../plugins/graphql/yoga/persisted-queries.ts'
import type { AuthorizationCode } from '../../../plugins/identity/grants/authorization-code.ts'
import { issuerSettings } from '../../../plugins/identity/issuers/issuer-settings.ts'
import { openAddedIssuers, openKeyRecords, openStores } from '../../../plugins/identity/stores.ts'
import { boundsFor } from '../../../plugins/mocks/bounds.ts'
import { memoryBounds, SessionMemories } from '../../../plugins/mocks/exchange/session-memory.ts'
import type { MockRecord } from '../../../plugins/mocks/management/mock.ts'
import { documentBounds, recordBounds } from '../../../plugins/mocks/management/mock-limits.ts'
import { MockStore } from '../../../plugins/mocks/management/mock-store.ts'
import { Registry } from '../../../plugins/mocks/management/registry.ts'
import { countBounds, RequestCounts } from '../../../plugins/mocks/exchange/request-counts.ts'
import { Traffic, trafficBounds } from '../../../plugins/mocks/exchange/traffic.ts'
import type { CapturedRequest as MockRequest } from '../../../plugins/mocks/exchange/traffic.ts'
import { openHubs, parameters } from '../../support/mcp-sessions.ts'
import { pluginState } from '../../support/plugin-state.ts'
import { HEAP_FACTOR, heapGrowth } from '../../support/store-memory.ts'

const MIB = 1024 * 1024
const KIB = 1024

// ------------------------------------------------------------------------------------------------- what costs most

/** Text in its own memory, as created by a parser. */
function own(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le')
}

/** Latin-1, in its own memory. */
function ascii(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1')
}

/** Forty characters that retain a text of 64 KiB. */
function slice(index: number): string {
  return Buffer.alloc(64 * KIB, `${index} `)
    .toString('latin1')
    .slice(0, 40)
}

/** Two bytes per character. */
function wide(characters: number): string {
  return Buffer.from('ж'.repeat(characters), 'utf16le').toString('utf16le')
}

/** Two bytes per character because of a single one: in UTF-8 it is half as long. */
function wideFor(characters: number): string {
  return own(`ж${'x'.repeat(characters)}`)
}

/** Names and values of two characters. */
function shortHeaders(count: number): { name: string; value: string }[] {
  return Array.from({ length: count }, (_, index) => ({
    name: ascii(`h${index % 10}`),
    value: ascii(`v${index % 10}`),
  }))
}

/** Unique names. */
function record(index: number): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: 16 }, (_, place) => [`name${index}_${place}`, place]))
}

function nested(): unknown {
  return JSON.parse(`${'['.repeat(50)}${'{"a":'.repeat(50)}0.5${'}'.repeat(50)}${']'.repeat(50)}`)
}

// -------------------------------------------------------------------------------------------------------- one case

/** Fills a store of this many bytes completely and measures the heap; `fill` returns the store. */
async function bounded(t: Test, bytes: number, fill: () => Promise<unknown> | unknown): Promise<void> {
  const grown = await heapGrowth(fill)
  t.ok(grown <= HEAP_FACTOR * bytes, `${(grown / MIB).toFixed(1)} MiB held of ${bytes / MIB} MiB`)
  t.ok(grown > bytes / 20, 'and it was filled')
}

async function times(count: number, work: (index: number) => unknown): Promise<void> {
  for (let index = 0; index < count; index++) await work(index)
}

t.test('svc.state: any data of a plugin [HARD-12]', async t => {
  interface Case {
    count: number
    key?: (index: number) => string
    value: (index: number) => unknown
    grouped?: boolean
  }
  const cases: Record<string, Case> = {
    'tiny entries': { count: 30_000, value: () => true },
    'tiny entries, each in a group of its own': { count: 30_000, value: () => 0, grouped: true },
    'long text of two bytes a character': { count: 200, value: () => wide(64 * KIB) },
    'slices of large texts': { count: 15_000, value: slice },
    'keys cut from large texts': { count: 15_000, key: slice, value: () => null },
    'slices in lists': {
      count: 2_000,
      value: index => ({ list: Array.from({ length: 10 }, (_, place) => slice(index + place)) }),
    },
    'joined texts': {
      count: 3_000,
      value: index =>
        Array.from({ length: 200 }, (_, place) => `part ${index + place} `).reduce((whole, part) => whole + part, ''),
    },
    'many headers': { count: 2_000, value: () => shortHeaders(100) },
    'names that nobody else has': { count: 8_000, value: record },
    'nested JSON': { count: 5_000, value: nested },
  }
  const maxBytes = 8 * MIB
  for (const [name, { count, key = (index: number): string => `key ${index}`, value, grouped }] of Object.entries(
    cases,
  )) {
    await t.test(name, async t =>
      bounded(t, maxBytes, async () => {
        const store = new MemoryStore<unknown>({ maxCount: 1e6, maxBytes, ttlMs: 60_000, ttlFrom: 'use' })
        await times(count, index => store.set(key(index), value(index), grouped ? { group: `group ${index}` } : {}))
        return store
      }),
    )
  }
})

t.test('inspector [HARD-12]', async t => {
  const converter = new BodyConverter()
  const maxBytes = 16 * MIB
  const captured = (fields: Partial<Captured>): Captured => ({
    id: ascii('0123456789abcdef0123456789abcdef0123'),
    requestId: ascii('0123456789abcdef0123456789abcdef0123'),
    arrivedAt: Math.random(),
    method: 'GET',
    uri: '/',
    httpVersion: '1.1',
    rawHeaders: [],
    clientIp: ascii('192.168.100.100'),
    session: null,
    sessionFrom: null,
    rule: null,
    body: null,
    bodyBytes: 0,
    status: 200,
    latencyMs: Math.random(),
    trace: {
      traceId: ascii('0123456789abcdef0123456789abcdef'),
      spanId: ascii('0123456789abcdef'),
      parentSpanId: null,
      sampled: false,
      state: null,
    },
    fault: null,
    faultSource: null,
    faultOrigin: null,
    abort: null,
    failure: null,
    route: null,
    plugin: null,
    response: { bytesSent: Math.random(), ended: 'complete', grpcStatus: null, head: null, body: null },
    ...fields,
  })
  const cases: Record<string, { count: number; fields: () => Partial<Captured> }> = {
    'requests without anything': { count: 40_000, fields: () => ({}) },
    'many headers': {
      count: 1_000,
      fields: () => ({ rawHeaders: shortHeaders(1_000).flatMap(({ name, value }) => [name, value]) }),
    },
    bodies: { count: 400, fields: () => ({ body: Buffer.alloc(64 * KIB, 'é').toString('latin1') }) },
    responses: {
      count: 400,
      fields: () => {
        const copy = new ResponseCopy()
        copy.keepHead({ _header: `HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(2_000)}\r\n` } as never)
        copy.keep('x', undefined)
        for (let length = 1; length < 16 * KIB; length += 8) copy.keep(Buffer.alloc(8, 'é'), undefined)
        const { head } = copy
        return {
          response: { bytesSent: 1, ended: 'complete', grpcStatus: null, head, body: copy.bodyBy(converter) },
        }
      },
    },
    'whole responses': {
      count: 400,
      fields: () => {
        const copy = new ResponseCopy()
        copy.keepLast(wideFor(64 * KIB), 'utf8')
        return {
          response: { bytesSent: 1, ended: 'complete', grpcStatus: null, head: null, body: copy.bodyBy(converter) },
        }
      },
    },
    'trace states': {
      count: 3_000,
      fields: () => ({
        trace: { traceId: '', spanId: '', parentSpanId: null, sampled: true, state: ascii('x'.repeat(16 * KIB)) },
      }),
    },
  }
  for (const [name, { count, fields }] of Object.entries(cases)) {
    await t.test(name, async t =>
      bounded(t, maxBytes, async () => {
        const store = new CaptureStore(1e6, maxBytes)
        await times(count, () => store.add(captured(fields())))
        return store
      }),
    )
  }
})

t.test('svc.state "bins" and svc.eventLog "requests" of it [HARD-12]', async t => {
  const request = (fields: Partial<BinRequest>): BinRequest => ({
    id: ascii('0123456789abcdef0123456789abcdef0123'),
    bin_id: 'b',
    timestamp: ascii('2026-01-01T00:00:00.000Z'),
    method: 'GET',
    path: '/',
    full_path: '/',
    query: null,
    headers: [],
    content_type: null,
    body: null,
    body_base64: null,
    body_size: 0,
    body_truncated: false,
    client_ip: ascii('192.168.100.100'),
    ...fields,
  })
  const cases: Record<string, { captures: number; fields: () => Partial<BinRequest>; headers?: number }> = {
    'many headers': { captures: 20, fields: () => ({ headers: shortHeaders(1_000) }) },
    'bodies of two bytes a character': { captures: 20, fields: () => ({ body: wideFor(60_000) }) },
    answers: { captures: 0, fields: () => ({}), headers: 20 },
  }
  for (const [name, { captures, fields, headers = 0 }] of Object.entries(cases)) {
    await t.test(name, async t =>
      bounded(t, 64 * MIB, async () => {
        const config = { publicMode: false, maxDelayMs: 0 } as Config
        const bins = createBinStore(pluginState(config).svc, limitsOf(config))
        await times(200, async index => {
          const answer = {
            status: 200,
            headers: Object.fromEntries(
              Array.from({ length: headers }, (_, place) => [`h${place}`, ascii('x'.repeat(50_000))]),
            ),
            body: null,
            delay_ms: 0,
          }
          const { id } = await bins.create(`session ${index}`, answer)
          await times(captures, () => bins.capture(id, request(fields())))
        })
        return bins
      }),
    )
  }
})

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
            format: 'json' as const,
            json: text,
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

t.test('guardrails: svc.state "blocklists" [HARD-12]', async t => {
  const items: Record<string, (index: number) => { text: string; description: string }> = {
    'descriptions of two bytes a character': index => ({ text: ascii(`term ${index}`), description: wide(1_000) }),
    'cut from large texts': index => ({ text: slice(index).slice(0, 16), description: slice(index) }),
  }
  for (const [name, item] of Object.entries(items)) {
    await t.test(name, async t =>
      bounded(t, 32 * MIB, async () => {
        const state = pluginState({ publicMode: false })
        const lists = new Blocklists(state.svc)
        await times(20, async list => {
          await lists.put('', `list ${list}`, undefined)
          await times(10, part =>
            lists.addItems(
              '',
              `list ${list}`,
              Array.from({ length: 100 }, (_, index) => item(part * 100 + index)),
            ),
          )
        })
        return state
      }),
    )
  }
})

t.test('graphql: svc.state "persisted-queries" [HARD-12]', async t => {
  for (const [name, text] of Object.entries({
    'two bytes a character': () => wideFor(65_000),
    'cut from large texts': (index: number) => Buffer.alloc(MIB, `${index} `).toString('latin1').slice(0, 40_000),
  })) {
    await t.test(name, async t =>
      bounded(t, 16 * MIB, async () => {
        const store = new MemoryStore<string>(persistedQueryBounds)
        await times(1_000, index => store.set(ascii(`${index}`.padStart(64, '0')), text(index)))
        return store
      }),
    )
  }
})

t.test('identity: svc.state "codes", "refresh-tokens", "clients", "access-tokens" [HARD-12]', async t => {
  const login = {
    user: { username: 'demo', name: 'Demo User', email: 'demo@svc.local', groups: ['users'] },
    authTime: 1,
  }
  /** As many names as fit into 1,000 characters, or one cut from a large text. */
  const scopes = (): string[] => Array.from({ length: 500 }, (_, index) => ascii(`s${index % 9}`))
  await t.test('codes', async t =>
    bounded(t, 32 * MIB, async () => {
      const { codes } = openStores(pluginState({ publicMode: false }).svc)
      const code = (index: number): AuthorizationCode => ({
        clientId: slice(index),
        redirectUri: slice(index + 1),
        isRedirectUriGiven: true,
        login,
        scope: scopes(),
        resources: [slice(index + 2)],
        nonce: wide(500),
        challenge: null,
      })
      await times(4_000, index => codes.set(`code ${index}`, code(index)))
      return codes
    }),
  )
  await t.test('refresh-tokens', async t =>
    bounded(t, 32 * MIB, async () => {
      const { refreshTokens } = openStores(pluginState({ publicMode: false }).svc)
      await times(10_000, index =>
        refreshTokens.set(`rt_${index}`, {
          clientId: slice(index),
          login,
          scope: [slice(index)],
          resources: [slice(index), wide(1000)],
          issuer: ascii('https://svc.example'),
          issuedAt: index + 0.5,
          expiresAt: index + 1.5,
        }),
      )
      return refreshTokens
    }),
  )
  await t.test('clients', async t =>
    bounded(t, 32 * MIB, async () => {
      const { clients } = openStores(pluginState({ publicMode: false }).svc)
      await times(1_000, index =>
        clients.set(`dyn-${index}`, {
          id: `dyn-${index}`,
          name: wide(200),
          secret: ascii(`secret ${index}`),
          grantTypes: ['authorization_code'],
          redirectUris: Array.from({ length: 10 }, () => wide(5_000)),
          scope: scopes(),
        }),
      )
      return clients
    }),
  )
  await t.test('access-tokens', async t =>
    bounded(t, 32 * MIB, async () => {
      const { accessTokens } = openStores(pluginState({ publicMode: false }).svc)
      await times(10_000, index =>
        accessTokens.set(`at_${index}`, {
          claims: { sub: slice(index), aud: [slice(index), wide(1000)], exp: index + 0.5, scope: wideFor(1000) },
        }),
      )
      return accessTokens
    }),
  )
})

t.test('identity: svc.state "issuer-keys", "issuers" [HARD-12]', async t => {
  await t.test('issuer-keys', async t =>
    bounded(t, 16 * MIB, async () => {
      const records = openKeyRecords(pluginState({ publicMode: false }).svc)
      await times(400, index =>
        records.set(`issuer-${index}`, {
          keys: Array.from({ length: 8 }, (_, key) => ({
            kid: ascii(`issuer-${index}-rs256-${key}`),
            alg: 'RS256' as const,
            jwk: Object.fromEntries(['n', 'd', 'p', 'q', 'dp', 'dq', 'qi'].map(name => [name, ascii('x'.repeat(342))])),
            from: index + 0.5,
            until: null,
          })),
          switches: Array.from({ length: 16 }, (_, at) => ({ at: at + 0.5, kid: ascii(`issuer-${index}-${at}`) })),
          numbers: { RS256: 8 },
          rotatedAt: 0.5,
        }),
      )
      return records
    }),
  )
  await t.test('issuers', async t =>
    bounded(t, 4 * MIB, async () => {
      const issuers = openAddedIssuers(pluginState({ publicMode: false }).svc)
      await times(100, index => {
        const settings = issuerSettings.read(
          {
            name: `issuer-${index}`,
            title: wide(200),
            users: Array.from({ length: 50 }, (_, user) => ({
              name: own(`ж${user}`),
              password: wide(200),
              groups: [slice(user)],
            })),
          },
          '',
        )
        return issuers.set(settings.name, settings)
      })
      return issuers
    }),
  )
})

t.test('mcp: svc.state "sessions" and the messages kept [HARD-12]', async t => {
  const open = (bounds: Parameters<typeof openHubs>[0]) => {
    const { hubs, close } = openHubs({ sessions: 1e6, sessionBytes: 16 * MIB, sessionIdleMs: 60_000, ...bounds })
    t.teardown(close)
    return hubs[0].sessions
  }
  await t.test('sessions with subscriptions', async t =>
    bounded(t, 16 * MIB, async () => {
      const sessions = open({})
      await times(4_000, async index => {
        const session = await sessions.create(parameters)
        const subscriptions = Array.from({ length: 32 }, (_, place) => own(`test://ж/${index}/${place}`))
        await sessions.change(session, () => ({ subscriptions }))
      })
      return sessions
    }),
  )
  await t.test('sessions without anything', async t =>
    bounded(t, 16 * MIB, async () => {
      const sessions = open({})
      await times(20_000, () => sessions.create(parameters))
      return sessions
    }),
  )
  for (const [name, text] of Object.entries({
    'tiny messages': () => ascii('{}'),
    'messages of two bytes a character': () => wideFor(60_000),
  })) {
    await t.test(name, async t =>
      bounded(t, 16 * MIB, async () => {
        const sessions = open({ replayMessages: 1e6, replayBytes: MIB, totalBytes: 16 * MIB })
        const all = await Promise.all(Array.from({ length: 32 }, () => sessions.create(parameters)))
        for (const { id } of all)
          await times(name === 'tiny messages' ? 8_000 : 20, index =>
            sessions.keep(id, { stream: 1, position: index, text: text(), isLast: false }),
          )
        return sessions
      }),
    )
  }
})

t.test(
  'each store of svc.state and log of svc.eventLog has a worst case here, or is small enough to be bounded by its count [HARD-12]',
  async t => {
    /** Numbers and flags with short keys. */
    const counted = ['contexts', 'counters', 'prompt-cache', 'revoked', 'runs']
    /** `records` in llm/records-memory.test.ts, `tasks` in the a2a folder. */
    const testedApart = ['sinks', 'records', 'tasks']
    const source = readFileSync(import.meta.filename, 'utf8')
    const names: string[] = []
    const plugins = join(import.meta.dirname, '../../../plugins')
    for (const file of readdirSync(plugins, { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts') || file.includes('node_modules')) continue
      for (const [, name] of readFileSync(join(plugins, file), 'utf8').matchAll(
        /svc\.(?:state|eventLog)(?:<[\w.<>, ]{1,100}>)?\('([\w-]{1,100})'/g,
      ))
        names.push(name!)
    }
    t.ok(names.length >= 9, names.join(', '))
    t.strictSame(
      names.filter(name => !counted.includes(name) && !testedApart.includes(name) && !source.includes(`"${name}"`)),
      [],
    )
  },
)
