/** Runs over HTTP: start, follow, step, stop, and the reports. */
import {
  describe,
  refusal,
  HttpError,
  type FastifyInstance,
  type FastifyRequest,
  type RouteDescription,
  type RouteParameter,
  type Svc,
} from 'svc/plugin'
import { lastEventNumber, readBearerToken, sendFollowedEvents, textReply } from 'svc/toolkit'
import type { ProbeClient, ProbeConversations, ProbeTargets } from '../../probe/types.ts'
import type { ProxyTaps } from '../../proxy/types.ts'
import type { DemoCatalog } from '../catalog/catalog.ts'
import { BOUNDS, MAX_FILE_BYTES, PUBLIC_BOUNDS } from '../file/bounds.ts'
import { htmlReport } from '../report/html-report.ts'
import { junitReport } from '../report/junit-report.ts'
import { markdownReport } from '../report/markdown-report.ts'
import type { DemoReport } from '../report/report.ts'
import type { ReadGrpcDefinitions } from '../run/grpc-services.ts'
import { CATEGORY } from './demo-routes.ts'
import { readRunBody, RUN_SCHEMA, type RunRequest } from './run-request.ts'
import { ServerRun } from './server-run.ts'
import { ServerRuns } from './server-runs.ts'
import { missing, PROGRESS_REPLY, REPORT_REPLY, RUNS_REPLY, shownRun, STARTED_REPLY, startedRun } from './shown.ts'

const HEARTBEAT_MS = 15_000
const UNKNOWN = { description: '`unknown_run`: no such run; only the newest 20 are kept' }
const RUN_ID: RouteParameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'Id of the run',
  schema: { type: 'string' },
}
const CREDENTIALS = ['none', 'adminToken'] as const

const startDescription: RouteDescription = {
  summary: 'Run a demo',
  reply: STARTED_REPLY,
  description:
    'Sends the traffic of a demo through a gateway whose upstream is this server, and judges what is seen on both sides. `target` is an origin in `demos.targets` or `probe.targets` of svc.yaml, or `direct`: without a gateway. In private mode, without an admin token and with an open control plane, gateways on loopback need no entry, and `allow_target` takes any other. In public mode only `direct` is possible.',
  category: CATEGORY,
  credentials: CREDENTIALS,
  bodyLimit: 4 * MAX_FILE_BYTES,
  requestBody: { content: { 'application/json': RUN_SCHEMA } },
  responses: {
    202: { description: 'The run has started. `session` is the one of its requests' },
    400: { description: '`invalid_run` with `at`, or `invalid_demo`' },
    403: { description: '`target_not_allowed`' },
    404: { description: '`unknown_demo`, with the nearest name' },
    409: { description: '`run_in_progress`, `lane_in_use`, or `not_available`: a plugin is off' },
    503: { description: 'This server has no listener for HTTP' },
  },
  examples: [
    {
      name: 'A gateway that is not listed',
      method: 'POST',
      path: '/_svc/demos/runs',
      headers: [{ name: 'Content-Type', value: 'application/json' }],
      body: '{"demo":"retry","target":"http://gateway.example:8000"}',
      bodyType: 'json',
      expectStatus: 403,
    },
  ],
}

const eventsDescription: RouteDescription = {
  summary: 'Follow a run of a demo',
  description:
    'Events `step`, `sent`, `arrival`, `response`, `result`, `verdict` and `end`; the event id counts them. Of a step with many requests, those after the first are counted in `more`. With `Last-Event-ID`, continues after that event. Ends after `end`.',
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
  responses: { 200: { description: 'The event stream', content: { 'text/event-stream': {} } }, 404: UNKNOWN },
  examples: [{ name: 'Unknown run', path: '/_svc/demos/runs/none/events', expectStatus: 404 }],
}

const FORMATS = {
  'report.html': { type: 'text/html', write: htmlReport },
  'report.xml': { type: 'application/xml', write: junitReport },
  'report.md': { type: 'text/markdown', write: markdownReport },
} as const satisfies Record<string, { type: string; write(report: DemoReport): string }>

