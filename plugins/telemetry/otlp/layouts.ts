/** The messages of `opentelemetry.proto` that are read: numbers of fields, and their names in the JSON mapping. */
import type { Layout, WireField } from './wire.ts'

/** A field: its number, name and kind; `*` for repeated ones. */
type Row = [number: number, name: string, kind: WireField['kind'], repeated?: '*']

function layout(rows: () => readonly Row[]): Layout {
  let fields: ReadonlyMap<number, WireField> | undefined
  return () =>
    (fields ??= new Map(
      rows().map(([number, name, kind, repeated]): [number, WireField] => [
        number,
        { name, kind, ...(repeated === undefined ? {} : { isRepeated: true }) },
      ]),
    ))
}

const anyValue: Layout = layout(() => [
  [1, 'stringValue', 'text'],
  [2, 'boolValue', 'bool'],
  [3, 'intValue', 'int'],
  [4, 'doubleValue', 'double'],
  [5, 'arrayValue', arrayValue],
  [6, 'kvlistValue', keyValueList],
  [7, 'bytesValue', 'base64'],
])
const arrayValue: Layout = layout(() => [[1, 'values', anyValue, '*']])
const keyValue: Layout = layout(() => [
  [1, 'key', 'text'],
  [2, 'value', anyValue],
])
const keyValueList: Layout = layout(() => [[1, 'values', keyValue, '*']])
const resource: Layout = layout(() => [[1, 'attributes', keyValue, '*']])

const span: Layout = layout(() => [
  [1, 'traceId', 'hex'],
  [2, 'spanId', 'hex'],
  [4, 'parentSpanId', 'hex'],
  [5, 'name', 'text'],
  [6, 'kind', 'int'],
  [7, 'startTimeUnixNano', 'fixed64'],
  [8, 'endTimeUnixNano', 'fixed64'],
  [9, 'attributes', keyValue, '*'],
  [15, 'status', layout(() => [[3, 'code', 'int']])],
])
const logRecord: Layout = layout(() => [
  [1, 'timeUnixNano', 'fixed64'],
  [2, 'severityNumber', 'int'],
  [3, 'severityText', 'text'],
  [5, 'body', anyValue],
  [6, 'attributes', keyValue, '*'],
  [9, 'traceId', 'hex'],
  [10, 'spanId', 'hex'],
  [11, 'observedTimeUnixNano', 'fixed64'],
  [12, 'eventName', 'text'],
])
const numberPoint: Layout = layout(() => [
  [3, 'timeUnixNano', 'fixed64'],
  [4, 'asDouble', 'double'],
  [6, 'asInt', 'sfixed64'],
  [7, 'attributes', keyValue, '*'],
])
/** Histograms and summaries have the same members with other numbers for the attributes. */
const distributionPoint = (attributes: number): Layout =>
  layout(() => [
    [3, 'timeUnixNano', 'fixed64'],
    [4, 'count', 'fixed64'],
    [5, 'sum', 'double'],
    [attributes, 'attributes', keyValue, '*'],
  ])
const data = (point: Layout): Layout => layout(() => [[1, 'dataPoints', point, '*']])
const metric: Layout = layout(() => [
  [1, 'name', 'text'],
  [3, 'unit', 'text'],
  [5, 'gauge', data(numberPoint)],
  [7, 'sum', data(numberPoint)],
  [9, 'histogram', data(distributionPoint(9))],
  [10, 'exponentialHistogram', data(distributionPoint(1))],
  [11, 'summary', data(distributionPoint(7))],
])

/** The request of a service: its records are in scopes, these in resources. */
const request = (resources: string, scopes: string, records: string, record: Layout): Layout =>
  layout(() => [
    [
      1,
      resources,
      layout(() => [
        [1, 'resource', resource],
        [2, scopes, layout(() => [[2, records, record, '*']]), '*'],
      ]),
      '*',
    ],
  ])

export const TRACES = request('resourceSpans', 'scopeSpans', 'spans', span)
export const LOGS = request('resourceLogs', 'scopeLogs', 'logRecords', logRecord)
export const METRICS = request('resourceMetrics', 'scopeMetrics', 'metrics', metric)
