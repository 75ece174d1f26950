/** Control plane routes about the process: version, readiness, configuration, status, catalog and reload. */
import type { FastifyInstance } from 'fastify'
import { describe, isFlagSet, readQuery, type Catalog } from '../contract/plugin.ts'
import { buildFacts } from './build-facts.ts'
import type { ControlDeps } from './deps.ts'
import { viewLoadErrors } from './plugin-view.ts'
import { shownStore } from './replicas.ts'
import { countStates, registerPluginRoutes, viewBuilding } from './plugin-routes.ts'
import { SVC_CONFIG, SVC_READY, SVC_STATUS, SVC_VERSION } from './reply-schemas/instance.ts'
import { SVC_CATALOG, SVC_RELOAD } from './reply-schemas/plugins.ts'

const category = 'Control Plane'

/** Registers the routes below `/_svc`, except those of the inspector, metrics and usage. */
export function registerControl(app: FastifyInstance, deps: ControlDeps): void {
  const { config, instance, plugins } = deps

  app.get(
    '/_svc/version',
    describe({
      summary: 'Version and build of the service',
      reply: SVC_VERSION,
      category,
      examples: [{ name: 'Version', path: '/_svc/version', expectStatus: 200 }],
    }),
    () => ({
      name: 'svc',
      version: instance.version,
      git_sha: instance.gitSha,
      ...buildFacts(),
      control_auth: config.controlAuth,
      hosted_mode: config.hostedMode,
      grpc_on_http: config.grpcOnHttp,
    }),
  )

  app.get(
    '/_svc/ready',
    describe({
      summary: 'Readiness: 200 as long as requests are served',
      reply: SVC_READY,
      description: 'Needs no credentials and is never limited or captured.',
      category,
      examples: [{ name: 'Readiness check', path: '/_svc/ready', expectStatus: 200 }],
    }),
    (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ready' }),
  )

  app.get(
    '/_svc/config',
    describe({
      summary: 'Effective configuration, without secrets',
      reply: SVC_CONFIG,
      category,
      examples: [{ name: 'Configuration', path: '/_svc/config', expectStatus: 200 }],
    }),
    () => deps.effectiveConfig(),
  )

  app.get(
    '/_svc/status',
    describe({
      summary: 'Uptime, health, ports, load, inspector and plugin counts',
      reply: SVC_STATUS,
      description:
        '`event_loop.utilization` is the share of the last second in which the process that responds was busy. `proxy_headers` lists the headers of this request that a proxy added, such as `via`.',
      category,
      examples: [{ name: 'Status', path: '/_svc/status', expectStatus: 200 }],
    }),
    async request => ({ ...(await statusRecord(deps)), proxy_headers: proxyHeaders(request.headers) }),
  )

  app.get(
    '/_svc/catalog',
    describe({
      summary: 'All enabled endpoints, with examples',
      reply: SVC_CATALOG,
      category,
      parameters: [
        { name: 'category', in: 'query', description: 'Only endpoints of this category.', schema: { type: 'string' } },
        {
          name: 'plugin',
          in: 'query',
          description: 'Only endpoints of this plugin; `core` for those of no plugin.',
          schema: { type: 'string' },
        },
      ],
      examples: [{ name: 'Catalog', path: '/_svc/catalog', expectStatus: 200 }],
    }),
    request => ({ base_url: deps.http.baseUrl(request), ...selected(instance.catalog(), readQuery(request)) }),
  )

  app.post(
    '/_svc/reload',
    describe({
      summary: 'Reload svc.yaml and the plugins',
      reply: SVC_RELOAD,
      description:
        'Requests in flight finish with the old configuration. With a state store, all replicas reload. Requires the admin token if one is configured.',
      category,
      parameters: [
        {
          name: 'force',
          in: 'query',
          description: 'Reload even if no file changed.',
          schema: { type: 'boolean', default: false },
        },
      ],
      responses: {
        200: { description: 'What changed.' },
        422: { description: 'A file could not be read; the previous configuration stays in use.' },
      },
      examples: [{ name: 'Reload', method: 'POST', path: '/_svc/reload' }],
    }),
    async (request, reply) => {
      deps.http.guardAdmin(request)
      const result = await plugins.reload(isFlagSet(request, 'force'))
      return reply
        .code(result.applied ? 200 : 422)
        .send({ ...result, load_errors: viewLoadErrors(result.load_errors, config.publicMode) })
    },
  )

  registerPluginRoutes(app, deps)
}

/** The endpoints of a category or plugin; `count` is their number. */
function selected(catalog: Catalog, query: URLSearchParams): Catalog {
  const category = query.get('category')
  const plugin = query.get('plugin')
  if (category === null && plugin === null) return catalog
  const endpoints = catalog.endpoints.filter(
    endpoint =>
      (category === null || endpoint.category === category) &&
      (plugin === null || (endpoint.plugin ?? 'core') === plugin),
  )
  return { ...catalog, count: endpoints.length, endpoints }
}

/** `generations_in_memory` includes replaced generations until they are garbage-collected. If it stays high, there is a leak. */
function pluginCounts(plugins: ControlDeps['plugins']): object {
  const { generation, generationCounts, building } = plugins.overview()
  return {
    ...countStates(plugins.records()),
    generation,
    generations_open: generationCounts.open,
    generations_in_memory: generationCounts.inMemory,
    building: viewBuilding(building),
  }
}

/** Names of headers that only proxies add. */
const PROXY_HEADER = /^(?:via|forwarded|x-forwarded-[a-z-]{1,40}|x-real-ip|x-envoy-[a-z-]{1,40}|x-kong-[a-z-]{1,40})$/
const MAX_PROXY_HEADERS = 20

/** Returns the names of proxy headers in a request, which show that it came through a gateway. */
function proxyHeaders(headers: object): string[] {
  return Object.keys(headers)
    .filter(name => PROXY_HEADER.test(name))
    .sort()
    .slice(0, MAX_PROXY_HEADERS)
}

async function statusRecord({
  config,
  instance,
  inspector,
  load,
  plugins,
  pluginStatus,
  replicas,
}: ControlDeps): Promise<object> {
  const own = {
    name: 'svc',
    version: instance.version,
    git_sha: instance.gitSha,
    instance_id: instance.id,
    hostname: instance.hostname,
    uptime_seconds: instance.uptimeSeconds(),
    started_at: instance.startedAt.toISOString(),
    healthy: instance.isHealthy(),
    public_mode: config.publicMode,
    load_mode: config.loadMode,
    admin_token_configured: config.adminToken !== null,
    control_auth: config.controlAuth,
    hosted_mode: config.hostedMode,
  }
  const counts = {
    ...load(),
    identity_requests: instance.identityRequests(),
    inspector: await inspector.counters(),
    ports: instance.ports(),
    listeners: instance.listeners(),
    plugins: pluginCounts(plugins),
    replica: replicas.self,
    replicas: replicas.list().length,
    state_store: shownStore(replicas.store(), config.publicMode),
    ...(config.workers > 1 && config.stateStore.url === null && { state: 'per process' }),
  }
  // A plugin may have the name of a field of the core; the field of the core wins.
  return { ...own, ...pluginStatus(), ...own, ...counts }
}
