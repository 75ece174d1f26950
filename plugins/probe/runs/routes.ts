/** Runs over HTTP, and the catalog. */
import { HttpError, InputProblem, describe, nearest, parseInteger, readQuery, refusal } from 'svc/plugin'
import type { ControlTools, FastifyInstance, FastifyRequest, RouteDescription, RouteParameter, Svc } from 'svc/plugin'
import { CATALOGUE } from '../catalog/version.ts'
import { listedCheck } from '../catalog/listed-check.ts'
import type { Check } from '../catalog/check.ts'
import { catalogWith } from '../checks/custom/registry.ts'
import { readAddress } from '../client/address.ts'
import type { Address } from '../client/address.ts'
import { BackChannel } from '../client/back-channel.ts'
import type { ProbeSection } from '../options.ts'
import type { ProbeChecks } from '../types.ts'
import { htmlReport } from '../report/html-report.ts'
import { junitReport } from '../report/junit-report.ts'
import { markdownReport } from '../report/markdown-report.ts'
import { readRunRequest } from './run-request.ts'
import type { RunRequest } from './run-request.ts'
import { ServerRun } from './server-run.ts'
import { ServerRuns } from './server-runs.ts'

const CATEGORY = 'Testing'
const MAX_BODY = 512 * 1024
const HEARTBEAT_MS = 15_000
const DEFAULT_TIMEOUT_S = 10
const DEFAULT_CONCURRENCY = 6
const DEFAULT_REPEAT = 3
const UNKNOWN_RUN = { description: 'No such run; only the newest 20 are kept' }
const RUN_ID: RouteParameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'Id of the run',
  schema: { type: 'string' },
}

const FORMATS = {
  'report.html': { type: 'text/html; charset=utf-8', write: htmlReport },
  'report.xml': {
    type: 'application/xml; charset=utf-8',
    write: (report: Parameters<typeof htmlReport>[0]) => junitReport(report, ['fail']),
  },
  'report.md': { type: 'text/markdown; charset=utf-8', write: markdownReport },
} as const

interface RunParams {
  Params: { id: string }
}

/** The tools for a language model. */
function addTools(tools: ControlTools): void {
  tools.tool({
    name: 'start_probe',
    operation: { method: 'POST', path: '/_svc/probe/runs' },
    follow: body => {
      const run = runningRun(body)
      return run === null ? null : { method: 'GET', path: `/_svc/probe/runs/${run}` }
    },
    stop: body => {
      const run = runningRun(body)
      return run === null ? null : { method: 'POST', path: `/_svc/probe/runs/${run}/stop` }
    },
  })
  tools.tool({ name: 'get_probe', operation: { method: 'GET', path: '/_svc/probe/runs/{id}' } })
}

/** The id of the run in a response about a run that has not ended. */
function runningRun(body: unknown): string | null {
  const { id, progress } = body as { id?: string; progress?: { id: string; state: string } }
  if (progress !== undefined && progress.state !== 'running') return null
  return progress?.id ?? id ?? null
}

