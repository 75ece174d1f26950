/** Issues lists of revoked certificates (RFC 5280, 5). Imported on demand, because it loads many packages. */
import 'reflect-metadata'
import { Extension, X509Certificate as IssuedCertificate, X509CrlGenerator, X509CrlReason } from '@peculiar/x509'
import { webcrypto } from 'node:crypto'
import type { RevokedCertificate } from '../contract/plugin.ts'
import { signatureOf } from './authority.ts'
import type { CertificateAuthority } from './authority.ts'
import { authorityKeyIdentifier } from './certificates.ts'
import { DER, element } from './der.ts'

const HOUR_MS = 3_600_000
/** A list is valid from an hour ago, for clients with slow clocks, for a week. */
const VALID_MS = 7 * 24 * HOUR_MS
const CRL_NUMBER = '2.5.29.20'

/** Issues the list of a CA. `now` is in milliseconds since 1970. Returns DER. */
export async function issueCrl(
  revoked: readonly RevokedCertificate[],
  authority: CertificateAuthority,
  now: number,
): Promise<Buffer> {
  const signature = signatureOf(authority.key)
  if (signature === null) throw new Error(`keys of type ${authority.key.asymmetricKeyType} cannot sign lists`)
  const issuer = new IssuedCertificate(authority.certificate.raw)
  const thisUpdate = wholeSeconds(now - HOUR_MS)
  const crl = await X509CrlGenerator.create({
    issuer: issuer.subjectName,
    thisUpdate,
    nextUpdate: wholeSeconds(thisUpdate.getTime() + VALID_MS),
    entries: revoked.map(({ serial, since }) => ({
      serialNumber: serial,
      revocationDate: wholeSeconds(since.getTime()),
      reason: X509CrlReason.keyCompromise,
    })),
    extensions: [await authorityKeyIdentifier(issuer), new Extension(CRL_NUMBER, false, crlNumber(now))],
    signingKey: await webcrypto.subtle.importKey(
      'pkcs8',
      authority.key.export({ type: 'pkcs8', format: 'der' }),
      signature.key,
      false,
      ['sign'],
    ),
    signingAlgorithm: signature.algorithm,
  })
  return Buffer.from(crl.rawData)
}

/** The time is a number that increases (RFC 5280, 5.2.3), also from one replica to the next. */
function crlNumber(now: number): Uint8Array<ArrayBuffer> {
  const number = Buffer.alloc(8)
  number.writeBigUInt64BE(BigInt(now))
  return new Uint8Array(element(DER.integer, number.subarray(number.findIndex(byte => byte !== 0))))
}

function wholeSeconds(ms: number): Date {
  return new Date(Math.floor(ms / 1000) * 1000)
}
