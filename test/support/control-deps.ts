/** Fake dependencies of the control plane's routes, as plain fields that a test can read and set. */
import { ConnectionWaits } from '../../core/control/connection-waits.ts'
import { ConnectionLog } from '../../core/inspector/connection-log.ts'
import { Connections } from '../../core/inspector/connections.ts'
import { ruleBoundsOf } from '../../core/rules/bounds.ts'
import { RuleBook } from '../../core/rules/rule-book.ts'
import { GenerationRules } from '../../core/rules/rule-entry.ts'
import { MemoryStore } from '../../core/state/state-registry.ts'
import Fastify, { type FastifyInstance } from 'fastify'
import type { Config } from '../../core/config/variables.ts'
import { buildCatalog } from '../../core/control/catalog.ts'
import type { ControlDeps, PluginsOverview } from '../../core/control/deps.ts'
import { buildOpenapi } from '../../core/control/openapi.ts'
import { toTemplate, type RouteRecord } from '../../core/http/routes/route-record.ts'
import type { ClearResult, SwitchResult } from '../../core/host/switching.ts'
import type { Limits } from '../../core/limits/limits.ts'
import { createBudgets } from '../../core/host/svc/budgets.ts'
import { BUDGETS } from './budgets.ts'
import { ProtocolRegistry } from '../../core/match/protocols.ts'
import { vocabularyOf } from './match.ts'
import { createInspector } from '../../core/inspector/inspector.ts'
import {
  HttpError,
  type FastifyReply,
  type FastifyRequest,
  type PluginRecord,
  type ReloadResult,
  type SvcHttp,
} from '../../core/contract/plugin.ts'

export interface FakeHost {
  /** Set by tests, read by the routes. */
  config: Partial<Config>
  baseUrl: string
  records: PluginRecord[]
  overview: PluginsOverview
  switchResult: SwitchResult
  clearResult: ClearResult
  reloadResult: ReloadResult
  /** The error of the guard; null if it allows the request. */
  refusal: HttpError | null
  healthy: boolean
  /** What plugins show in the status. */
  pluginStatus: Record<string, object>
  /** Written by the routes: calls that reached the host, such as `switch soap off`. */
  calls: string[]
  routes: RouteRecord[]
  deps: ControlDeps
}

const VERSION = '1.4.0'

/** A record of an enabled built-in plugin with these fields replaced. */
export function pluginRecord(fields: Partial<PluginRecord> & { name: string }): PluginRecord {
  return {
    title: fields.name,
    version: VERSION,
    description: '',
    source: 'builtin',
    path: null,
    state: 'enabled',
    disabled_by: null,
    routes: 1,
    paths: [`/${fields.name}`],
    error: null,
    stale: false,
    generation: 1,
    builds_on: [],
    uses: [],
    faults: {},
    options: {},
    ...fields,
  }
}

const config = {
  host: '0.0.0.0',
  publicMode: false,
  loadMode: false,
  trustForward: false,
  basePath: null,
  bodyLimit: 1_048_576,
  requestTimeoutSecs: 120,
  maxDelayMs: 30_000,
  inspectorCapacity: 500,
  corsOrigins: ['*'],
  adminToken: null,
  controlAuth: 'open',
  hostedMode: false,
  grpcOnHttp: false,
} satisfies Partial<Config>

function emptyRuleBook(): RuleBook {
  return new RuleBook({ bounds: ruleBoundsOf(config), openStore: (_name, bounds) => new MemoryStore(bounds) })
}

