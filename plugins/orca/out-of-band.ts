/** `xds.service.orca.v3.OpenRcaService`: reports that are not part of responses. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ServerWritableStream, UntypedHandleCall } from '@grpc/grpc-js'
import { sleep } from 'svc/toolkit'
import type { GrpcImplementation, GrpcServices } from '../grpc/types.ts'
import type { OrcaSvc } from './options.ts'
import { type LoadReport, MAPS } from './report.ts'
import type { Reports } from './reports.ts'
import { SERVICE } from './service.ts'

interface ReportRequest {
  report_interval?: { seconds?: number; nanos?: number }
  request_cost_names?: string[]
}

const DEFAULT_INTERVAL_MS = 10_000
const MIN_INTERVAL_MS = { normal: 100, public: 1000 }
const MAX_INTERVAL_MS = 3_600_000
/** A stream ends after this time; clients open a new one. */
const LIFETIME_MS = 3_600_000

export async function openService(svc: OrcaSvc, grpc: GrpcServices, reports: Reports): Promise<GrpcImplementation> {
  const descriptorSet = join(svc.folder, '..', '..', 'proto', 'orca.binpb')
  const definitions = await svc.shared('definitions', () => grpc.definitions(readFileSync(descriptorSet)))
  const shortest = svc.config.publicMode ? MIN_INTERVAL_MS.public : MIN_INTERVAL_MS.normal

  async function stream(call: ServerWritableStream<ReportRequest, object>): Promise<void> {
    const { signal, write } = grpc.writer(call)
    const request = grpc.requestOf(call)
    if (request === undefined) return
    const session = svc.http.session(request).key
    const { report_interval: interval, request_cost_names: names = [] } = call.request
    const wanted = (interval?.seconds ?? 0) * 1000 + (interval?.nanos ?? 0) / 1_000_000
    const pauseMs = wanted <= 0 ? DEFAULT_INTERVAL_MS : Math.min(Math.max(wanted, shortest), MAX_INTERVAL_MS)
    const endsAt = performance.now() + LIFETIME_MS
    while (await write(toMessage(await reports.ofSession(session), names))) {
      await sleep(pauseMs, { signal })
      if (performance.now() >= endsAt) break
    }
    if (!call.cancelled) call.end()
  }

  return {
    definition: definitions.service(SERVICE),
    handlers: { StreamCoreMetrics: stream as UntypedHandleCall },
    reflection: definitions.descriptorSet,
  }
}

/** Map fields are lists of entries for the library. */
function toMessage(report: LoadReport, costNames: readonly string[]): object {
  const message: Record<string, unknown> = { ...report }
  for (const { member } of MAPS) {
    const entries = Object.entries(report[member] ?? {}).map(([key, value]) => ({ key, value }))
    message[member] =
      member === 'request_cost' && costNames.length > 0 ? entries.filter(({ key }) => costNames.includes(key)) : entries
  }
  return message
}
