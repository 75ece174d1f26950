/** The three kinds of OTLP requests: traces, metrics, logs. */
import { Intake, type IntakeBounds } from '../records/intake.ts'
import type { Kind } from '../records/record.ts'
import { walk, type RecordContext, type WalkOptions } from './convert.ts'
import { LOGS, METRICS, TRACES } from './layouts.ts'
import { logOf } from './logs.ts'
import { addPoints } from './metrics.ts'
import type { OtlpNode } from './node.ts'
import { spanOf } from './spans.ts'
import type { Layout } from './wire.ts'

export interface Signal<K extends Kind> {
  kind: K
  /** The last part of the path. */
  path: 'traces' | 'metrics' | 'logs'
  /** Full name of the gRPC service. */
  service: string
  layout: Layout
  /** What `partial_success` calls the number of rejected records, in JSON and in the definitions. */
  rejected: { json: string; field: string }
  names: WalkOptions<K>['names']
  add(intake: Intake<K>, node: OtlpNode, context: RecordContext): Iterable<void> | void
}

const SPANS: Signal<'spans'> = {
  kind: 'spans',
  path: 'traces',
  service: 'opentelemetry.proto.collector.trace.v1.TraceService',
  layout: TRACES,
  rejected: { json: 'rejectedSpans', field: 'rejected_spans' },
  names: ['resourceSpans', 'scopeSpans', 'spans'],
  add: (intake, node, context) => intake.add(() => spanOf(node, context)),
}

const POINTS: Signal<'metrics'> = {
  kind: 'metrics',
  path: 'metrics',
  service: 'opentelemetry.proto.collector.metrics.v1.MetricsService',
  layout: METRICS,
  rejected: { json: 'rejectedDataPoints', field: 'rejected_data_points' },
  names: ['resourceMetrics', 'scopeMetrics', 'metrics'],
  add: (intake, node, context) => addPoints(node, context, intake),
}

const RECORDS: Signal<'logs'> = {
  kind: 'logs',
  path: 'logs',
  service: 'opentelemetry.proto.collector.logs.v1.LogsService',
  layout: LOGS,
  rejected: { json: 'rejectedLogRecords', field: 'rejected_log_records' },
  names: ['resourceLogs', 'scopeLogs', 'logRecords'],
  add: (intake, node, context) => intake.add(() => logOf(node, context)),
}

export type AnySignal = Signal<'spans'> | Signal<'metrics'> | Signal<'logs'>
export const SIGNALS: readonly AnySignal[] = [SPANS, POINTS, RECORDS]

export interface ReadOptions {
  bounds: IntakeBounds
  renamed: RecordContext['renamed']
  workMs: number
}

/** The records of a request. Throws an `OtlpProblem`. */
export async function readSignal<K extends Kind>(
  signal: Signal<K>,
  root: OtlpNode,
  { bounds, renamed, workMs }: ReadOptions,
): Promise<Intake<K>> {
  const intake = new Intake<K>(bounds)
  const { names } = signal
  await walk(root, { names, intake, renamed, workMs, add: (node, context) => signal.add(intake, node, context) })
  return intake
}
