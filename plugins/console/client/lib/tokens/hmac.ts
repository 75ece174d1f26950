/** HMAC signatures of requests for `/auth/hmac` (draft-cavage-http-signatures-12, and the older format of gateways). */

export const HMAC_ALGORITHMS = {
  'hmac-sha1': 'SHA-1',
  'hmac-sha256': 'SHA-256',
  'hmac-sha384': 'SHA-384',
  'hmac-sha512': 'SHA-512',
} as const
export type HmacAlgorithm = keyof typeof HMAC_ALGORITHMS

export interface HmacInput {
  method: string
  /** Path and query, as in the request line. */
  target: string
  username: string
  secret: string
  algorithm: HmacAlgorithm
  /** `hmac username="…"` or `Signature keyId="…"`. */
  scheme: 'hmac' | 'Signature'
  /** The signed parts in order, such as `x-date request-line`. */
  signed: string
  /** IMF-fixdate, sent as `X-Date` because a page cannot set `Date`. */
  date: string
  body: string
  /** HTTP version in `request-line`. */
  version: string
}

export interface HmacResult {
  signingString: string
  signature: string
  headers: { name: string; value: string }[]
}

/** Signs the request. Throws if a signed part does not exist in it. */
export async function signHmac({
  method,
  target,
  username,
  secret,
  algorithm,
  scheme,
  signed,
  date,
  body,
  version,
}: HmacInput): Promise<HmacResult> {
  const names = signed
    .trim()
    .toLowerCase()
    .split(/\s+/)
    .filter(name => name !== '')
  const headers = [{ name: 'X-Date', value: date }]
  if (names.includes('digest'))
    headers.push({ name: 'Digest', value: `SHA-256=${base64(await crypto.subtle.digest('SHA-256', bytes(body)))}` })
  const signingString = names
    .map(name => {
      if (name === 'request-line') return `${method} ${target} HTTP/${version}`
      if (name === '(request-target)') return `(request-target): ${method.toLowerCase()} ${target}`
      if (name === '@request-target') return `${method.toLowerCase()} ${target}`
      const header = headers.find(candidate => candidate.name.toLowerCase() === name)
      if (header === undefined)
        throw new Error(
          `The request does not send the header ${name}. You can sign x-date, digest, request-line, (request-target) and @request-target.`,
        )
      return `${name}: ${header.value}`
    })
    .join('\n')
  const key = await crypto.subtle.importKey(
    'raw',
    bytes(secret),
    { name: 'HMAC', hash: HMAC_ALGORITHMS[algorithm] },
    false,
    ['sign'],
  )
  const signature = base64(await crypto.subtle.sign('HMAC', key, bytes(signingString)))
  headers.push({
    name: 'Authorization',
    value: `${scheme} ${scheme === 'hmac' ? 'username' : 'keyId'}="${username}",algorithm="${algorithm}",headers="${names.join(' ')}",signature="${signature}"`,
  })
  return { signingString, signature, headers }
}

function bytes(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}

function base64(buffer: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(buffer)))
}
