/** HTTP traffic. */
import type { HttpTraffic } from '../../file/demo.ts'
import type { SentRequest } from '../sent.ts'
import { keepsMethod, locationOf, pathAt } from './redirects.ts'
import { sendRequest, type SendOptions } from './request.ts'

const MAX_REDIRECTS = 10

export async function sendHttp(traffic: HttpTraffic, options: SendOptions): Promise<SentRequest[]> {
  const query = new URLSearchParams(traffic.query).toString()
  let path = query === '' ? traffic.path : `${traffic.path}${traffic.path.includes('?') ? '&' : '?'}${query}`
  let { method, body } = traffic
  let variant = options.variant
  for (let redirects = 0; ; redirects++) {
    const sent = await sendRequest(
      {
        method,
        path,
        headers: traffic.headers,
        body,
        bearer: traffic.bearer,
        basic: traffic.basic,
        http2: traffic.http2,
        cookies: traffic.cookies,
        isRedirect: redirects > 0,
        certificate: traffic.certificate,
        serverName: traffic.serverName,
        readsEvents: traffic.read === 'events',
        readsBody: traffic.read !== 'none',
      },
      { ...options, variant },
    )
    const location = traffic.follow && redirects < MAX_REDIRECTS ? locationOf(sent, options.context.target) : null
    const next = location === null ? null : pathAt(location, options.context.target)
    if (next === null) return [sent]
    path = next
    if (variant !== null) variant = { ...variant, path: null }
    if (!keepsMethod(sent)) {
      if (method !== 'HEAD') method = 'GET'
      body = null
    }
  }
}
