/** Runtime expressions (OpenAPI 3.1.1, 4.20.1), which take the URL of a callback from a request and its response. */
import { isRecord, pointerTokens, shownText, valueAt } from 'svc/toolkit'
import type { Json } from '../document/json.ts'

/** What expressions refer to. */
export interface ExpressionScope {
  /** The URL of the request. */
  url: string
  method: string
  statusCode: number
  request: {
    header(name: string): string | undefined
    query: readonly (readonly [string, string])[]
    path: ReadonlyMap<string, string>
    body(): Json | undefined
  }
  response: {
    header(name: string): string | undefined
    body(): Json | undefined
  }
}

type Expression = (scope: ExpressionScope) => string | undefined

/** Maximum number of characters of an expression and of its value. */
const MAX_CHARACTERS = 4096

/** A compiled text, with the value of each expression in it; null if an expression is not valid. */
export function compileExpression(text: string): Expression | null {
  if (text.length > MAX_CHARACTERS) return null
  if (text.startsWith('$')) return readExpression(text)
  const parts: (string | Expression)[] = []
  for (const [index, part] of text.split(/\{([^{}]*)\}/).entries()) {
    const expression = index % 2 === 0 ? part : readExpression(part)
    if (expression === null) return null
    parts.push(expression)
  }
  return scope => {
    let value = ''
    for (const part of parts) {
      const piece = typeof part === 'string' ? part : part(scope)
      if (piece === undefined) return undefined
      value += piece
      if (value.length > MAX_CHARACTERS) return undefined
    }
    return value
  }
}

function readExpression(text: string): Expression | null {
  if (text === '$url') return ({ url }) => url
  if (text === '$method') return ({ method }) => method
  if (text === '$statusCode') return ({ statusCode }) => String(statusCode)
  const match = /^\$(request|response)\.(?:(header|query|path)\.(.+)|body(?:#(.*))?)$/s.exec(text)
  if (match === null) return null
  const [, side, place, name = '', pointer = ''] = match
  if (place === undefined) return bodyExpression(side === 'request', pointer)
  if (place === 'header') return scope => scope[side === 'request' ? 'request' : 'response'].header(name)
  if (side === 'response') return null
  return place === 'path'
    ? ({ request }) => request.path.get(name)
    : ({ request }) => request.query.find(([other]) => other === name)?.[1]
}

function bodyExpression(isRequest: boolean, pointer: string): Expression | null {
  const tokens = pointer === '' ? [] : pointerTokens(decoded(pointer))
  if (tokens === undefined) return null
  return ({ request, response }) => {
    const body = isRequest ? request.body() : response.body()
    const value = body === undefined ? undefined : valueAt(body, tokens)
    if (value === undefined || value === null) return undefined
    return isRecord(value) || Array.isArray(value) ? JSON.stringify(value) : shownText(value)
  }
}

/** The fragment of a pointer, percent-decoded; as it is if that is not possible. */
function decoded(pointer: string): string {
  try {
    return decodeURIComponent(pointer)
  } catch {
    return pointer
  }
}