export function registerRuns(app: FastifyInstance, svc: Svc<ProbeSection>, checks: ProbeChecks): void {
  const runs = svc.shared(
    'runs',
    () => new ServerRuns(),
    all => all.close(),
  )
  const targets = readTargets(svc)
  const find = (id: string): ServerRun => {
    const run = runs.find(id)
    if (run === undefined) throw refusal(404, 'unknown_run', 'no such run; only the newest 20 are kept')
    return run
  }
  const pathOf = (request: FastifyRequest, run: ServerRun, more = ''): string =>
    svc.http.path(request, `/_svc/probe/runs/${run.id}${more}`)
  const shown = (request: FastifyRequest, run: ServerRun): Record<string, unknown> => ({
    id: run.id,
    url: pathOf(request, run),
    events: pathOf(request, run, '/events'),
    target: run.request.target.url,
    name: run.request.name,
    state: run.state,
    error: run.error,
    started_at: run.startedAt.toISOString(),
    done: run.done,
    total: run.total,
  })

  addTools(svc.use('control.tools')!)
  app.post(
    '/_svc/probe/runs',
    describe({
      summary: 'Probe a gateway',
      description:
        'Starts a run against a gateway whose origin is in `probe.targets` of svc.yaml; this server is its upstream. Nothing else is contacted.',
      category: CATEGORY,
      credentials: ['none', 'adminToken'],
      bodyLimit: MAX_BODY,
      requestBody: { content: { 'application/json': BODY_SCHEMA } },
      responses: {
        202: { description: 'The run has started: its id, URL and events' },
        400: { description: 'The body is not valid' },
        403: { description: '`target_not_allowed`: the origin is not in `probe.targets`' },
        409: { description: '`run_in_progress`' },
        503: { description: 'The upstream is not reachable' },
      },
      examples: [
        {
          name: 'A gateway that is not listed',
          method: 'POST',
          path: '/_svc/probe/runs',
          headers: [{ name: 'Content-Type', value: 'application/json' }],
          body: '{"target":"http://gateway.example:8000"}',
          bodyType: 'json',
          expectStatus: 403,
        },
      ],
    }),
    async (request, reply) => {
      svc.http.guardAdmin(request)
      const wanted = readBody(svc.http.body(request), catalogWith(checks), svc.options.repeat ?? DEFAULT_REPEAT)
      for (const address of addressesOf(wanted)) allow(address, targets)
      const running = runs.running
      if (running !== undefined)
        throw new HttpError(409, {
          error: 'run_in_progress',
          details: 'one run at a time',
          url: pathOf(request, running),
        })
      const run = new ServerRun(wanted, new BackChannel(ownAddress(svc), svc.config.adminToken), {
        svc: {
          version: svc.instance.version,
          git_sha: svc.config.gitSha,
          node: process.versions.node,
          platform: `${process.platform} ${process.arch}`,
        },
        instance: svc.instance.id,
        timeoutMs: (svc.options.timeout ?? DEFAULT_TIMEOUT_S) * 1000,
        concurrency: svc.options.concurrency ?? DEFAULT_CONCURRENCY,
      })
      runs.start(run)
      return reply.code(202).send({ id: run.id, url: pathOf(request, run), events: pathOf(request, run, '/events') })
    },
  )

  app.get(
    '/_svc/probe/runs',
    describe({
      summary: 'List runs of the probe',
      category: CATEGORY,
      responses: { 200: { description: 'The newest 20, newest first, and the targets that are allowed' } },
      examples: [{ name: 'Runs', path: '/_svc/probe/runs', expectStatus: 200 }],
    }),
    request => ({ targets: [...targets], runs: runs.newestFirst.map(run => shown(request, run)) }),
  )

  app.get<RunParams>(
    '/_svc/probe/runs/:id',
    described('Get the report of a run so far', {
      200: { description: 'The report, with the state of the run as `progress`' },
    }),
    request => {
      const run = find(request.params.id)
      return { ...run.report(), progress: shown(request, run) }
    },
  )

  for (const [file, { type, write }] of Object.entries(FORMATS))
    app.get<RunParams>(
      `/_svc/probe/runs/:id/${file}`,
      described(`Get the report of a run as ${file.slice(7)}`, { 200: { description: 'The report' } }, `/${file}`),
      (request, reply) => {
        const text = write(find(request.params.id).report())
        // The policy of the page is its own; it has no scripts.
        return reply.header('X-Content-Type-Options', 'nosniff').type(type).send(text)
      },
    )

  app.get<RunParams>(
    '/_svc/probe/runs/:id/events',
    describe({
      summary: 'Follow a run of the probe',
      description:
        'Events `begin`, `check`, `group` and `end`; the event id counts them. With `Last-Event-ID`, continues after that event. Ends after `end`.',
      category: CATEGORY,
      protocol: 'sse',
      parameters: [
        RUN_ID,
        {
          name: 'last_event_id',
          in: 'query',
          description: 'Same as the header `Last-Event-ID`',
          schema: { type: 'integer', minimum: 0 },
        },
      ],
      responses: { 200: { description: 'The event stream', content: { 'text/event-stream': {} } }, 404: UNKNOWN_RUN },
      examples: [{ name: 'Unknown run', path: '/_svc/probe/runs/none/events', expectStatus: 404 }],
    }),
    (request, reply) => {
      const run = find(request.params.id)
      const stream = svc.streams.sse(request, reply, { endless: true, heartbeatMs: HEARTBEAT_MS })
      if (stream === null) return
      let next = lastEventId(request)
      let isWaiting = false
      const pump = (): void => {
        while (!isWaiting && next < run.events.length && !stream.closed) {
          const event = run.events[next++]!
          if (stream.send(event)) continue
          isWaiting = true
          void stream.ready().then(() => {
            isWaiting = false
            pump()
          })
        }
        if (!isWaiting && run.events.at(-1)?.event === 'end') stream.end()
      }
      const stop = run.follow(pump)
      void stream.over.then(stop)
      pump()
    },
  )

  app.post<RunParams>(
    '/_svc/probe/runs/:id/stop',
    describe({
      summary: 'Stop a run of the probe',
      category: CATEGORY,
      credentials: ['none', 'adminToken'],
      parameters: [RUN_ID],
      responses: { 202: { description: 'The run ends soon' }, 404: UNKNOWN_RUN },
      examples: [{ name: 'Unknown run', method: 'POST', path: '/_svc/probe/runs/none/stop', expectStatus: 404 }],
    }),
    (request, reply) => {
      svc.http.guardAdmin(request)
      const run = find(request.params.id)
      run.stop()
      return reply.code(202).send(shown(request, run))
    },
  )

  app.delete<RunParams>(
    '/_svc/probe/runs/:id',
    describe({
      summary: 'Remove a run of the probe',
      category: CATEGORY,
      credentials: ['none', 'adminToken'],
      parameters: [RUN_ID],
      responses: { 204: { description: 'Stopped and removed' }, 404: UNKNOWN_RUN },
      examples: [{ name: 'Unknown run', method: 'DELETE', path: '/_svc/probe/runs/none', expectStatus: 404 }],
    }),
    (request, reply) => {
      svc.http.guardAdmin(request)
      runs.remove(find(request.params.id))
      return reply.code(204).send()
    },
  )

  app.get(
    '/_svc/probe/checks',
    describe({
      summary: 'List the checks of the probe',
      category: CATEGORY,
      responses: { 200: { description: 'The catalog, as `svc probe list --json` prints it' } },
      examples: [{ name: 'Checks', path: '/_svc/probe/checks', expectStatus: 200 }],
    }),
    () => ({ catalogue: CATALOGUE, checks: catalogWith(checks).map(listedCheck) }),
  )

  app.get<RunParams>(
    '/_svc/probe/checks/:id',
    describe({
      summary: 'Explain a check of the probe',
      category: CATEGORY,
      parameters: [{ ...RUN_ID, description: 'Id of the check' }],
      responses: {
        200: { description: 'What is sent and expected, why it matters, and how gateways are configured' },
        404: { description: 'No such check' },
      },
      examples: [{ name: 'A check', path: '/_svc/probe/checks/HDR-CONN', expectStatus: 200 }],
    }),
    request => {
      const { id } = request.params
      const catalog = catalogWith(checks)
      const check = catalog.find(one => one.id === id)
      if (check !== undefined) return { ...listedCheck(check), page: check.page }
      const guess = nearest(
        id,
        catalog.map(one => one.id),
      )
      throw refusal(404, 'unknown_check', guess === undefined ? 'no check has this id' : `did you mean ${guess}?`)
    },
  )
}

