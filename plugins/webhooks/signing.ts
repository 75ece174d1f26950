/** Creates signed examples: a payload, its headers, and the command that sends them. */
import { randomUUID } from 'node:crypto'
import { curlCommand } from './curl-command.ts'
import { DEMO_SECRETS } from './demo-secrets.ts'
import { DEFAULT_TOLERANCE_SECS, unixNow } from './schemes.ts'
import { signatureOf, type Scheme } from './schemes/scheme.ts'

export interface SigningRequest {
  scheme: Scheme
  secret: string
  key: Buffer
  payload: string
  id: string
  /** Unix seconds as text. */
  timestamp: string
  /** Returns the URL of a path of the service. */
  urlOf(path: string): string
}

/** The response of `/webhooks/sign`. */
export function signExample({ scheme, secret, key, payload, id, timestamp, urlOf }: SigningRequest) {
  const facts = { id, timestamp }
  const signature = signatureOf(scheme, key, facts, Buffer.from(payload))
  const headers = { ...scheme.write(signature, facts), 'content-type': 'application/json' }
  const verifyPath = scheme.name === 'standard' ? '/webhooks/verify' : `/webhooks/verify/${scheme.name}`
  // The command must succeed for any signed timestamp.
  const isOld = scheme.hasTimestamp && Math.abs(unixNow() - Number(timestamp)) > DEFAULT_TOLERANCE_SECS / 2
  return {
    scheme: scheme.name,
    secret,
    headers,
    body: payload,
    signed_content: scheme.prefix(facts) + payload,
    verify_path: verifyPath,
    receive_path: DEMO_SECRETS.find(demo => demo.secret === secret)?.receive_path ?? null,
    curl: curlCommand({
      url: urlOf(verifyPath),
      query: isOld ? 'ignore_timestamp=true' : '',
      headers,
      secret,
      body: payload,
    }),
  }
}

/** The default payload. */
export function samplePayload(): string {
  return JSON.stringify({
    type: 'order.created',
    timestamp: new Date().toISOString(),
    data: { id: 'ord_1001', amount: 4200, currency: 'EUR' },
  })
}

/** The id if it is a valid header value; otherwise `msg_` and 32 hex digits. */
export function messageId(requested: string | null): string {
  const isUsable = requested !== null && requested.length <= 256 && /^[!-~](?:[ -~]*[!-~])?$/.test(requested)
  return isUsable ? requested : `msg_${randomUUID().replaceAll('-', '')}`
}
