/** `{{…}}` in bodies of rules and overrides: replaced by request data, never evaluated. */
import { isRecord } from 'svc/plugin'
import { own, setOwn, type Json, type JsonObject } from '../document/json.ts'
import type { RequestScope } from './request-scope.ts'

/** The data that template references can use. */
export interface TemplateScope extends RequestScope {
  mock: string
  operation: string
  now(): string
  uuid(): string
}

/** `readReference` trims the text between the braces, because whitespace in the pattern would backtrack. */
const REFERENCE = /\{\{([^{}]*)\}\}/g
const ONLY = /^\{\{([^{}]*)\}\}$/
const MAX_REFERENCE = 201

/** The reference between the braces; undefined if it is invalid, and the text is kept. */
function readReference(between: string | undefined): string | undefined {
  const reference = between?.trim()
  return reference !== undefined && reference !== '' && reference.length <= MAX_REFERENCE ? reference : undefined
}

/**
 * Expands references in a JSON value. A string that is a single reference gets the JSON type of its value; null if
 * missing.
 */
export function fillValue(value: Json, scope: TemplateScope): Json {
  if (typeof value === 'string') {
    if (!value.includes('{{')) return value
    const only = readReference(ONLY.exec(value)?.[1])
    if (only !== undefined) return lookUp(only, scope) ?? null
    return fillText(value, scope)
  }
  if (Array.isArray(value)) return value.map(item => fillValue(item, scope))
  if (!isRecord(value)) return value
  const result: JsonObject = {}
  for (const [name, member] of Object.entries(value)) setOwn(result, name, fillValue(member, scope))
  return result
}

/** Expands references in a text; missing values become empty. Inserted values are not expanded again. */
export function fillText(text: string, scope: TemplateScope): string {
  return text.replaceAll(REFERENCE, (whole, between: string) => {
    const reference = readReference(between)
    if (reference === undefined) return whole
    const value = lookUp(reference, scope) ?? ''
    return typeof value === 'string' ? value : JSON.stringify(value)
  })
}

function lookUp(reference: string, scope: TemplateScope): Json | undefined {
  const [head = '', part = '', ...rest] = reference.split('.')
  switch (head) {
    case 'request':
      return requestValue(part, rest, scope)
    case 'state':
      return Object.hasOwn(scope.state, [part, ...rest].join('.')) ? scope.state[[part, ...rest].join('.')] : undefined
    case 'count':
      return scope.count
    case 'session':
      return scope.session
    case 'mock':
      return scope.mock
    case 'operation':
      return scope.operation
    case 'now':
      return scope.now()
    case 'uuid':
      return scope.uuid()
    default:
      return undefined
  }
}

function requestValue(part: string, rest: string[], scope: TemplateScope): Json | undefined {
  const name = rest.join('.')
  switch (part) {
    case 'method':
      return scope.method
    case 'path':
      return scope.path.get(name)
    case 'query':
      return scope.query.find(([key]) => key === name)?.[1]
    case 'header':
      return scope.header(name)
    case 'cookie':
      return scope.cookies.get(name)
    case 'body':
      return memberAt(scope.body(), rest)
    default:
      return undefined
  }
}

function memberAt(root: Json | undefined, steps: string[]): Json | undefined {
  let value = root
  for (const step of steps)
    value = Array.isArray(value) ? value[Number(step)] : isRecord(value) ? own(value, step) : undefined
  return value
}
