/** HMAC signatures of requests, as `/auth/hmac` checks them (draft-cavage-http-signatures-12 and the older form of gateways). */

export const HMAC_ALGORITHMS = {
  'hmac-sha1': 'SHA-1',
  'hmac-sha256': 'SHA-256',
  'hmac-sha384': 'SHA-384',
  'hmac-sha512': 'SHA-512',
} as const
export type HmacAlgorithm = keyof typeof HMAC_ALGORITHMS

export interface HmacInput {
  method: string
  /** Path and query, as on the wire. */
  target: string
  username: string
  secret: string
  algorithm: HmacAlgorithm
  /** `hmac username="…"` or `Signature keyId="…"`. */
  scheme: 'hmac' | 'Signature'
  /** What is signed, in order, such as `x-date request-line`. */
  signed: string
  /** IMF-fixdate; a page can't send `Date`, so it goes as `X-Date`. */
  date: string
  body: string
  /** Of the connection, in `request-line`. */
  version: string
}

export interface HmacResult {
  signingString: string
  signature: string
  headers: { name: string; value: string }[]
}

/** Signs; throws when something is to be signed that the request does not have. */
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
          `This form does not send the header ${name}: x-date, digest, request-line, (request-target) and @request-target can be signed.`,
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
