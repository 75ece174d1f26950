/** Log records of `ExportLogsServiceRequest`. */
import { randomUUID } from 'node:crypto'
import { isRecord, own } from 'svc/toolkit'
import type { JsonObject } from 'svc/plugin'
import { httpFactsOf } from '../records/http-facts.ts'
import { isoTime, type Report } from '../records/record.ts'
import { namedSession, optionalIdOf, OTLP, type RecordContext } from './convert.ts'
import { anyValueOf, attributesOf, enumOf, millisecondsOf, textOf, type OtlpNode } from './node.ts'

/** The ranges of `SeverityNumber`, four numbers each. */
const SEVERITIES = ['trace', 'debug', 'info', 'warn', 'error', 'fatal']

export function logOf(node: OtlpNode, { resource, service, renamed }: RecordContext): Report<'logs'> {
  const message = node.all()
  const attributes = attributesOf(message.attributes)
  const body = anyValueOf(own(message, 'body'), 'body')
  // A gateway may have its fields in the body: an object that is not text.
  const fields = isRecord(body) && !Array.isArray(body) ? { ...(body as JsonObject), ...attributes } : attributes
  const eventName = textOf(message, 'eventName')
  return {
    record: {
      id: randomUUID(),
      time: isoTime(millisecondsOf(message, 'timeUnixNano') || millisecondsOf(message, 'observedTimeUnixNano')),
      source: OTLP,
      service,
      severity: severityOf(message),
      body: body ?? (eventName === '' ? null : eventName),
      attributes,
      trace_id: optionalIdOf(message, 'traceId'),
      ...httpFactsOf(fields, renamed),
      session: null,
    },
    named: namedSession(attributes, resource),
  }
}

function severityOf(message: JsonObject): string | null {
  const text = textOf(message, 'severityText')
  if (text !== '') return text
  const number = enumOf(message, 'severityNumber')
  return number === 0 ? null : (SEVERITIES[Math.floor((number - 1) / 4)] ?? null)
}
