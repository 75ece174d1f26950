/** `{{…}}` in bodies of rules and overrides: replaced by request data, never evaluated. */
import { expandText, expandValue, memberAt } from 'svc/toolkit'
import type { OutputBudget } from 'svc/plugin'
import type { Json } from '../document/json.ts'
import type { RequestScope } from './request-scope.ts'

/** The data that template references can use. */
export interface TemplateScope extends RequestScope {
  mock: string
  operation: string
  now(): string
  uuid(): string
  /** What references insert is taken from it. */
  output: OutputBudget
}

/** Expands references in a JSON value. */
export function fillValue(value: Json, scope: TemplateScope): Json {
  return expandValue(value, reference => lookUp(reference, scope), scope.output)
}

/** Expands references in a text. */
export function fillText(text: string, scope: TemplateScope): string {
  return expandText(text, reference => lookUp(reference, scope), scope.output)
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
