/** `/cookies`, `/cookies/set` and `/cookies/delete`. */
import type { Call } from '../call.ts'
import { Failure } from '../failure.ts'
import type { Operation } from '../operation.ts'
import { cookiesOf } from '../request/cookies.ts'
import { setCookie, setGoCookie } from '../response/cookie.ts'
import { HTTPBIN_COOKIES } from '../replies.ts'

const MAX_COOKIES = 50
const YEAR_MS = 365 * 24 * 3_600_000

/** Names and first values of the query. */
function requested(call: Call): [name: string, value: string][] {
  const cookies = [...call.query].map(([name, values]): [string, string] => [name, values[0]!])
  if (cookies.length > MAX_COOKIES)
    throw new Failure(400, `too many cookies: ${cookies.length} (at most ${MAX_COOKIES})`)
  return cookies
}

function toCookies(call: Call): unknown {
  return call.redirect(call.path('/cookies'), { hasPage: true })
}

const ATTRIBUTE = /^attr\[(.*)\]$/s

/** Attributes chosen by `attr[Name]`, without the expiry. */
function goAttributes(call: Call): (expiry: readonly string[]) => string[] {
  const chosen = new Map<string, string>()
  for (const [key, values] of call.query) {
    const name = ATTRIBUTE.exec(key)?.[1]?.toLowerCase()
    if (name !== undefined) chosen.set(name, values[0]!.replace(/[^\x20-\x7e]|;/g, ''))
  }
  const isOn = (name: string, fallback: boolean): boolean => {
    const value = chosen.get(name)
    return value === undefined ? fallback : value === '1' || value.toLowerCase() === 'true'
  }
  const sameSite = { strict: 'Strict', lax: 'Lax', none: 'None' }[chosen.get('samesite')?.toLowerCase() ?? '']
  const path = chosen.get('path') ?? '/'
  const domain = chosen.get('domain') ?? ''
  return expiry => [
    ...(path === '' ? [] : [`Path=${path}`]),
    ...(/^\.?[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*$/.test(domain) ? [`Domain=${domain.replace(/^\./, '')}`] : []),
    ...expiry,
    ...(isOn('httponly', true) ? ['HttpOnly'] : []),
    ...(isOn('secure', call.isSecure) ? ['Secure'] : []),
    ...(sameSite === undefined ? [] : [`SameSite=${sameSite}`]),
  ]
}

function setAll(call: Call): unknown {
  const attributes = call.isGo ? goAttributes(call)([]) : []
  for (const [name, value] of requested(call)) {
    if (!call.isGo) setCookie(call, name, value)
    else if (!ATTRIBUTE.test(name)) setGoCookie(call, name, value, attributes)
  }
  return toCookies(call)
}

function deleteAll(call: Call): unknown {
  const past = `Expires=${new Date(Date.now() - YEAR_MS).toUTCString()}`
  const attributes = call.isGo ? goAttributes(call)([past, 'Max-Age=0']) : []
  for (const [name, value] of requested(call)) {
    if (!call.isGo) setExpired(call, name)
    else if (!ATTRIBUTE.test(name)) setGoCookie(call, name, value, attributes)
  }
  return toCookies(call)
}

function setExpired(call: Call, name: string): void {
  setCookie(call, name, '', ['Expires=Thu, 01 Jan 1970 00:00:00 GMT', 'Max-Age=0'])
}

export const COOKIES: readonly Operation[] = [
  {
    path: '/cookies',
    summary: 'The cookies of the request',
    reply: HTTPBIN_COOKIES,
    examples: [{ name: 'Cookies', path: '/cookies' }],
    handle: call => call.json({ cookies: cookiesOf(call) }),
  },
  {
    path: '/cookies/set',
    summary: 'Set cookies and redirect to them',
    examples: [{ name: 'One cookie', path: '/cookies/set?a=1', status: 302 }],
    handle: setAll,
  },
  {
    path: '/cookies/set/{name}/{value}',
    summary: 'Set a cookie and redirect to the cookies',
    methods: { 'go-httpbin': null },
    examples: [{ name: 'One cookie', path: '/cookies/set/a/1', status: 302 }],
    handle(call) {
      setCookie(call, call.parameter('name'), call.parameter('value'))
      return toCookies(call)
    },
  },
  {
    path: '/cookies/delete',
    summary: 'Delete cookies and redirect to the rest',
    examples: [{ name: 'One cookie', path: '/cookies/delete?a', status: 302 }],
    handle: deleteAll,
  },
]
