/** AWS Signature Version 4: reads the access key id and checks the structure of the header, not the signature. */
import type { CredentialRule, RequestHeaders } from '../llm/types.ts'

const credential = /(?:^|[\s,])Credential=([^/,\s]+)\/\d{8}\/[^/,\s]+\/[^/,\s]+\/aws4_request(?:[\s,]|$)/
const signedHeaders = /(?:^|[\s,])SignedHeaders=([^,\s]+)/
const signature = /(?:^|[\s,])Signature=[0-9a-f]{64}(?:[\s,]|$)/

/** The value is the access key id. Anything but SigV4 or a bearer token is malformed. */
export const sigV4: CredentialRule = {
  source: 'sigv4',
  description: 'AWS Signature Version 4; only the structure is checked',
  read(headers) {
    const value = headers.authorization
    if (typeof value !== 'string' || value.trim() === '' || /^bearer\s/i.test(value)) return undefined
    return (
      readSignature(value, headers) ?? {
        value: 'malformed',
        malformed:
          'The authorization header is not a complete AWS Signature Version 4. It must have Credential, SignedHeaders with host, and Signature; an X-Amz-Date or Date header is also required.',
      }
    )
  },
}

function readSignature(value: string, headers: RequestHeaders): { value: string } | undefined {
  if (!value.startsWith('AWS4-HMAC-SHA256 ')) return undefined
  const keyId = credential.exec(value)?.[1]
  const signed = signedHeaders.exec(value)?.[1]?.split(';') ?? []
  const isDated = headers['x-amz-date'] !== undefined || headers.date !== undefined
  return keyId !== undefined && signed.includes('host') && signature.test(value) && isDated
    ? { value: keyId }
    : undefined
}
