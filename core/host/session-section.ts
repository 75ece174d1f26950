/** The section `sessions` of `svc.yaml`. */
import { isToken } from '../fields/token.ts'
import { asObject, below, InputProblem, rejectUnknownKeys } from '../toolkit/input-problem.ts'
import type { Json } from '../contract/json.ts'

const MAX_HEADERS = 10
/** They name no session, or carry credentials that have a way of their own. */
const RESERVED = ['authorization', 'baggage', 'cookie', 'host', 'x-svc-key', 'x-svc-admin-token']

/** Reads the section: the headers that name sessions, in lower case. Throws an `InputProblem`. */
export function readSessionHeaders(section: unknown): string[] {
  if (section === undefined || section === null) return []
  const given = asObject(section, 'sessions', 'expected an object such as {headers: [X-Test-Id]}')
  rejectUnknownKeys(given, ['headers'], 'sessions')
  const { headers = [] } = given
  if (!Array.isArray(headers) || headers.length > MAX_HEADERS)
    throw new InputProblem('sessions.headers', `expected a list of at most ${MAX_HEADERS} names of headers`)
  return headers.map((name: Json, index) => {
    const at = below('sessions.headers', index)
    if (typeof name !== 'string' || name.length > 100 || !isToken(name))
      throw new InputProblem(at, 'expected the name of a header')
    if (RESERVED.includes(name.toLowerCase())) throw new InputProblem(at, `the header ${name} cannot name sessions`)
    return name.toLowerCase()
  })
}