interface RunParams {
  Params: { id: string }
}

export interface RunServices {
  client: ProbeClient
  targets: ProbeTargets
  conversations: ProbeConversations
  agentsFolder: string
  grpcDefinitions: ReadGrpcDefinitions
  /** Null: the plugin proxy is off. */
  taps: ProxyTaps | null
  /** Origins in `demos.targets`. */
  origins: readonly string[]
  catalog: () => Promise<DemoCatalog>
}

export function registerRuns(
  app: FastifyInstance,
  svc: Svc<unknown>,
  { client, targets, origins, catalog, conversations, agentsFolder, grpcDefinitions, taps }: RunServices,
): void {
  const runs = svc.shared(
    'runs',
    () => new ServerRuns(),
    all => all.close(),
  )
  const bounds = svc.config.publicMode ? PUBLIC_BOUNDS : BOUNDS
  /** The id of a run is the name of its session, which visitors of a public instance must not learn. */
  const maySee = (request: FastifyRequest): boolean => !svc.config.publicMode || svc.http.isAdmin(request)
  const find = (request: FastifyRequest<RunParams>): ServerRun => {
    const run = maySee(request) ? runs.find(request.params.id) : undefined
    if (run === undefined) throw refusal(404, 'unknown_run', `no such run; only the newest ${bounds.kept} are kept`)
    return run
  }
  const pathOf =
    (request: FastifyRequest, { id }: ServerRun) =>
    (more: string): string =>
      svc.http.path(request, `/_svc/demos/runs/${id}${more}`)
  const shown = (request: FastifyRequest, run: ServerRun): Record<string, unknown> =>
    shownRun(run, pathOf(request, run))

  app.post('/_svc/demos/runs', describe(startDescription), async (request, reply) => {
    svc.http.guardAdmin(request)
    const wanted = readRunBody(svc.http.body(request), (await catalog()).demos, client)
    const reason = missing(wanted.demo, svc)
    if (reason !== null) throw new HttpError(409, { error: 'not_available', details: reason })
    targets.check(addressesOf(wanted), { allowsTarget: wanted.allowsTarget, more: origins, section: 'demos' })
    if (wanted.isTapped && taps === null)
      throw new HttpError(409, { error: 'not_available', details: 'plugin proxy is off, which tap needs' })
    const run = new ServerRun(wanted, {
      taps,
      conversations,
      agentsFolder,
      grpcDefinitions,
      client,
      own: targets.own(),
      credential: credentialOf(request),
      caller: svc.http.session(request).key,
      bounds,
      version: svc.instance.version,
    })
    runs.start(run, bounds, other => pathOf(request, other)(''))
    return reply.code(202).send(startedRun(run, pathOf(request, run)))
  })

  app.get(
    '/_svc/demos/runs',
    describe({
      summary: 'List runs of demos',
      reply: RUNS_REPLY,
      category: CATEGORY,
      responses: { 200: { description: 'The newest, newest first, and the targets that are allowed' } },
      examples: [{ name: 'Runs', path: '/_svc/demos/runs', expectStatus: 200 }],
    }),
    request => ({
      targets: svc.config.publicMode ? [] : [...new Set([...targets.origins, ...origins])],
      runs: maySee(request) ? runs.newestFirst.map(run => shown(request, run)) : [],
    }),
  )

  app.get<RunParams>(
    '/_svc/demos/runs/:id',
    described('Get the report of a run so far', {
      reply: REPORT_REPLY,
      responses: { 200: { description: 'The report, with the state of the run' } },
    }),
    request => {
      const run = find(request)
      const { state, step, error } = run
      return { ...run.report(), state, step, error }
    },
  )

  app.get<RunParams>(
    '/_svc/demos/runs/:id/exchanges',
    described('List what clients sent through a run and what arrived', {
      responses: {
        200: { description: '`exchanges`, oldest first: requests below `/s/<run>/proxy/gateway`, and what arrived' },
      },
      more: '/exchanges',
    }),
    async request => ({ exchanges: await find(request).exchanges() }),
  )

  for (const [file, { type, write }] of Object.entries(FORMATS))
    app.get<RunParams>(
      `/_svc/demos/runs/:id/${file}`,
      described(`Get the report of a run as ${file.slice(7)}`, {
        responses: { 200: { description: 'The report', content: textReply(type) } },
        more: `/${file}`,
      }),
      (request, reply) =>
        reply
          .header('X-Content-Type-Options', 'nosniff')
          .type(`${type}; charset=utf-8`)
          .send(write(find(request).report())),
    )

  app.get<RunParams>('/_svc/demos/runs/:id/events', describe(eventsDescription), (request, reply) => {
    const run = find(request)
    const stream = svc.streams.sse(request, reply, { endless: true, heartbeatMs: HEARTBEAT_MS })
    if (stream !== null) sendFollowedEvents(run, stream, lastEventNumber(request))
  })

  app.post<RunParams>(
    '/_svc/demos/runs/:id/next',
    changing('Go on with a run of a demo', 'next', {
      202: { description: 'The step begins' },
      409: { description: '`not_waiting`: the run does not wait for a step' },
    }),
    (request, reply) => {
      svc.http.guardAdmin(request)
      const run = find(request)
      if (!run.next()) throw refusal(409, 'not_waiting', `the run is ${run.state}`)
      return reply.code(202).send(shown(request, run))
    },
  )

  app.post<RunParams>(
    '/_svc/demos/runs/:id/stop',
    changing('Stop a run of a demo', 'stop', { 202: { description: 'The run ends soon; everything is put back' } }),
    (request, reply) => {
      svc.http.guardAdmin(request)
      const run = find(request)
      run.stop()
      return reply.code(202).send(shown(request, run))
    },
  )

  app.delete<RunParams>(
    '/_svc/demos/runs/:id',
    describe({
      summary: 'Remove a run of a demo',
      category: CATEGORY,
      credentials: CREDENTIALS,
      parameters: [RUN_ID],
      responses: { 204: { description: 'Stopped and removed' }, 404: UNKNOWN },
      examples: [{ name: 'Unknown run', method: 'DELETE', path: '/_svc/demos/runs/none', expectStatus: 404 }],
    }),
    (request, reply) => {
      svc.http.guardAdmin(request)
      runs.remove(find(request))
      return reply.code(204).send()
    },
  )
}

