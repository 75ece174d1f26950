/** The policy `session`: a cookie that the login of this plugin sets. */
import { createHmac } from 'node:crypto'
import type { Svc } from 'svc/plugin'
import { isSameSecret, parseCookies } from 'svc/toolkit'
import { allow, deny } from '../decision.ts'
import { headerOf, type Policy } from './policy.ts'

export const SESSION_COOKIE = 'svc_session'
export const LOGIN_PATH = '/ext-authz/login'

/** Signs and checks the cookies: `<user>.<HMAC-SHA-256 in base64url>`. */
export interface SessionCookies {
  valueFor(user: string): Promise<string>
  /** The user of a valid value; null otherwise. */
  userOf(value: string): Promise<string | null>
}

/** Whether a text can be the name of a user. */
export function isUser(text: string): boolean {
  return /^[A-Za-z0-9._@-]{1,64}$/.test(text)
}

export function createSessionCookies(svc: Pick<Svc, 'secret'>): SessionCookies {
  const sign = async (user: string): Promise<string> =>
    createHmac('sha256', await svc.secret('sessions'))
      .update(user)
      .digest('base64url')
  return {
    valueFor: async user => `${user}.${await sign(user)}`,
    async userOf(value) {
      const dot = value.lastIndexOf('.')
      const user = value.slice(0, Math.max(0, dot))
      return isUser(user) && isSameSecret(value.slice(dot + 1), await sign(user)) ? user : null
    },
  }
}

export function sessionPolicy(cookies: SessionCookies): Policy {
  return {
    name: 'session',
    summary: 'Allows requests with the cookie of `/ext-authz/login`, and redirects others there.',
    async decide({ checked }) {
      const value = parseCookies(headerOf(checked, 'cookie') ?? '').get(SESSION_COOKIE)
      const user = value === undefined ? null : await cookies.userOf(value)
      if (user !== null) return allow('valid session', { user })
      const login = `${LOGIN_PATH}?return=${encodeURIComponent(checked.receivedUrl)}`
      return deny(302, value === undefined ? 'no session' : 'invalid session', [['Location', login]])
    },
  }
}
