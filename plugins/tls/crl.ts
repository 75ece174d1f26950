/** Issues lists of revoked certificates (RFC 5280, 5). Imported on demand, because it loads many packages. */
import 'reflect-metadata'
import {
  AuthorityKeyIdentifierExtension,
  Extension,
  SubjectKeyIdentifierExtension,
  X509Certificate as IssuedCertificate,
  X509CrlGenerator,
  X509CrlReason,
} from '@peculiar/x509'
import { DER, derElement } from 'svc/toolkit'
import type { Signer } from './signer.ts'

const HOUR_MS = 3_600_000
/** A list is valid from an hour ago, for clients with slow clocks, for a week. */
const VALID_MS = 7 * 24 * HOUR_MS
const CRL_NUMBER = '2.5.29.20'

/** A certificate in a list. */
export interface RevokedCertificate {
  /** Upper case hex, as `X509Certificate.serialNumber`. */
  serial: string
  since: Date
}

/** Issues the list of a CA, valid for a week from `now`, in milliseconds since 1970. Returns DER. */
export async function issueCrl(
  revoked: readonly RevokedCertificate[],
  { certificate, key }: Signer,
  now: number,
): Promise<Buffer> {
  const issuer = new IssuedCertificate(certificate)
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
    signingKey: key,
    signingAlgorithm: { ...key.algorithm, hash: 'SHA-256' },
  })
  return Buffer.from(crl.rawData)
}

/** The key identifier that the certificate of the CA states, however it was computed. */
async function authorityKeyIdentifier(issuer: IssuedCertificate): Promise<AuthorityKeyIdentifierExtension> {
  const stated = issuer.getExtension(SubjectKeyIdentifierExtension)
  return stated === null
    ? AuthorityKeyIdentifierExtension.create(issuer.publicKey)
    : new AuthorityKeyIdentifierExtension(stated.keyId)
}

/** The time is a number that increases (RFC 5280, 5.2.3), also from one replica to the next. */
function crlNumber(now: number): Uint8Array<ArrayBuffer> {
  const number = Buffer.alloc(8)
  number.writeBigUInt64BE(BigInt(now))
  return new Uint8Array(derElement(DER.integer, number.subarray(number.findIndex(byte => byte !== 0))))
}

function wholeSeconds(ms: number): Date {
  return new Date(Math.floor(ms / 1000) * 1000)
}
