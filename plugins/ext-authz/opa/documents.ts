/** The documents of the package `svc`, from what was decided. */
import type { Json, JsonObject } from 'svc/plugin'
import type { HeaderLine } from 'svc/toolkit'
import { denialBody, type Decision } from '../decision.ts'

/** The rules of the package: a boolean, and the object that OPA-Envoy understands. */
export const RULES = ['allow', 'authz']

/** Whether a path leads to a document of the package, or around it, so that something has to be decided. */
export function isDefined([root, rule]: readonly string[]): boolean {
  return (root === undefined || root === 'svc') && (rule === undefined || RULES.includes(rule))
}

/** The document at a path below `data`; undefined if there is none. */
export function documentAt(path: readonly string[], policy: string, decision: Decision): Json | undefined {
  let value: Json | undefined = {
    svc: { allow: decision.decision === 'allow', authz: authzOf(policy, decision) },
  }
  for (const segment of path) {
    if (Array.isArray(value)) value = /^\d{1,6}$/.test(segment) ? value[Number(segment)] : undefined
    else if (typeof value === 'object' && value !== null && Object.hasOwn(value, segment)) value = value[segment]
    else return undefined
  }
  return value
}

/** What of a rule's decision the document at a path has no place for. */
export function leftOutOf(path: readonly string[]): (decision: Decision) => readonly string[] {
  if (path[1] !== 'allow') return () => []
  return ({ isFromRule = false, headers, responseHeaders, ...decision }) => {
    if (!isFromRule) return []
    const hasLines = (changes: object): boolean => Object.values(changes).some(lines => (lines as unknown[]).length > 0)
    return [
      ...(hasLines(headers) ? ['headers'] : []),
      ...(hasLines(responseHeaders) ? ['response_headers'] : []),
      ...(['body', 'query', 'metadata'] as const).filter(name => decision[name] !== undefined),
    ]
  }
}

/** Headers are those of the request that goes on, or those of the response of a denial. */
function authzOf(policy: string, decision: Decision): JsonObject {
  const { status, headers, responseHeaders, body, query, metadata } = decision
  const shared: JsonObject = metadata === undefined ? {} : { dynamic_metadata: metadata }
  if (decision.decision === 'deny')
    return {
      allowed: false,
      headers: linesOf([...responseHeaders.set, ...responseHeaders.append]),
      http_status: status,
      body: typeof body === 'string' ? body : JSON.stringify(body ?? denialBody(policy, decision.reason)),
      ...shared,
    }
  return {
    allowed: true,
    headers: linesOf([...headers.set, ...headers.append]),
    http_status: status,
    ...(headers.remove.length === 0 ? {} : { request_headers_to_remove: [...headers.remove] }),
    ...(responseHeaders.set.length + responseHeaders.append.length === 0
      ? {}
      : { response_headers_to_add: linesOf([...responseHeaders.set, ...responseHeaders.append]) }),
    ...(query === undefined
      ? {}
      : { query_parameters_to_set: linesOf(query.set), query_parameters_to_remove: [...query.remove] }),
    ...shared,
  }
}

/** A name with several values has a list. */
function linesOf(lines: readonly HeaderLine[]): JsonObject {
  const values = new Map<string, string[]>()
  for (const [name, value] of lines) values.set(name, [...(values.get(name) ?? []), value])
  return Object.fromEntries([...values].map(([name, all]) => [name, all.length === 1 ? all[0]! : all]))
}
