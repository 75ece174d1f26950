/** Routes about the instance: health and identity. */
import type { FastifyInstance } from 'fastify'
import { describe, invalidParameter, type FastifyRequest } from '../contract/plugin.ts'
import { quoteInput } from '../contract/input.ts'
import { buildFacts } from './build-facts.ts'
import type { ControlDeps } from './deps.ts'
import { HEALTH, IDENTITY } from './reply-schemas/instance.ts'

const category = 'Health & Identity'
const SCOPE = {
  name: 'scope',
  in: 'query',
  description: '`replica` switches only the replica that responds, until the next switch of all.',
  schema: { type: 'string', enum: ['all', 'replica'], default: 'all' },
} as const
const HEALTH_BODY = { description: 'The health after the request.' }

/** Registers `/health`, the routes that change it, and `/identity`. */
export function registerInstance(app: FastifyInstance, deps: ControlDeps): void {
  registerHealth(app, deps)
  registerIdentity(app, deps)
}

function registerHealth(app: FastifyInstance, { http, instance }: ControlDeps): void {
  app.get(
    '/health',
    describe({
      summary: 'Health of the instance',
      reply: HEALTH,
      description: 'Responds with 200 or 503, for health checks of gateways and load balancers.',
      category,
      negotiated: true,
      responses: { 200: { description: 'Healthy.' }, 503: { description: 'Unhealthy.' } },
      examples: [{ name: 'Health check', path: '/health' }],
    }),
    (request, reply) => {
      reply.code(instance.isHealthy() ? 200 : 503).header('cache-control', 'no-store')
      return http.negotiate(request, reply, healthRecord(instance, instance.isHealthy()))
    },
  )

  const switches = [
    { name: 'unhealthy', summary: 'Mark the instance unhealthy', next: false },
    { name: 'toggle', summary: 'Toggle the health of the instance', next: 'toggle' },
    { name: 'healthy', summary: 'Mark the instance healthy', next: true },
  ] as const
  for (const { name, summary, next } of switches) {
    app.post(
      `/health/${name}`,
      describe({
        summary,
        description: 'Requires the admin token if one is configured.',
        category,
        negotiated: true,
        reply: HEALTH,
        credentials: ['none', 'bearer', 'adminToken'],
        parameters: [SCOPE],
        responses: {
          200: HEALTH_BODY,
          400: { description: 'An unknown scope.' },
          401: { description: 'The admin token is missing or wrong.' },
          403: { description: 'The instance runs in public mode and no admin token is configured.' },
        },
        examples: [{ name: summary, method: 'POST', path: `/health/${name}` }],
      }),
      async (request, reply) => {
        http.guardAdmin(request)
        const { scope = 'all' } = request.query as { scope?: unknown }
        if (scope !== 'all' && scope !== 'replica')
          throw invalidParameter('scope', `expected all or replica, not ${quoteInput(String(scope))}`)
        const healthy = scope === 'replica' ? instance.setOwnHealth(next) : await instance.setHealthy(next)
        return http.negotiate(request, reply, healthRecord(instance, healthy))
      },
    )
  }
}

function healthRecord(instance: ControlDeps['instance'], healthy: boolean): object {
  return {
    status: healthy ? 'healthy' : 'unhealthy',
    healthy,
    service: 'svc',
    version: instance.version,
    instance_id: instance.id,
  }
}

function registerIdentity(app: FastifyInstance, deps: ControlDeps): void {
  app.all(
    '/identity',
    describe({
      summary: 'The instance that handles the request: id, host, ports, configuration and connection',
      reply: IDENTITY,
      description: 'Shows which replica behind a load balancer handled the request.',
      category,
      negotiated: true,
      examples: [{ name: 'Identity', method: 'GET', path: '/identity', expectStatus: 200 }],
    }),
    (request, reply) => deps.http.negotiate(request, reply, identityRecord(request, deps)),
  )
}

function identityRecord(request: FastifyRequest, { config, http, instance, connection }: ControlDeps): object {
  const { scheme, port, peerIp } = connection(request)
  const proxy = http.proxyHeader(request)
  return {
    instance_id: instance.id,
    hostname: instance.hostname,
    version: instance.version,
    uptime_seconds: instance.uptimeSeconds(),
    request_count: instance.countIdentityRequest(),
    port: { ...instance.ports(), listener: { scheme, port } },
    config: {
      host: config.host,
      public_mode: config.publicMode,
      trust_forward: config.trustForward,
      body_limit: config.bodyLimit,
      request_timeout_secs: config.requestTimeoutSecs,
      max_delay_ms: config.maxDelayMs,
      inspector_capacity: config.inspectorCapacity,
      cors_allow_origins: config.corsOrigins,
      admin_token_configured: config.adminToken !== null,
    },
    environment: { ...buildFacts(), os: process.platform, arch: process.arch },
    request: {
      method: request.method,
      peer_ip: peerIp,
      remote_ip: http.clientIp(request),
      host: request.headers.host ?? request.headers[':authority'] ?? null,
      scheme: http.origin(request).scheme,
      base_url: http.baseUrl(request),
      ...(proxy !== null && { proxy_protocol: proxy }),
    },
    timestamp: new Date().toISOString(),
  }
}
