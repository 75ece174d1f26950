/** Runs over HTTP. */
import {
  HttpError,
  describe,
  refusal,
  type FastifyInstance,
  type FastifyRequest,
  type RouteDescription,
  type RouteParameter,
  type Svc,
} from 'svc/plugin'
import { jsonReply, lastEventNumber, RECORD, sendFollowedEvents, textReply } from 'svc/toolkit'
import { wiresWith } from '../wires/registry.ts'
import { catalogWith } from '../checks/custom/registry.ts'
import type { Address } from '../client/address.ts'
import { BackChannel } from '../client/back-channel.ts'
import type { ProbeSection } from '../options.ts'
import type { ProbeChecks, ProbeTargets, ProbeWires } from '../types.ts'
import { htmlReport } from '../report/html-report.ts'
import { junitReport } from '../report/junit-report.ts'
import { markdownReport } from '../report/markdown-report.ts'
import { RUN_SCHEMA, readRunBody } from './run-request.ts'
import { ServerRun } from './server-run.ts'
import { ServerRuns } from './server-runs.ts'
import { addressesOf } from './targets.ts'
import { addTools } from './tools.ts'
import { RUN, SVC_PROBE_RUNS } from '../replies.ts'

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

const startRunDescription: RouteDescription = {
  summary: 'Probe a gateway',
  reply: RUN,
  description:
    'Starts a run against a gateway whose origin is in `probe.targets` of svc.yaml; this server is its upstream. Nothing else is contacted. In private mode, without an admin token and with an open control plane, gateways on loopback need no entry, and `allow_target` takes any other.',
  category: CATEGORY,
  credentials: ['none', 'adminToken'],
  bodyLimit: MAX_BODY,
  requestBody: { content: { 'application/json': RUN_SCHEMA } },
  responses: {
    202: { description: 'The run has started: its id, URL and events' },
    400: { description: 'The body is not valid' },
    403: { description: '`target_not_allowed`: the origin is not in `probe.targets`, and not allowed otherwise' },
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
}

const streamEventsDescription: RouteDescription = {
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
}

export function registerRuns(
  app: FastifyInstance,
  svc: Svc<ProbeSection>,
  { checks, wires, targets }: { checks: ProbeChecks; wires: ProbeWires; targets: ProbeTargets },
): void {
  const runs = svc.shared(
    'runs',
    () => new ServerRuns(),
    all => all.close(),
  )
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

  addTools(svc.use('control.tools'))
  app.post('/_svc/probe/runs', describe(startRunDescription), async (request, reply) => {
    svc.http.guardAdmin(request)
    const wanted = readRunBody(
      svc.http.body(request),
      { catalog: catalogWith(checks), wires: wiresWith(wires) },
      svc.options.repeat ?? DEFAULT_REPEAT,
    )
    targets.check(addressesOf(wanted), { allowsTarget: wanted.allowsTarget, section: 'probe' })
    const running = runs.running
    if (running !== undefined)
      throw new HttpError(409, {
        error: 'run_in_progress',
        details: 'one run at a time',
        url: pathOf(request, running),
      })
    const run = new ServerRun(wanted, new BackChannel(targets.own() as Address, svc.config.adminToken), {
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
  })

  app.get(
    '/_svc/probe/runs',
    describe({
      summary: 'List runs of the probe',
      reply: SVC_PROBE_RUNS,
      category: CATEGORY,
      responses: { 200: { description: 'The newest 20, newest first, and the targets that are allowed' } },
      examples: [{ name: 'Runs', path: '/_svc/probe/runs', expectStatus: 200 }],
    }),
    request => ({ targets: targets.origins, runs: runs.newestFirst.map(run => shown(request, run)) }),
  )

  app.get<RunParams>(
    '/_svc/probe/runs/:id',
    described('Get the report of a run so far', {
      200: {
        description: 'The report, with the state of the run as `progress`',
        content: jsonReply(RECORD, 'ProbeReport'),
      },
    }),
    request => {
      const run = find(request.params.id)
      return { ...run.report(), progress: shown(request, run) }
    },
  )

  for (const [file, { type, write }] of Object.entries(FORMATS))
    app.get<RunParams>(
      `/_svc/probe/runs/:id/${file}`,
      described(
        `Get the report of a run as ${file.slice(7)}`,
        { 200: { description: 'The report', content: textReply(type.slice(0, type.indexOf(';'))) } },
        `/${file}`,
      ),
      (request, reply) => {
        const text = write(find(request.params.id).report())
        // The policy of the page is its own; it has no scripts.
        return reply.header('X-Content-Type-Options', 'nosniff').type(type).send(text)
      },
    )

  app.get<RunParams>('/_svc/probe/runs/:id/events', describe(streamEventsDescription), (request, reply) => {
    const run = find(request.params.id)
    const stream = svc.streams.sse(request, reply, { endless: true, heartbeatMs: HEARTBEAT_MS })
    if (stream !== null) sendFollowedEvents(run, stream, lastEventNumber(request))
  })

  app.post<RunParams>(
    '/_svc/probe/runs/:id/stop',
    describe({
      summary: 'Stop a run of the probe',
      reply: RUN,
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
}

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
