/** A load report (xds.data.orca.v3.OrcaLoadReport): its members, and reading one that a client or svc.yaml gives. */
import { HttpError, type JsonSchema, refusal } from 'svc/plugin'
import { isRecord } from 'svc/toolkit'

export interface LoadReport {
  cpu_utilization?: number
  mem_utilization?: number
  application_utilization?: number
  rps_fractional?: number
  eps?: number
  utilization?: Record<string, number>
  named_metrics?: Record<string, number>
  request_cost?: Record<string, number>
}

export type NumberMember = 'cpu_utilization' | 'mem_utilization' | 'application_utilization' | 'rps_fractional' | 'eps'
export type MapMember = 'utilization' | 'named_metrics' | 'request_cost'

/** The fields of the message, with the largest value of each; all are 0 or more. */
export const NUMBERS: readonly { member: NumberMember; field: number; most: number }[] = [
  { member: 'cpu_utilization', field: 1, most: Number.MAX_VALUE },
  { member: 'mem_utilization', field: 2, most: 1 },
  { member: 'rps_fractional', field: 6, most: Number.MAX_VALUE },
  { member: 'eps', field: 7, most: Number.MAX_VALUE },
  { member: 'application_utilization', field: 9, most: Number.MAX_VALUE },
]
export const MAPS: readonly { member: MapMember; field: number; most: number }[] = [
  { member: 'request_cost', field: 4, most: Number.MAX_VALUE },
  { member: 'utilization', field: 5, most: 1 },
  { member: 'named_metrics', field: 8, most: Number.MAX_VALUE },
]

/** Names in a map of a report. */
const METRIC_NAME = /^[A-Za-z0-9_.-]{1,64}$/
/** Values in a map. */
export const MAX_VALUES = 50

/** The schema of a report in svc.yaml. */
export const reportSchema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    ...Object.fromEntries(NUMBERS.map(({ member, most }) => [member, numberSchema(most)])),
    ...Object.fromEntries(
      MAPS.map(({ member, most }) => [
        member,
        {
          type: 'object',
          maxProperties: MAX_VALUES,
          propertyNames: { pattern: METRIC_NAME.source },
          additionalProperties: numberSchema(most),
        },
      ]),
    ),
  },
}

function numberSchema(most: number): JsonSchema {
  return { type: 'number', minimum: 0, ...(most === 1 ? { maximum: 1 } : {}) }
}

/** Reads the body of a request. Throws a 400 that names the wrong member. */
export function readReport(body: object): LoadReport {
  const report: LoadReport = {}
  for (const [key, value] of Object.entries(body)) {
    const number = NUMBERS.find(({ member }) => member === key)
    const map = MAPS.find(({ member }) => member === key)
    if (number !== undefined) report[number.member] = readNumber(value, key, number.most)
    else if (map !== undefined) report[map.member] = readMap(value, key, map.most)
    else throw invalidOrca(`${key}: expected one of ${[...NUMBERS, ...MAPS].map(({ member }) => member).join(', ')}`)
  }
  return report
}

function readMap(value: unknown, at: string, most: number): Record<string, number> {
  if (!isRecord(value)) throw invalidOrca(`${at}: expected an object of numbers`)
  const entries = Object.entries(value)
  if (entries.length > MAX_VALUES) throw invalidOrca(`${at}: expected at most ${MAX_VALUES} values`)
  return Object.fromEntries(
    entries.map(([name, number]) => [readName(name, at), readNumber(number, `${at}.${name}`, most)]),
  )
}

/** Throws a 400 for a name that a map can't have. */
export function readName(name: string, at: string): string {
  if (METRIC_NAME.test(name) && name !== '__proto__') return name
  throw invalidOrca(`${at}: a name has 1 to 64 letters, digits, "_", "." and "-"`)
}

/** Throws a 400 for a value that the member can't have. */
export function readNumber(value: unknown, at: string, most: number): number {
  if (typeof value === 'number' && value >= 0 && value <= most) return value
  throw invalidOrca(`${at}: expected a number ${most === 1 ? 'from 0 to 1' : 'that is 0 or more'}`)
}

export function invalidOrca(details: string): HttpError {
  return refusal(400, 'invalid_orca', details)
}