function described(
  summary: string,
  { more = '', responses, ...rest }: Pick<RouteDescription, 'reply' | 'responses'> & { more?: string },
): ReturnType<typeof describe> {
  return describe({
    ...rest,
    summary,
    category: CATEGORY,
    parameters: [RUN_ID],
    responses: { ...responses, 404: UNKNOWN },
    examples: [{ name: 'Unknown run', path: `/_svc/demos/runs/none${more}`, expectStatus: 404 }],
  })
}

function changing(
  summary: string,
  word: string,
  responses: NonNullable<RouteDescription['responses']>,
): ReturnType<typeof describe> {
  return describe({
    summary,
    reply: PROGRESS_REPLY,
    category: CATEGORY,
    credentials: CREDENTIALS,
    parameters: [RUN_ID],
    responses: { ...responses, 404: UNKNOWN },
    examples: [{ name: 'Unknown run', method: 'POST', path: `/_svc/demos/runs/none/${word}`, expectStatus: 404 }],
  })
}

/** Everything that a run would contact besides this server. */
function addressesOf({ target, lanes, routes }: RunRequest): Parameters<ProbeTargets['check']>[0] {
  return [
    ...(target === null ? [] : [target]),
    ...Object.values(lanes),
    ...Object.values(routes?.paths ?? {}).flatMap(({ address }) => address ?? []),
  ]
}

/** The run does what its caller may: it asks the control plane with the credential of the caller. */
function credentialOf({ headers }: FastifyRequest): string | null {
  const own = headers['x-svc-admin-token']
  return (typeof own === 'string' && own.trim() !== '' ? own.trim() : null) ?? readBearerToken(headers.authorization)
}
