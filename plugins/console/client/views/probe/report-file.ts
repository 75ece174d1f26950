/** Reads a report of the probe from a file. */
import { parseJson } from '../../lib/protocol/http.ts'
import { VERDICTS, type Report } from './types.ts'

const MAX_BYTES = 32 * 1024 * 1024

/** The report, or a sentence that says what is wrong with the file. */
export async function readReportFile(file: File): Promise<Report | string> {
  if (file.size > MAX_BYTES) return `${file.name} is larger than 32 MiB.`
  return readReport(file.name, await file.text())
}

export function readReport(name: string, text: string): Report | string {
  const value = parseJson(text)
  if (!isRecord(value) || value.svc_probe !== 1) return `${name} is not a report of svc probe (report.json).`
  const { gateway, run, results } = value
  const isWhole =
    isRecord(gateway) &&
    typeof gateway.url === 'string' &&
    isRecord(run) &&
    typeof run.started_at === 'string' &&
    Array.isArray(results) &&
    results.every(isResult)
  return isWhole ? (value as unknown as Report) : `${name} is not a complete report.`
}

function isResult(value: unknown): boolean {
  return (
    isRecord(value) &&
    ['id', 'title', 'group', 'protocol', 'summary'].every(member => typeof value[member] === 'string') &&
    isVerdict(value.verdict) &&
    areExchanges(value.exchanges) &&
    (value.repeats === undefined || (Array.isArray(value.repeats) && value.repeats.every(isVerdict))) &&
    (value.other_attempt === undefined || isAttempt(value.other_attempt))
  )
}

function isAttempt(value: unknown): boolean {
  return isRecord(value) && isVerdict(value.verdict) && isText(value.summary) && areExchanges(value.exchanges)
}

function isVerdict(value: unknown): boolean {
  return VERDICTS.some(verdict => verdict === value)
}

function areExchanges(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every(
      exchange =>
        isRecord(exchange) &&
        isSide(exchange.sent) &&
        Array.isArray(exchange.arrived) &&
        exchange.arrived.every(isSide) &&
        [exchange.answered, exchange.came_back].every(side => side === null || isSide(side)),
    )
  )
}

function isSide(value: unknown): boolean {
  if (!isRecord(value) || typeof value.size !== 'number') return false
  if (value.bytes !== undefined) return typeof value.bytes === 'string'
  const { fields, data, interims = [], trailers = [], error = '', frames = [] } = value
  return (
    [fields, trailers].every(isFields) &&
    [data, error].every(isText) &&
    Array.isArray(interims) &&
    interims.every(isFields) &&
    Array.isArray(frames) &&
    frames.every(isText)
  )
}

function isFields(value: unknown): boolean {
  return Array.isArray(value) && value.every(field => Array.isArray(field) && field.length === 2 && field.every(isText))
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
