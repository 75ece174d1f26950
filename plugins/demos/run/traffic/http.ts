/** HTTP traffic. */
import type { HttpTraffic } from '../../file/demo.ts'
import { fieldValues, type SentRequest } from '../sent.ts'
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
        readsEvents: traffic.read === 'events',
        readsBody: traffic.read !== 'none',
      },
      { ...options, variant },
    )
    const next = traffic.follow && redirects < MAX_REDIRECTS ? redirectOf(sent, options) : null
    if (next === null) return [sent]
    path = next
    if (variant !== null) variant = { ...variant, path: null }
    // RFC 9110, 15.4: only 307 and 308 keep the method and the content.
    if (sent.status !== 307 && sent.status !== 308) {
      if (method !== 'HEAD') method = 'GET'
      body = null
    }
  }
}

/** The path of a redirect to the gateway itself; others are not followed. */
function redirectOf(sent: SentRequest, { context: { target } }: SendOptions): string | null {
  if (sent.status === null || sent.status < 301 || sent.status > 308 || sent.status === 304) return null
  const [location] = fieldValues(sent.answerFields, 'location')
  if (location === undefined) return null
  // A gateway that is reached by its host name uses it in redirects.
  const base = new URL(target.address.url)
  if (target.host !== null) base.host = target.host
  if (!URL.canParse(location, new URL(sent.target, base).href)) return null
  const url = new URL(location, new URL(sent.target, base))
  if (url.origin !== base.origin) return null
  const inFront = `${target.address.prefix}${target.prefix}`
  const path = `${url.pathname}${url.search}`
  return path.startsWith(inFront) ? path.slice(inFront.length) : path
}