const BODY_SCHEMA = {
  type: 'object',
  required: ['target'],
  properties: {
    target: { type: 'string', description: 'URL of the gateway' },
    groups: { type: 'array', items: { type: 'string' } },
    checks: { type: 'array', items: { type: 'string' } },
    hostile: { type: 'boolean' },
    slow: { type: 'boolean' },
    h2: { type: 'boolean' },
    insecure: { type: 'boolean' },
    repeat: { type: 'integer', minimum: 1, maximum: 10 },
    prefix: { type: 'string' },
    headers: { type: 'object', additionalProperties: { type: 'string' } },
    host: { type: 'string' },
    routes: { type: 'object' },
    name: { type: 'string' },
    configuration: { type: 'string' },
  },
} as const

function described(
  summary: string,
  responses: NonNullable<RouteDescription['responses']>,
  more = '',
): ReturnType<typeof describe> {
  return describe({
    summary,
    category: CATEGORY,
    parameters: [RUN_ID],
    responses: { ...responses, 404: UNKNOWN_RUN },
    examples: [{ name: 'Unknown run', path: `/_svc/probe/runs/none${more}`, expectStatus: 404 }],
  })
}

function readBody(body: Buffer, catalog: readonly Check[], repeat: number): RunRequest {
  let value: unknown
  try {
    value = JSON.parse(body.toString())
  } catch {
    throw refusal(400, 'invalid_body', 'expected a JSON object')
  }
  try {
    return readRunRequest(value, catalog, repeat)
  } catch (error) {
    if (!(error instanceof InputProblem)) throw error
    const details = error.at === '' ? error.message : `${error.at}: ${error.message}`
    throw new HttpError(400, { error: 'invalid_body', details, ...(error.remedy && { remedy: error.remedy }) })
  }
}

