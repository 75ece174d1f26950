/** `/response-headers`: response headers from the query. */
import { quoteInput } from 'svc/plugin'
import { escapeHtml, headerProblem, sandboxPolicy } from 'svc/toolkit'
import type { Call } from '../call.ts'
import { Failure } from '../failure.ts'
import type { Operation } from '../operation.ts'
import { goSortedJson, pythonJson } from '../response/json.ts'
import { isSafeType } from '../response/markup.ts'
import { HTTPBIN_RESPONSE_HEADERS } from '../replies.ts'

const MAX_HEADERS = 50

function respond(call: Call): unknown {
  const headers = [...call.query]
  if (headers.length > MAX_HEADERS)
    throw new Failure(400, `too many headers: ${headers.length} (at most ${MAX_HEADERS})`)
  for (const [name, values] of headers) for (const value of values) check(name, value)
  const own = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1].at(-1)
  const type = own ?? (call.isGo ? 'application/json; charset=utf-8' : 'application/json')
  for (const [name, values] of headers) {
    if (name.toLowerCase() === 'content-type') continue
    // Fastify keeps headers in an ordinary object, where `__proto__` would set the prototype.
    call.reply.raw.setHeader(name, values.length === 1 ? values[0]! : values)
  }
  const chosen = call.reply.raw.getHeader('content-security-policy')
  const policy = sandboxPolicy(type, chosen === undefined ? undefined : String(chosen))
  if (policy !== null) {
    call.reply.raw.setHeader('Content-Security-Policy', policy)
    call.reply.raw.setHeader('X-Content-Type-Options', 'nosniff')
  }
  return call.send(type, call.isGo ? goBody(new Map(headers), type) : httpbinBody(headers))
}

function check(name: string, value: string): void {
  const problem = headerProblem(name, value)
  if (problem === 'name') throw new Failure(400, `${quoteInput(name)} is not a header name`)
  if (problem === 'reserved') throw new Failure(400, `the header ${quoteInput(name)} cannot be set`)
  if (problem === 'value') throw new Failure(400, `the value of ${quoteInput(name)} must be printable ASCII`)
}

/** The type is listed as set, and markup is escaped unless the type is harmless. */
function goBody(headers: Map<string, string[]>, type: string): string {
  const shown = new Map(headers)
  if (!shown.get('Content-Type')?.[0])
    shown.set('Content-Type', [isSafeType(type) ? type : 'application/json; charset=utf-8'])
  if (isSafeType(type)) return goSortedJson(shown)
  return goSortedJson(new Map([...shown].map(([name, values]) => [escapeHtml(name), values.map(escapeHtml)])))
}

/** The length of the body is a part of the body. */
function httpbinBody(headers: [string, string[]][]): string {
  const shown = new Map<string, string | string[]>([['Content-Type', 'application/json']])
  for (const [name, values] of headers) {
    const all = name.toLowerCase() === 'content-type' ? ['application/json', ...values] : values
    shown.set(name, all.length === 1 ? all[0]! : all)
    if (all !== values) shown.set('Content-Type', all)
  }
  let length = 0
  for (;;) {
    const body = pythonJson(new Map([...shown, ['Content-Length', String(length)]]))
    const actual = Buffer.byteLength(body)
    if (actual === length) return body
    length = actual
  }
}

export const RESPONSE_HEADERS: readonly Operation[] = [
  {
    path: '/response-headers',
    summary: 'Set response headers from the query',
    reply: HTTPBIN_RESPONSE_HEADERS,
    methods: { httpbin: ['GET', 'POST'] },
    parameters: [{ name: 'X-Demo', in: 'query', description: 'Any header name', schema: { type: 'string' } }],
    examples: [{ name: 'One header', path: '/response-headers?X-Demo=one' }],
    handle: respond,
  },
]
