/** `/basic-auth`, `/hidden-basic-auth` and `/bearer`. */
import { isSameSecret, readAuthorization, readBasicCredentials } from 'svc/toolkit'
import type { Call } from '../call.ts'
import { Failure } from '../failure.ts'
import type { Operation } from '../operation.ts'
import { HTTPBIN_BASIC_AUTH, HTTPBIN_BEARER } from '../replies.ts'

const BASIC_CHALLENGE = { 'WWW-Authenticate': 'Basic realm="Fake Realm"' }

/** The user name as given, and whether both parts are right. */
function checkBasic(call: Call): { user: string; isRight: boolean } {
  const authorization = readAuthorization(call.header('authorization'))
  const given = authorization?.scheme === 'basic' ? readBasicCredentials(authorization.credentials) : null
  if (given === null) return { user: '', isRight: false }
  const isUser = isSameSecret(given.username, call.parameter('user'))
  const isPassword = isSameSecret(given.password, call.parameter('password'))
  return { user: given.username, isRight: isUser && isPassword }
}

function sendUser(call: Call, user: string, isRight = true, status = 200): unknown {
  return call.json({ authenticated: isRight, user, ...(call.isGo ? { authorized: isRight } : {}) }, status)
}

export const CREDENTIALS: readonly Operation[] = [
  {
    path: '/basic-auth/{user}/{password}',
    summary: 'Require Basic credentials',
    reply: HTTPBIN_BASIC_AUTH,
    atRoot: true,
    examples: [
      { name: 'Right', path: '/basic-auth/u/p', auth: { type: 'basic', username: 'u', password: 'p' } },
      { name: 'None', path: '/basic-auth/u/p', status: 401 },
    ],
    handle(call) {
      const { user, isRight } = checkBasic(call)
      if (isRight) return sendUser(call, user)
      call.reply.headers(BASIC_CHALLENGE)
      return call.isGo ? sendUser(call, user, false, 401) : call.empty(401, { hasType: false })
    },
  },
  {
    path: '/hidden-basic-auth/{user}/{password}',
    summary: 'Require Basic credentials without a challenge',
    reply: HTTPBIN_BASIC_AUTH,
    atRoot: true,
    examples: [
      { name: 'Right', path: '/hidden-basic-auth/u/p', auth: { type: 'basic', username: 'u', password: 'p' } },
    ],
    handle(call) {
      const { user, isRight } = checkBasic(call)
      if (isRight) return sendUser(call, user)
      if (call.isGo) throw new Failure(404)
      return call.empty(404)
    },
  },
  {
    path: '/bearer',
    summary: 'Require a bearer token',
    reply: HTTPBIN_BEARER,
    atRoot: true,
    examples: [
      { name: 'Token', path: '/bearer', auth: { type: 'bearer', token: 'abc' } },
      { name: 'None', path: '/bearer', status: 401 },
    ],
    handle(call) {
      const token = bearerToken(call)
      if (token !== null) return call.json({ authenticated: true, token })
      if (call.isGo) throw new Failure(401, undefined, { 'WWW-Authenticate': 'Bearer' })
      call.reply.header('WWW-Authenticate', 'Bearer')
      return call.empty(401)
    },
  },
]

/** httpbin takes everything after the scheme, go-httpbin one word. */
function bearerToken(call: Call): string | null {
  const value = call.header('authorization') ?? ''
  if (!call.isGo) return value.startsWith('Bearer ') ? value.slice('Bearer '.length) : null
  const words = value.split(/\s+/).filter(word => word !== '')
  return words.length === 2 && words[0] === 'Bearer' ? words[1]! : null
}
