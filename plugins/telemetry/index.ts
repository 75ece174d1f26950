/** The plugin `telemetry`: receives what gateways report, and shows it. */
import { definePlugin } from 'svc/plugin'
import type {} from '../grpc/types.ts'
import type {} from '../llm/types.ts'
import type {} from '../probe/types.ts'
import { ACCESS_LOGS } from './als/entry.ts'
import { registerDatadog } from './datadog/routes.ts'
import { registerJsonLogs } from './json/routes.ts'
import { MOUNTS, readFields, SCHEMA, type TelemetryOptions } from './options.ts'
import { registerOtlp } from './otlp/routes.ts'
import { SIGNALS, type Signal } from './otlp/signals.ts'
import type { Kind } from './records/record.ts'
import { registerReconcile } from './reconcile/routes.ts'
import { reconciledRecords } from './reconcile/verification.ts'
import { Reports } from './records/reports.ts'
import { CATEGORY, hostMount, type Sinks } from './sinks.ts'
import { openSocketSinks } from './sockets/sinks.ts'
import { registerViews } from './view/routes.ts'
import { telemetryVerification } from './view/verification.ts'
import { registerZipkin } from './zipkin/routes.ts'

/** `/info` is read by agents, and names no request. */
const SINK_PATHS = ['/otlp', '/zipkin', '/datadog', '/v0.3/traces', '/v0.4/traces', '/logs']

export default definePlugin<TelemetryOptions>({
  title: 'Reports of gateways',
  description: 'Receives the traces, metrics and logs of gateways, and shows them next to the requests that arrived.',
  paths: [...SINK_PATHS, '/info', '/_svc/telemetry'],
  uses: ['grpc', 'llm', 'probe'],
  categories: [{ name: CATEGORY, rank: 246 }],
  options: SCHEMA,
  register(app, svc) {
    svc.use('probe.upstream')?.ignore(...SINK_PATHS)
    const reports = new Reports(svc)
    const sinks: Sinks = { reports, renamed: readFields(svc) }
    for (const [index, { host, serve }] of svc.options.hosts.entries())
      svc.serveHost(host, hostMount(MOUNTS[serve]), { at: `telemetry.hosts[${index}]` })
    svc.use('testing.resets').register({ name: 'telemetry', reset: session => reports.reset(session) })
    const llm = svc.use('llm.providers')
    svc.use('testing.verifications').register(telemetryVerification(svc, reports, reconciledRecords(svc, reports, llm)))
    registerOtlp(app, svc, sinks)
    registerZipkin(app, svc, sinks)
    registerDatadog(app, svc, sinks)
    registerJsonLogs(app, svc, sinks)
    openSocketSinks(svc, sinks)
    registerViews(app, svc, reports)
    registerReconcile(app, svc, reports, llm)
    const grpc = svc.use('grpc.services')
    if (grpc === undefined) return
    grpc.service({
      name: ACCESS_LOGS,
      methods: ['StreamAccessLogs'],
      open: async () => (await import('./als/grpc.ts')).openAccessLogs(svc, grpc, sinks),
    })
    for (const signal of SIGNALS)
      grpc.service({
        name: signal.service,
        methods: ['Export'],
        open: async () => (await import('./otlp/grpc.ts')).openSignal(svc, grpc, signal as Signal<Kind>, sinks),
      })
  },
})