/** The origins that svc.yaml allows; invalid ones are reported. */
function readTargets(svc: Svc<ProbeSection>): ReadonlySet<string> {
  const origins = new Set<string>()
  for (const [index, text] of (svc.options.targets ?? []).entries()) {
    const address = readAddress(text)
    if (typeof address !== 'string' && address.prefix === '') origins.add(originOf(address))
    else
      svc.reportLoadError({
        at: `targets[${index}]`,
        message: typeof address === 'string' ? address : 'an origin has no path',
        remedy: 'write an origin such as http://gateway:8000',
      })
  }
  return origins
}

function originOf({ url }: Address): string {
  return new URL(url).origin
}

/** Everything that the run would contact besides this server. */
function addressesOf({ target, routes }: RunRequest): Address[] {
  return [target, ...Object.values(routes.paths).flatMap(({ address }) => address ?? [])]
}

function allow(address: Address, targets: ReadonlySet<string>): void {
  const origin = originOf(address)
  if (targets.has(origin)) return
  throw new HttpError(403, {
    error: 'target_not_allowed',
    details: `${origin} is not in probe.targets of svc.yaml`,
    remedy: `probe:\n  targets:\n    - ${origin}`,
  })
}

/** This server, as it reaches itself. */
function ownAddress(svc: Svc<ProbeSection>): Address {
  const { http, https } = svc.instance.ports()
  const port = http ?? https
  if (port === null) throw refusal(503, 'no_listener', 'this server has no listener for HTTP')
  const { host } = svc.config
  const ip = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  const authority = `${ip.includes(':') ? `[${ip}]` : ip}:${port}`
  const isTls = http === null
  return {
    url: `${isTls ? 'https' : 'http'}://${authority}`,
    isTls,
    host: ip,
    port,
    prefix: svc.config.basePath ?? '',
    authority,
    ip,
  }
}

/** The number of events that the client has, from the header or else the query. */
function lastEventId(request: FastifyRequest): number {
  const header = request.headers['last-event-id']
  const text = typeof header === 'string' && header !== '' ? header : (readQuery(request).get('last_event_id') ?? '')
  return parseInteger(text) ?? 0
}
