/** The parameters of an OAuth request, from a form body or a query (RFC 6749, 3.1 and 3.2, appendix B). */
import type { FastifyRequest, Svc } from 'svc/plugin'
import { OAuthError } from './errors.ts'

/** Parameters by name. A parameter with an empty value counts as absent. */
export interface Parameters {
  get(name: string): string | undefined
  /** In the order of the request. */
  getAll(name: string): readonly string[]
  has(name: string): boolean
  /** All names and values. */
  entries(): [name: string, value: string][]
}

/** Parameters that may be repeated (RFC 8707, 2; RFC 8693, 2.1). */
const REPEATABLE: ReadonlySet<string> = new Set(['resource', 'audience'])
/** The page for consent has a checkbox for each scope. */
const REPEATABLE_IN_STEPS: ReadonlySet<string> = new Set([...REPEATABLE, 'scope'])

/** Parses `name=value&...`; throws `invalid_request` for a repeated parameter. */
export function readParameters(encoded: string): Parameters {
  return parametersOf(new URLSearchParams(encoded))
}

/** Parameters of these names and values; throws `invalid_request` for a repeated one that is not `repeatable`. */
export function parametersOf(
  pairs: Iterable<readonly [name: string, value: string]>,
  repeatable = REPEATABLE,
): Parameters {
  const values = new Map<string, string[]>()
  for (const [name, value] of pairs) {
    if (value === '') continue
    const given = values.get(name)
    if (given === undefined) values.set(name, [value])
    else if (repeatable.has(name)) given.push(value)
    else throw new OAuthError('invalid_request', 'a parameter is repeated')
  }
  return {
    get: name => values.get(name)?.[0],
    getAll: name => values.get(name) ?? [],
    has: name => values.has(name),
    entries: () => [...values].flatMap(([name, given]) => given.map((value): [string, string] => [name, value])),
  }
}

/** Whether the content type is a URL-encoded form; its parameters are ignored. */
export function isForm(contentType: string | undefined): boolean {
  return contentType?.split(';', 1)[0]!.trim().toLowerCase() === 'application/x-www-form-urlencoded'
}

/** The parameters of a form body; throws `invalid_request` for other bodies and for an empty one. */
export function readForm(request: FastifyRequest, svc: Svc): Parameters {
  return parametersOf(readPairs(request, svc))
}

/** The parameters of a form that can be a page of a login, which has the field `step`. */
export function readLoginForm(request: FastifyRequest, svc: Svc): Parameters {
  const pairs = readPairs(request, svc)
  return parametersOf(pairs, pairs.has('step') ? REPEATABLE_IN_STEPS : REPEATABLE)
}

function readPairs(request: FastifyRequest, svc: Svc): URLSearchParams {
  const body = svc.http.body(request)
  if (!isForm(request.headers['content-type']) || body.length === 0) {
    throw new OAuthError(
      'invalid_request',
      'the body must be a form with the content type application/x-www-form-urlencoded',
    )
  }
  return new URLSearchParams(body.toString())
}

/** The value of a required parameter; throws `invalid_request`. */
export function required(parameters: Parameters, name: string): string {
  const value = parameters.get(name)
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing`)
  return value
}
