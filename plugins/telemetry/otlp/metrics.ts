/** Data points of `ExportMetricsServiceRequest`. */
import { randomUUID } from 'node:crypto'
import type { Intake } from '../records/intake.ts'
import { isoTime, type MetricRecord, type Report } from '../records/record.ts'
import { namedSession, OTLP, type RecordContext } from './convert.ts'
import { attributesOf, doubleOf, figureOf, millisecondsOf, OtlpProblem, type OtlpNode } from './node.ts'

const DATA: readonly [name: string, kind: MetricRecord['kind']][] = [
  ['gauge', 'gauge'],
  ['sum', 'sum'],
  ['histogram', 'histogram'],
  ['exponentialHistogram', 'exponential_histogram'],
  ['summary', 'summary'],
]

/** Adds the points of one metric; yields after each. */
export function* addPoints(node: OtlpNode, context: RecordContext, intake: Intake<'metrics'>): Generator<void> {
  const name = labelOf(node, 'name')
  const unit = labelOf(node, 'unit')
  for (const [member, kind] of DATA) {
    const data = node.child(member)
    if (data === undefined) continue
    for (const point of data.children('dataPoints')) {
      intake.add(() => pointOf(point, { name, unit: unit === '' ? null : unit, kind }, context))
      yield
    }
  }
}

type Described = Pick<MetricRecord, 'name' | 'unit' | 'kind'>

function pointOf(node: OtlpNode, { name, unit, kind }: Described, context: RecordContext): Report<'metrics'> {
  const message = node.all()
  const attributes = attributesOf(message.attributes)
  return {
    record: {
      id: randomUUID(),
      name,
      kind,
      unit,
      value: doubleOf(message, 'asDouble') ?? figureOf(message, 'asInt'),
      count: figureOf(message, 'count'),
      sum: doubleOf(message, 'sum'),
      attributes,
      service: context.service,
      source: OTLP,
      time: isoTime(millisecondsOf(message, 'timeUnixNano')),
      session: null,
    },
    named: namedSession(attributes, context.resource),
  }
}

function labelOf(node: OtlpNode, name: string): string {
  const value = node.value(name) ?? ''
  if (typeof value !== 'string') throw new OtlpProblem(`metrics.${name}: expected a string`)
  return value
}
