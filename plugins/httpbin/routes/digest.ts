/** `/digest-auth`: HTTP Digest (RFC 7616). */
import { createHash, randomBytes } from 'node:crypto'
import { isSameSecret, readAuthorization } from 'svc/toolkit'
import type { Call } from '../call.ts'
import { Failure } from '../failure.ts'
import type { Operation } from '../operation.ts'
import { cookiesOf } from '../request/cookies.ts'
import { goQuote } from '../request/numbers.ts'
import { AUTHENTICATED } from '../replies.ts'
import { setCookie } from '../response/cookie.ts'

const HASHES: ReadonlyMap<string, string> = new Map([
  ['MD5', 'md5'],
  ['SHA-256', 'sha256'],
  ['SHA-512', 'sha512'],
])
const MAX_PARAMETERS = 50

/** Parameters of `Authorization: Digest`; null if it has another scheme or cannot be read. */
function readDigest(value: string | undefined): Map<string, string> | null {
  const authorization = readAuthorization(value)
  if (authorization?.scheme !== 'digest') return null
  const parameters = new Map<string, string>()
  const { credentials } = authorization
  const part = /[\s,]*([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*))/y
  while (part.lastIndex < credentials.length) {
    const [, name, quoted, plain] = part.exec(credentials) ?? []
    if (name === undefined || parameters.size === MAX_PARAMETERS) return null
    parameters.set(name.toLowerCase(), quoted === undefined ? plain! : quoted.replace(/\\(.)/g, '$1'))
  }
  return parameters.size === 0 ? null : parameters
}

/** Whether the response is right for the user of the path and the target of this request. */
function isRight(call: Call, given: Map<string, string>, algorithm: string, mayOmitQop: boolean): boolean {
  const get = (name: string): string => given.get(name) ?? ''
  const hash = (text: string | Buffer): string => createHash(HASHES.get(algorithm)!).update(text).digest('hex')
  const target = call.request.originalUrl
  if (!isSameSecret(get('username'), call.parameter('user')) || get('uri') !== target) return false
  const qop = get('qop')
  const needed = ['realm', 'nonce', 'response', ...(qop === '' ? [] : ['nc', 'cnonce'])]
  if (needed.some(name => get(name) === '')) return false
  if (qop === '' ? !mayOmitQop : qop !== 'auth' && qop !== 'auth-int') return false
  const secret = hash(`${call.parameter('user')}:${get('realm')}:${call.parameter('password')}`)
  const content = `${call.request.method}:${target}${qop === 'auth-int' ? `:${hash(call.body)}` : ''}`
  const middle = qop === '' ? get('nonce') : `${get('nonce')}:${get('nc')}:${get('cnonce')}:${qop}`
  return isSameSecret(get('response').toLowerCase(), hash(`${secret}:${middle}:${hash(content)}`))
}

const id = (): string => randomBytes(16).toString('hex')

function checkGo(call: Call): unknown {
  const qop = call.parameter('qop').toLowerCase()
  const algorithm = call.parameter('algorithm').toUpperCase() || 'MD5'
  if (qop !== 'auth') throw new Failure(400, `invalid QOP directive: ${goQuote(qop)} != "auth"`)
  if (algorithm !== 'MD5' && algorithm !== 'SHA-256')
    throw new Failure(400, `invalid algorithm: ${algorithm} must be one of MD5 or SHA-256`)
  const given = readDigest(call.header('authorization'))
  if (given === null || !isRight(call, given, given.get('algorithm') === 'SHA-256' ? 'SHA-256' : 'MD5', false)) {
    throw new Failure(401, undefined, {
      // Quoted, which RFC 7616, 3.3 requires and the original omits: parsers find no nonce in its challenge.
      'WWW-Authenticate': `Digest qop="auth", realm="go-httpbin", algorithm=${algorithm}, nonce="${id()}", opaque="${id()}"`,
    })
  }
  return call.json({ authenticated: true, user: call.parameter('user'), authorized: true })
}

function checkHttpbin(call: Call): unknown {
  const staleAfter = call.parameter('stale_after') || 'never'
  const algorithm = HASHES.has(call.parameter('algorithm')) ? call.parameter('algorithm') : 'MD5'
  const needsCookie = ['1', 't', 'true'].includes((call.queryValue('require-cookie') ?? '').toLowerCase())
  const given = readDigest(call.header('authorization'))
  const cookies = cookiesOf(call)
  const challenge = (isStale: boolean): unknown => {
    const qop = ['auth', 'auth-int'].includes(call.parameter('qop')) ? call.parameter('qop') : 'auth, auth-int'
    call.reply.header(
      'WWW-Authenticate',
      `Digest realm="me@kennethreitz.com", nonce="${id()}", opaque="${id()}", qop="${qop}", algorithm=${algorithm}, stale=${isStale ? 'True' : 'False'}`,
    )
    setCookie(call, 'stale_after', staleAfter)
    if (given !== null) setCookie(call, 'last_nonce', given.get('nonce') ?? '')
    setCookie(call, 'fake', 'fake_value')
    return call.empty(401)
  }
  if (given === null || (needsCookie && call.header('cookie') === undefined)) return challenge(false)
  if (needsCookie && cookies.get('fake') !== 'fake_value') {
    setCookie(call, 'fake', 'fake_value')
    return call.json({ errors: ['missing cookie set on challenge'] }, 403)
  }
  const left = cookies.get('stale_after')
  const lastNonce = cookies.get('last_nonce')
  if (left === '0' || (lastNonce !== undefined && lastNonce === given.get('nonce'))) return challenge(true)
  const used = given.get('algorithm') ?? 'MD5'
  if (!isRight(call, given, HASHES.has(used) ? used : 'MD5', true)) return challenge(false)
  setCookie(call, 'fake', 'fake_value')
  if (left !== undefined) setCookie(call, 'stale_after', countDown(left))
  return call.json({ authenticated: true, user: call.parameter('user') })
}

/** `never` stays; anything that is not a number is used up. */
function countDown(left: string): string {
  if (left === 'never') return left
  return /^\d{1,15}$/.test(left) ? String(Number(left) - 1) : '0'
}

const path = '/digest-auth/{qop}/{user}/{password}'
const shared = { atRoot: true, handle: (call: Call) => (call.isGo ? checkGo(call) : checkHttpbin(call)) }

export const DIGEST: readonly Operation[] = [
  {
    ...shared,
    path,
    summary: 'Require Digest credentials',
    reply: AUTHENTICATED,
    examples: [{ name: 'Challenge', path: '/digest-auth/auth/u/p', status: 401 }],
  },
  {
    ...shared,
    path: `${path}/{algorithm}`,
    summary: 'Require Digest credentials with an algorithm',
    reply: AUTHENTICATED,
    examples: [{ name: 'SHA-256', path: '/digest-auth/auth/u/p/SHA-256', status: 401 }],
  },
  {
    ...shared,
    path: `${path}/{algorithm}/{stale_after}`,
    summary: 'Require Digest credentials that become stale',
    reply: AUTHENTICATED,
    methods: { 'go-httpbin': null },
    examples: [{ name: 'Stale after two', path: '/digest-auth/auth/u/p/MD5/2', status: 401 }],
  },
]
