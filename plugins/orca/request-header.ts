/** `X-Svc-Orca`: values that replace those of the report in one response. */
import {
  invalidOrca,
  type LoadReport,
  MAPS,
  type MapMember,
  MAX_VALUES,
  NUMBERS,
  type NumberMember,
  readName,
  readNumber,
} from './report.ts'

const NUMBER_KEYS = new Map<string, NumberMember>([
  ['cpu', 'cpu_utilization'],
  ['mem', 'mem_utilization'],
  ['app', 'application_utilization'],
  ['rps', 'rps_fractional'],
  ['eps', 'eps'],
])
const MAP_KEYS = new Map<string, MapMember>([
  ['util', 'utilization'],
  ['named', 'named_metrics'],
  ['cost', 'request_cost'],
])
const DECIMAL = /^\d{1,15}(?:\.\d{1,15})?$/

/** Reads `cpu=0.9;util.gpu=0.7`. Throws a 400. */
export function readHeader(text: string): LoadReport {
  const report: LoadReport = {}
  const parts = text.split(';').map(part => part.trim())
  if (parts.length > MAX_VALUES) throw invalidOrca(`X-Svc-Orca: expected at most ${MAX_VALUES} values`)
  for (const part of parts) {
    const equals = part.indexOf('=')
    const key = part.slice(0, Math.max(equals, 0))
    const digits = part.slice(equals + 1).trim()
    const value = DECIMAL.test(digits) ? Number(digits) : null
    const dot = key.indexOf('.')
    const member = NUMBER_KEYS.get(key)
    const map = dot === -1 ? undefined : MAP_KEYS.get(key.slice(0, dot))
    if (member !== undefined) report[member] = readNumber(value, key, mostOf(member))
    else if (map !== undefined) {
      const name = readName(key.slice(dot + 1), key.slice(0, 100))
      ;(report[map] ??= {})[name] = readNumber(value, key, mostOf(map))
    } else
      throw invalidOrca(
        'X-Svc-Orca: expected cpu, mem, app, rps, eps, util.<name>, named.<name> and cost.<name>, each with =<number>, separated by ;',
      )
  }
  return report
}

function mostOf(member: NumberMember | MapMember): number {
  return [...NUMBERS, ...MAPS].find(entry => entry.member === member)!.most
}

/** The report with the values of another one in place of its own. */
export function merged(report: LoadReport, over: LoadReport): LoadReport {
  const all: LoadReport = { ...report, ...over }
  for (const { member } of MAPS)
    if (report[member] !== undefined && over[member] !== undefined) all[member] = { ...report[member], ...over[member] }
  return all
}
