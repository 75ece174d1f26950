/** `GET /ai/{provider}/metrics` and `PUT /ai/{provider}/load`, for providers with `metrics`. */
import { describe, HttpError, invalidParameter, readJsonObject, type FastifyInstance, type Svc } from 'svc/plugin'
import { unknownName } from 'svc/toolkit'
import type { EngineMetrics } from './engine-metrics.ts'
import { CONTENT_TYPE } from './exposition.ts'
import { GAUGES, type LoadChange } from './stated-load.ts'

const MAX_SECS = 3600
const DEFAULT_SECS = 60
const MAX_REQUESTS = 1_000_000
const KEYS = [...GAUGES, 'for_secs']

export function registerMetricsRoutes(
  app: FastifyInstance,
  svc: Svc<unknown>,
  { basePath, title, category, metrics }: { basePath: string; title: string; category: string; metrics: EngineMetrics },
): void {
  app.get(
    `${basePath}/metrics`,
    describe({
      summary: `${title}: metrics of the inference engine`,
      description: "Prometheus text with vLLM's names. Needs no credential.",
      category,
      area: 'http',
      responses: { 200: { description: 'The metrics' } },
      examples: [{ name: 'Scrape', path: `${basePath}/metrics`, expectStatus: 200 }],
    }),
    async (_request, reply) => reply.type(CONTENT_TYPE).send(await metrics.text(Date.now())),
  )
  app.put<{ Querystring: { scope?: unknown } }>(
    `${basePath}/load`,
    describe({
      summary: `${title}: replace gauges of the metrics`,
      description: `\`running\`, \`waiting\` and \`kv_usage\`, for \`for_secs\` seconds (default ${DEFAULT_SECS}); null shows the real figure again. Requires the admin token if one is configured.`,
      category,
      area: 'http',
      credentials: ['none', 'adminToken'],
      parameters: [
        {
          name: 'scope',
          in: 'query',
          description: '`replica`: only the one that responds',
          schema: { enum: ['all', 'replica'] },
        },
      ],
      requestBody: { required: true, content: { 'application/json': { type: 'object' } } },
      responses: {
        200: { description: 'The values in force' },
        400: { description: '`invalid_load`, with the member; or an unknown scope' },
        401: { description: 'The admin token is missing or wrong' },
        403: { description: 'The instance runs in public mode and no admin token is configured' },
      },
      examples: [
        {
          name: 'A busy engine',
          method: 'PUT',
          path: `${basePath}/load`,
          body: '{"running":7,"waiting":3,"kv_usage":0.9,"for_secs":1}',
          bodyType: 'json',
          expectStatus: 200,
        },
      ],
    }),
    async (request, reply) => {
      svc.http.guardAdmin(request)
      const { scope = 'all' } = request.query
      if (scope !== 'all' && scope !== 'replica') throw invalidParameter('scope', 'expected all or replica')
      const { change, secs } = readLoad(svc.http.body(request))
      await metrics.stated.change(change, Date.now() + secs * 1000, scope)
      const current = Object.entries(metrics.stated.current(Date.now()))
      return reply.send(
        Object.fromEntries(
          current.map(([gauge, { value, until }]) => [gauge, { value, until: new Date(until).toISOString() }]),
        ),
      )
    },
  )
}

function readLoad(bytes: Buffer): { change: LoadChange; secs: number } {
  const body = readJsonObject(bytes)
  if (body === null) throw invalid('', 'expected a JSON object')
  for (const key of Object.keys(body))
    if (!KEYS.includes(key)) throw invalid(key.slice(0, 100), unknownName('key', key.slice(0, 100), KEYS).message)
  const { for_secs: secs = DEFAULT_SECS } = body
  if (!isWhole(secs, 1, MAX_SECS)) throw invalid('for_secs', `expected a whole number from 1 to ${MAX_SECS}`)
  const change: LoadChange = {}
  for (const gauge of GAUGES) {
    const value = body[gauge]
    if (value === undefined) continue
    const isShare = gauge === 'kv_usage'
    const isValid =
      value === null ||
      (isShare ? typeof value === 'number' && value >= 0 && value <= 1 : isWhole(value, 0, MAX_REQUESTS))
    if (!isValid)
      throw invalid(
        gauge,
        isShare
          ? 'expected a number from 0 to 1, or null'
          : `expected a whole number from 0 to ${MAX_REQUESTS}, or null`,
      )
    change[gauge] = value as number | null
  }
  return { change, secs }
}

function isWhole(value: unknown, min: number, max: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
}

function invalid(at: string, details: string): HttpError {
  return new HttpError(400, { error: 'invalid_load', at, details })
}
