/** `{{…}}` in the texts of rule and override bodies: replaced by what the request holds, never evaluated. */
import { isRecord } from 'svc/plugin'
import { own, setOwn, type Json, type JsonObject } from '../document/json.ts'
import type { RequestScope } from './request-scope.ts'

/** What a reference may name. */
export interface TemplateScope extends RequestScope {
  mock: string
  operation: string
  now(): string
  uuid(): string
}

/** What is between the braces is trimmed by `readReference`: blanks in the pattern would be tried in every split. */
const REFERENCE = /\{\{([^{}]*)\}\}/g
const ONLY = /^\{\{([^{}]*)\}\}$/
const MAX_REFERENCE = 201

/** The reference between two braces; undefined where there is none, and the text stays as it is. */
function readReference(between: string | undefined): string | undefined {
  const reference = between?.trim()
  return reference !== undefined && reference !== '' && reference.length <= MAX_REFERENCE ? reference : undefined
}

/** A JSON value with the references in its texts replaced; one that is a reference alone keeps the JSON type, missing is null. */
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

/** A text with its references replaced; missing ones by nothing. What comes in is not looked through again. */
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
