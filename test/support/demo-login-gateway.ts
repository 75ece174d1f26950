/** The part of a relying party (OpenID Connect Core, 3.1) that a gateway does: it logs browsers in, and forwards the token of the user. */
import { randomUUID } from 'node:crypto'
import { parseCookies } from '../../core/fields/cookie.ts'
import { answer } from './demo-gateways.ts'
import type { Handler } from './demo-proxy.ts'

const CLIENT = { client_id: 'svc', client_secret: 'svc-secret' }

interface LoginSwitches {
  open?: boolean
  sharesStates?: boolean
  /** Origin of the issuer in redirects of browsers; default: that of the upstream. */
  shownAs?: string
  /** The answer of the issuer comes in a form. */
  usesForm?: boolean
}

/**
 * Mistakes: `open` forwards requests without a session, too; `sharesStates` takes the state of any login, in whichever browser it
 * has begun.
 */
export function oidcLogin(
  upstream: string,
  issuer: string,
  { open = false, sharesStates = false, shownAs = upstream, usesForm = false }: LoginSwitches = {},
): Handler {
  const provider = `${upstream}/oauth/i/${issuer}`
  /** Where logins began, by their state. */
  const begun = new Map<string, string>()
  /** Access tokens. */
  const sessions = new Map<string, string>()

  const redirect = (location: string, cookies: string[]): ReturnType<typeof answer> => ({
    ...answer(302, ''),
    headers: { location, 'set-cookie': cookies.map(one => `${one}; Path=/; HttpOnly; SameSite=Lax`) },
  })

  return async (request, forward) => {
    const { pathname, searchParams } = new URL(request.path, 'http://gateway')
    const parameters = request.method === 'POST' ? new URLSearchParams(request.body) : searchParams
    const cookies = parseCookies(request.headers.cookie as string | undefined)
    const callback = `http://${String(request.headers.host)}/callback`
    if (pathname === '/callback') {
      const state = parameters.get('state') ?? ''
      const path = begun.get(state)
      if (path === undefined || (!sharesStates && cookies.get('login') !== state)) return answer(403, 'wrong state')
      begun.delete(state)
      const grant = { grant_type: 'authorization_code', code: parameters.get('code') ?? '', redirect_uri: callback }
      const response = await fetch(`${provider}/token`, {
        method: 'POST',
        body: new URLSearchParams({ ...CLIENT, ...grant }),
      })
      const { access_token: token } = (await response.json()) as { access_token?: string }
      if (token === undefined) return answer(502, 'no token')
      const session = randomUUID()
      sessions.set(session, token)
      return redirect(path, [`session=${session}`, 'login=; Max-Age=0'])
    }
    const token = sessions.get(cookies.get('session') ?? '')
    if (token !== undefined)
      return forward({ ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } })
    if (open) return forward(request)
    const state = randomUUID()
    begun.set(state, request.path)
    const mode: Record<string, string> = usesForm ? { response_mode: 'form_post' } : {}
    const query = { response_type: 'code', scope: 'openid', client_id: CLIENT.client_id, redirect_uri: callback, state }
    const page = `${shownAs}/oauth/i/${issuer}/authorize`
    return redirect(`${page}?${new URLSearchParams({ ...query, ...mode })}`, [`login=${state}`])
  }
}
