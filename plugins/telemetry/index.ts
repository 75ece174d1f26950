/** The plugin `telemetry`: receives what gateways report, and shows it. */
import { definePlugin } from 'svc/plugin'
import type {} from '../grpc/types.ts'
import { MOUNTS, readFields, SCHEMA, type TelemetryOptions } from './options.ts'
import { registerOtlp } from './otlp/routes.ts'
import { SIGNALS, type Signal } from './otlp/signals.ts'
import type { Kind } from './records/record.ts'
import { Reports } from './records/reports.ts'
import { CATEGORY, hostMount, type Sinks } from './sinks.ts'
import { registerViews } from './view/routes.ts'

export default definePlugin<TelemetryOptions>({
  title: 'Reports of gateways',
  description: 'Receives the traces, metrics and logs of gateways, and shows them next to the requests that arrived.',
  paths: ['/otlp', '/_svc/telemetry'],
  uses: ['grpc'],
  categories: [{ name: CATEGORY, rank: 246 }],
  options: SCHEMA,
  register(app, svc) {
    const reports = new Reports(svc)
    const sinks: Sinks = { reports, renamed: readFields(svc) }
    for (const { host, serve } of svc.options.hosts) svc.serveHost(host, hostMount(MOUNTS[serve]))
    svc.use('testing.resets').register({ name: 'telemetry', reset: session => reports.reset(session) })
    registerOtlp(app, svc, sinks)
    registerViews(app, svc, reports)
    const grpc = svc.use('grpc.services')
    if (grpc === undefined) return
    for (const signal of SIGNALS)
      grpc.service({
        name: signal.service,
        methods: ['Export'],
        open: async () => (await import('./otlp/grpc.ts')).openSignal(svc, grpc, signal as Signal<Kind>, sinks),
      })
  },
})
