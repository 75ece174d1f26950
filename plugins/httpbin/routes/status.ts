/** `/status`: one status, or a choice by weights. */
import type { Call } from '../call.ts'
import { Failure } from '../failure.ts'
import type { Operation } from '../operation.ts'
import { goFloat, goInteger, goQuote, pythonFloat } from '../request/numbers.ts'
import { pythonLine } from '../response/json.ts'
import { METHODS_OF_ANYTHING } from './reflection.ts'

const MAX_CODES = 20
const ACCEPTED = ['image/webp', 'image/svg+xml', 'image/jpeg', 'image/png']
const REDIRECTING = new Set([301, 302, 303, 305, 307])
const TEXT = 'text/plain; charset=utf-8'
const TEAPOT = `
        ( (
         ) )
      ........
   ___|      |
  (   |      |-,
   '--|      |/
      '------'
  a short and stout teapot
`

/** A status of go-httpbin. */
export function goStatus(text: string, min = 100, max = 599): number {
  const status = goInteger(text, `invalid status code: ${goQuote(text)}`)
  if (status < min || status > max)
    throw new Failure(400, `invalid status code: ${status} not in range [${min}, ${max}]`)
  return status
}

/** A status of httpbin. HTTP has no final status below 200, and HTTP/2 in Node none above 599. */
export function httpbinStatus(call: Call, text: string): number {
  const status = /^\s*[+-]?\d+\s*$/.test(text) ? Number(text) : 0
  if (status < 200 || status > (call.request.raw.httpVersionMajor === 2 ? 599 : 999))
    throw new Failure(400, 'Invalid status code')
  return status
}

interface Choice {
  code: string
  weight: number
}

function readChoices(call: Call, text: string): Choice[] {
  const items = text.split(',')
  if (items.length > MAX_CODES)
    throw new Failure(400, call.isGo ? `too many choices: at most ${MAX_CODES}` : 'Invalid status code')
  return items.map(item => {
    const colon = item.indexOf(':')
    const code = colon === -1 ? item : item.slice(0, colon)
    const weightText = colon === -1 ? '1' : item.slice(colon + 1)
    const weight = call.isGo ? goFloat(weightText) : pythonFloat(weightText)
    if (weight === null || weight < 0 || !Number.isFinite(weight))
      throw new Failure(400, call.isGo ? `invalid weight value: ${goQuote(weightText)}` : 'Invalid status code')
    if (!/^\s*[+-]?\d+\s*$/.test(code))
      throw new Failure(400, call.isGo ? `invalid choice value: ${goQuote(code)}` : 'Invalid status code')
    return { code, weight }
  })
}

function choose(choices: Choice[]): string {
  let rest = Math.random() * choices.reduce((sum, { weight }) => sum + weight, 0)
  for (const { code, weight } of choices) {
    rest -= weight
    if (rest < 0) return code
  }
  return choices.at(-1)!.code
}

function respond(call: Call): unknown {
  const text = call.parameter('codes')
  if (!text.includes(',') && (call.isGo || !text.includes(':'))) return sendStatus(call, readStatus(call, text))
  const choices = readChoices(call, text)
  for (const { code } of choices) readStatus(call, code)
  return sendStatus(call, readStatus(call, choose(choices)))
}

function readStatus(call: Call, text: string): number {
  if (!call.isGo) return httpbinStatus(call, text)
  const status = goStatus(text)
  return status < 200 ? 200 : status
}

/** The status with the headers and the body that go with it. */
export function sendStatus(call: Call, status: number): unknown {
  const { reply, isGo } = call
  if (REDIRECTING.has(status)) reply.header('Location', call.path('/redirect/1'))
  if (isGo && (status === 300 || status === 308)) {
    const location = call.path('/image/jpeg')
    reply.header('Location', location)
    return call.send(TEXT, `See <a href="${location}">${location}</a>.\n`, status)
  }
  if (status === 401) reply.header('WWW-Authenticate', 'Basic realm="Fake Realm"')
  if (status === 407) reply.header('Proxy-Authenticate', 'Basic realm="Fake Realm"')
  if (status === 402) {
    reply.header('x-more-info', 'http://vimeo.com/22053820')
    return call.send(TEXT, 'Payment required', status)
  }
  if (status === 406) return sendNotAcceptable(call)
  if (status === 418) {
    reply.header('x-more-info', 'http://tools.ietf.org/html/rfc2324')
    return call.send(TEXT, isGo ? "I'm a teapot!" : TEAPOT, status)
  }
  if (isGo && status !== 304) reply.header('Content-Type', TEXT)
  return call.empty(status, { hasType: !reply.hasHeader('Location') && ![304, 401, 407].includes(status) })
}

export function sendNotAcceptable(call: Call): unknown {
  if (!call.isGo) {
    const body = { message: 'Client did not request a supported media type.', accept: [...ACCEPTED, 'image/*'] }
    return call.send('application/json', pythonLine(body), 406)
  }
  return call.json({ message: 'Client did not request a supported media type', accept: [...ACCEPTED, 'image/'] }, 406)
}

export const STATUS: readonly Operation[] = [
  {
    path: '/status/{codes}',
    summary: 'Respond with a status, or with one of several by weight',
    methods: { httpbin: METHODS_OF_ANYTHING },
    examples: [
      { name: 'Teapot', path: '/status/418', status: 418 },
      { name: 'By weight', path: '/status/200:3,500:1', status: null },
    ],
    handle: respond,
  },
]
