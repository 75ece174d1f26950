/** AWS Signature Version 4, by structure only: who signed, and whether the header is complete. */
import type { CredentialRule, RequestHeaders } from '../llm/types.ts'

const credential = /(?:^|[\s,])Credential=([^/,\s]+)\/\d{8}\/[^/,\s]+\/[^/,\s]+\/aws4_request(?:[\s,]|$)/
const signedHeaders = /(?:^|[\s,])SignedHeaders=([^,\s]+)/
const signature = /(?:^|[\s,])Signature=[0-9a-f]{64}(?:[\s,]|$)/

/** Value is the access key id. Whatever is neither SigV4 nor a bearer token is malformed. */
export const sigV4: CredentialRule = {
  source: 'sigv4',
  description: 'AWS Signature Version 4, checked by its structure only',
  read(headers) {
    const value = headers.authorization
    if (typeof value !== 'string' || value.trim() === '' || /^bearer\s/i.test(value)) return undefined
    return (
      readSignature(value, headers) ?? {
        value: 'malformed',
        malformed:
          'The authorization header is no complete AWS Signature Version 4: it needs Credential, SignedHeaders with host, Signature, and an X-Amz-Date or Date header.',
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
