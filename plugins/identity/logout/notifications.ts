/** Back-channel logout: notifies the client of an ended session (OpenID Connect Back-Channel Logout, 2.5). */
import type { Svc } from 'svc/plugin'
import { createFetcher, FetchProblem } from 'svc/toolkit'
import type { Issuer } from '../issuers/issuer.ts'
import { FETCH_ALLOW, type IdentityOptions } from '../settings/options.ts'
import type { Session } from '../stores/records.ts'
import { signToken } from '../tokens/sign.ts'
import { registeredClaims } from '../tokens/token-response.ts'
import { LOGOUT_TOKEN_LIFE_S, LOGOUT_TYP, logoutClaims } from './logout-token.ts'

const MAX_RESPONSE_BYTES = 65_536

/** A session that has ended. */
export interface EndedSession {
  sid: string
  session: Session
  issuer: Issuer
  /** The identifier of the issuer for the request that ended it. */
  url: string
}

/** Notifies the client of a session without waiting for its answer. */
export type NotifyLogout = (ended: EndedSession) => void

/** Opens the queue: a limited number of notifications waits and is sent at a time; others are dropped and reported. */
export function createLogoutNotifications(svc: Svc<IdentityOptions>): NotifyLogout {
  const [maxWaiting, maxAtOnce] = svc.config.publicMode ? [20, 2] : [100, 8]
  const queue = svc.shared('logout-queue', () => ({ waiting: [] as EndedSession[], workers: 0, count: 0 }))
  const fetcher = createFetcher(svc, { allow: svc.options.fetch_allow, setting: FETCH_ALLOW, active: queue, maxAtOnce })

  async function notify({ sid, session, issuer, url }: EndedSession): Promise<void> {
    const client = await issuer.findClient(session.clientId, url)
    const uri = client?.backchannelLogoutUri
    if (client === undefined || uri === undefined) return
    const ownBase = url.endsWith(issuer.path) ? url.slice(0, url.length - issuer.path.length) : url
    const claims = {
      ...registeredClaims(session.issuer, session.username, client.id, LOGOUT_TOKEN_LIFE_S),
      ...logoutClaims(sid),
    }
    const algorithm = await issuer.keys.idTokenAlgorithm(client.idTokenAlg)
    const token = await signToken(claims, issuer, { algorithm, typ: LOGOUT_TYP })
    const { status } = await fetcher.send(uri, {
      ownBase,
      maxBytes: MAX_RESPONSE_BYTES,
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ logout_token: token }).toString(),
    })
    if (status >= 300) throw new FetchProblem(`the client answered with status ${status}`)
  }

  async function drain(): Promise<void> {
    queue.workers++
    try {
      for (let next = queue.waiting.shift(); next !== undefined; next = queue.waiting.shift()) {
        const { clientId } = next.session
        await notify(next).catch((error: unknown) => {
          svc.log.warn({ client: clientId, error: String(error) }, 'a client was not notified of a logout')
        })
      }
    } finally {
      queue.workers--
    }
  }

  return ended => {
    if (queue.waiting.length >= maxWaiting) {
      svc.log.warn(
        { client: ended.session.clientId },
        'a client was not notified of a logout: too many notifications wait',
      )
      return
    }
    queue.waiting.push(ended)
    if (queue.workers < maxAtOnce) void drain()
  }
}
