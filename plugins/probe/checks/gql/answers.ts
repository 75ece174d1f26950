/** What a gateway answered. */
import { isRecord } from 'svc/toolkit'
import type { Call } from '../../client/evidence.ts'
import { jsonOf } from './fetches.ts'

export interface GraphError {
  message: string
  path: unknown[] | null
  code: string | null
}

export interface GraphAnswer {
  status: number | null
  type: string
  /** Whether the body is an answer of GraphQL: an object with `data` or `errors`. */
  isOfGraph: boolean
  data: unknown
  errors: GraphError[]
  text: string
}

export function answerOf(call: Call): GraphAnswer {
  const text = call.response?.body.toString() ?? ''
  const body = jsonOf(text)
  const { data = null, errors } = isRecord(body) ? body : {}
  return {
    status: call.status,
    type: (call.values('content-type')[0] ?? '').toLowerCase(),
    isOfGraph: isRecord(body) && ('data' in body || Array.isArray(errors)),
    data,
    errors: Array.isArray(errors) ? errors.filter(isRecord).map(errorOf) : [],
    text,
  }
}

function errorOf({ message, path, extensions }: Record<string, unknown>): GraphError {
  const code = isRecord(extensions) ? extensions.code : null
  return {
    message: String(message),
    path: Array.isArray(path) ? path : null,
    code: typeof code === 'string' ? code : null,
  }
}

/** A value of the data; undefined where there is none. */
export function valueAt(data: unknown, ...path: (string | number)[]): unknown {
  let value = data
  for (const part of path) {
    if (Array.isArray(value)) value = value[Number(part)]
    else value = isRecord(value) ? value[part] : undefined
  }
  return value
}

export const listAt = (data: unknown, ...path: (string | number)[]): unknown[] => {
  const value = valueAt(data, ...path)
  return Array.isArray(value) ? value : []
}

/** What an answer without the expected data says, for a reason. */
export function saidBy({ status, errors }: GraphAnswer): string {
  return errors[0] === undefined
    ? String(status ?? 'no status came back')
    : JSON.stringify(errors[0].message.slice(0, 150))
}

export interface DataDifference {
  path: string
  expected: unknown
  got: unknown
}

/** The first place where data differ; members that are not expected count too. Null: nowhere. */
export function dataDifference(expected: unknown, got: unknown, path = 'data'): DataDifference | null {
  if (Array.isArray(expected) && Array.isArray(got)) {
    if (expected.length !== got.length) return { path: `${path}.length`, expected: expected.length, got: got.length }
    for (const [index, value] of expected.entries()) {
      const found = dataDifference(value, got[index], `${path}.${index}`)
      if (found !== null) return found
    }
    return null
  }
  if (isRecord(expected) && isRecord(got)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(got)])) {
      const found = dataDifference(expected[key], got[key], `${path}.${key}`)
      if (found !== null) return found
    }
    return null
  }
  return Object.is(expected, got) ? null : { path, expected, got }
}