/** A fake host; `fields` replace its defaults. */
export function fakeHost(fields: Partial<Omit<FakeHost, 'deps'>> = {}): FakeHost {
  const unused = () => {
    throw new Error('not part of the fake host')
  }
  const soap = pluginRecord({ name: 'soap', builds_on: ['demo-data'] })
  const host: FakeHost = {
    config: { ...config, ...fields.config },
    baseUrl: 'http://svc.test:8080',
    records: [soap, pluginRecord({ name: 'demo-data' })],
    overview: {
      generation: 2,
      generationCounts: { open: 1, inMemory: 1 },
      building: null,
      loadedAt: new Date('2026-11-21T07:31:00.000Z'),
      configFile: '/etc/svc.yaml',
      directories: ['/srv/my-plugins'],
      loadErrors: [],
    },
    switchResult: { outcome: 'switched', record: soap },
    clearResult: { outcome: 'switched', record: soap },
    reloadResult: {
      applied: true,
      changed: true,
      generation: 3,
      plugins: { added: [], reloaded: ['soap'], removed: [], failed: [] },
      load_errors: [],
      took_ms: 41,
    },
    refusal: null,
    healthy: true,
    pluginStatus: {},
    calls: [],
    routes: [],
    ...without(fields, 'config'),
    deps: undefined as unknown as ControlDeps,
  }
  let identityRequests = 0
  const connections = new Connections({
    local: new ConnectionLog({ capacity: 10, metrics: { opened() {}, ended() {} } }),
    log: null,
    instanceId: 'edge-1',
    redact: text => text,
    isPartial: () => false,
  })
  host.deps = {
    config: host.config as Config,
    load: () => ({
      requests_open: 1,
      event_loop: { utilization: 0.25, busiest: 0.5, delay_p99_ms: null, delay_max_ms: null },
    }),
    http: {
      isAdmin: () => host.refusal === null,
      body: (request: FastifyRequest) =>
        request.body == null ? Buffer.alloc(0) : Buffer.from(JSON.stringify(request.body)),
      guardAdmin() {
        if (host.refusal) throw host.refusal
      },
      baseUrl: () => host.baseUrl,
      hosts: () => [],
      proxyHeader: () => null,
      origin: () => ({ scheme: 'http', host: 'svc.test', port: 8080, serialized: host.baseUrl }),
      clientIp: () => '203.0.113.9',
      signal: () => new AbortController().signal,
      session: () => ({ key: 'ip:203.0.113.9', label: 'ip:203.0.113.9', header: null, from: null }),
      negotiate: (request: FastifyRequest, reply: FastifyReply, value: unknown) =>
        reply.header('vary', 'Accept').send(request.headers.accept === 'application/xml' ? '<response/>' : value),
      notFound: (_request: FastifyRequest, reply: FastifyReply) => reply.code(404).send({ error: 'not found' }),
    } as Partial<SvcHttp> as SvcHttp,
    rules: {
      book: emptyRuleBook(),
      ofGeneration: () => new GenerationRules(vocabularyOf()),
      resetsOf: () => [],
      verificationsOf: () => [],
    },
    instance: {
      id: 'edge-1',
      version: VERSION,
      hostname: 'box',
      gitSha: null,
      startedAt: new Date('2026-03-14T12:00:00Z'),
      listeners: () => [],
      ports: () => ({ http: 8080, https: 8443, grpc: null }),
      isHealthy: () => host.healthy,
      async setHealthy(next) {
        host.healthy = next === 'toggle' ? !host.healthy : next
        return host.healthy
      },
      setOwnHealth(next) {
        host.healthy = next === 'toggle' ? !host.healthy : next
        return host.healthy
      },
      onHealthChange: unused,
      catalog: () => buildCatalog(host.routes, VERSION),
      openapi: (baseUrl, selection) => buildOpenapi(host.routes, { baseUrl, version: VERSION, selection }),
      controlOpenapi: baseUrl => buildOpenapi(host.routes, { baseUrl, version: VERSION, isControl: true }),
      links: () => [],
      plugins: () => host.records,
      uptimeSeconds: () => 12,
      identityRequests: () => identityRequests,
      countIdentityRequest: () => ++identityRequests,
    },
    effectiveConfig: () => ({ instance_id: 'edge-1', warnings: [] }),
    pluginStatus: () => host.pluginStatus,
    routes: () => host.routes,
    protocols: () => new ProtocolRegistry(),
    plugins: {
      records: () => host.records,
      routesOf: name =>
        host.routes.filter(route => route.plugin === name).map(({ methods, path }) => ({ methods, path })),
      overview: () => host.overview,
      followers: async () => undefined,
      async switch(name, on, cascade) {
        host.calls.push(`switch ${name} ${on ? 'on' : 'off'}${cascade ? ' cascade' : ''}`)
        return host.switchResult
      },
      async clearOverride(name) {
        host.calls.push(`clear ${name}`)
        return host.clearResult
      },
      async reload(force) {
        host.calls.push(`reload${force ? ' force' : ''}`)
        return host.reloadResult
      },
    },
    budgets: createBudgets(BUDGETS),
    inspector: {
      ...createInspector({
        budgets: createBudgets(BUDGETS),
        config: { ...config, shared: { enabled: false } } as Config,
        isControlCredential: () => false,
        flush: () => {},
        logs: null,
      }),
      counters: async () => ({ stored: 3, capacity: 500, total_captured: 7 }),
    },
    connections,
    connectionWaits: new ConnectionWaits(connections, false),
    keys: null,
    replicas: { self: '0123456789ab', leader: () => '0123456789ab', list: () => [], store: () => null },
    limits: { usage: () => ({ plan: 'none' }) } as Partial<Record<keyof Limits, unknown>> as Limits,
    metrics: { contentType: 'text/plain; version=0.0.4; charset=utf-8', text: async () => '' },
    openEvents(_request, reply) {
      void reply.type('text/event-stream').send(': fake\n\n')
      return null
    },
    connection: () => ({ scheme: 'http', port: 8080, peerIp: '127.0.0.1' }),
  }
  return host
}

function without<T extends object, K extends keyof T>(object: T, key: K): Omit<T, K> {
  const { [key]: _left, ...rest } = object
  return rest
}

/** A bare Fastify instance with what `register` adds; its routes are the fake host's routes. Nothing listens. */
export async function appOn(
  host: FakeHost,
  register: (app: FastifyInstance, deps: ControlDeps) => void,
): Promise<FastifyInstance> {
  const app = Fastify({ logger: false })
  app.addHook('onRoute', route => {
    host.routes.push({
      plugin: null,
      methods: [route.method].flat(),
      path: toTemplate(route.url),
      descriptions: route.config?.descriptions ?? [],
    })
  })
  app.setErrorHandler((error: Partial<HttpError>, _request, reply) =>
    reply
      .code(error.status ?? 500)
      .headers(error.headers ?? {})
      .send(error.body ?? { error: String(error) }),
  )
  register(app, host.deps)
  await app.ready()
  return app
}
