/** Responds to OCSP requests (RFC 6960) with the key of the CA itself. */
import { createHash, sign, X509Certificate } from 'node:crypto'
import type { OcspQuestion } from '../contract/plugin.ts'
import type { CertificateAuthority } from './authority.ts'
import { contextTag, DER, DerError, element, expectElement, readElements, readOnly } from './der.ts'

/** Certificates in one request. */
const MAX_CERTIFICATES = 16
/** RFC 9654, 2.1. */
const MAX_NONCE_BYTES = 128
const HOUR_MS = 3_600_000
/** A response is valid from an hour ago, for clients with slow clocks, for a week. */
const VALID_MS = 7 * 24 * HOUR_MS

const MALFORMED_REQUEST = 1
const KEY_COMPROMISE = 1

const OID = {
  basicResponse: Buffer.from('2b0601050507300101', 'hex'),
  nonce: Buffer.from('2b0601050507300102', 'hex'),
  ecdsaWithSha256: Buffer.from('2a8648ce3d040302', 'hex'),
  rsaWithSha256: Buffer.from('2a864886f70d01010b', 'hex'),
}
const SHA1_OID = '2b0e03021a'
const HASHES = new Map([
  [SHA1_OID, 'sha1'],
  ['608648016503040201', 'sha256'],
  ['608648016503040202', 'sha384'],
  ['608648016503040203', 'sha512'],
])
const NULL = element(DER.null)

/** A CertID (RFC 6960, 4.1.1). */
interface CertificateId {
  encoded: Buffer
  hash: string | undefined
  issuerNameHash: Buffer
  issuerKeyHash: Buffer
  /** Upper case hex, as `X509Certificate.serialNumber`. */
  serial: string
}

/**
 * Responds about certificates of one CA: revoked since the date that `revokedSince` returns, otherwise good; unknown for
 * other issuers. `now` is in milliseconds since 1970. Returns DER.
 */
export async function respondToOcsp(
  question: OcspQuestion,
  authority: CertificateAuthority,
  revokedSince: (serial: string) => Promise<Date | null>,
  now: number,
): Promise<Buffer> {
  const issuer = issuerOf(authority.certificate)
  let asked: { certificates: CertificateId[]; nonce: Buffer | null }
  try {
    asked =
      'request' in question
        ? readRequest(Buffer.from(question.request))
        : { certificates: [identify(question.certificate, issuer)], nonce: null }
  } catch (error) {
    if (!(error instanceof DerError)) throw error
    return element(DER.sequence, element(DER.enumerated, Buffer.from([MALFORMED_REQUEST])))
  }
  const thisUpdate = generalizedTime(now - HOUR_MS)
  const nextUpdate = element(contextTag(0, 'constructed'), generalizedTime(now - HOUR_MS + VALID_MS))
  const responses = await Promise.all(
    asked.certificates.map(async certificate => {
      const status = isIssuedBy(certificate, issuer) ? statusOf(await revokedSince(certificate.serial)) : UNKNOWN
      return element(DER.sequence, certificate.encoded, status, thisUpdate, nextUpdate)
    }),
  )
  const data = element(
    DER.sequence,
    element(contextTag(2, 'constructed'), element(DER.octetString, digest('sha1', issuer.key))),
    generalizedTime(now),
    element(DER.sequence, ...responses),
    ...(asked.nonce === null
      ? []
      : [element(contextTag(1, 'constructed'), element(DER.sequence, nonceExtension(asked.nonce)))]),
  )
  const isRsa = authority.key.asymmetricKeyType === 'rsa'
  const algorithm = isRsa
    ? element(DER.sequence, element(DER.oid, OID.rsaWithSha256), NULL)
    : element(DER.sequence, element(DER.oid, OID.ecdsaWithSha256))
  const signature = element(DER.bitString, Buffer.from([0]), sign('sha256', data, authority.key))
  const basic = element(DER.sequence, data, algorithm, signature)
  return element(
    DER.sequence,
    element(DER.enumerated, Buffer.from([0])),
    element(
      contextTag(0, 'constructed'),
      element(DER.sequence, element(DER.oid, OID.basicResponse), element(DER.octetString, basic)),
    ),
  )
}

/** Reads an OCSPRequest (RFC 6960, 4.1.1). A signature is not verified. Throws a DerError. */
function readRequest(der: Buffer): { certificates: CertificateId[]; nonce: Buffer | null } {
  const [toBeSigned] = readElements(readOnly(der, DER.sequence).content)
  const parts = readElements(expectElement(toBeSigned, DER.sequence).content)
  const list = readElements(
    expectElement(
      parts.find(({ tag }) => tag === DER.sequence),
      DER.sequence,
    ).content,
  )
  if (list.length === 0 || list.length > MAX_CERTIFICATES) throw new DerError('not 1 to 16 certificates')
  const extensions = parts.find(({ tag }) => tag === contextTag(2, 'constructed'))
  return {
    certificates: list.map(one => readCertificateId(readElements(expectElement(one, DER.sequence).content)[0])),
    nonce: extensions === undefined ? null : readNonce(extensions.content),
  }
}

function readCertificateId(found: Parameters<typeof expectElement>[0]): CertificateId {
  const { encoded, content } = expectElement(found, DER.sequence)
  const [algorithm, nameHash, keyHash, serial] = readElements(content)
  const oid = expectElement(readElements(expectElement(algorithm, DER.sequence).content)[0], DER.oid)
  return {
    encoded,
    hash: HASHES.get(oid.content.toString('hex')),
    issuerNameHash: expectElement(nameHash, DER.octetString).content,
    issuerKeyHash: expectElement(keyHash, DER.octetString).content,
    serial: expectElement(serial, DER.integer)
      .content.toString('hex')
      .replace(/^(?:00)+(?=..)/, '')
      .toUpperCase(),
  }
}

/** The nonce among the extensions of a request (RFC 9654, 2.1); null if there is none. */
function readNonce(extensions: Buffer): Buffer | null {
  for (const extension of readElements(readOnly(extensions, DER.sequence).content)) {
    const parts = readElements(expectElement(extension, DER.sequence).content)
    if (!expectElement(parts[0], DER.oid).content.equals(OID.nonce)) continue
    const value = expectElement(parts.at(-1), DER.octetString).content
    if (value.length === 0 || value.length > MAX_NONCE_BYTES) throw new DerError('not a nonce of 1 to 128 bytes')
    return value
  }
  return null
}

function nonceExtension(nonce: Buffer): Buffer {
  return element(DER.sequence, element(DER.oid, OID.nonce), element(DER.octetString, nonce))
}

/** Name and public key of a CA, as CertIDs hash them. */
interface Issuer {
  name: Buffer
  key: Buffer
}

function issuerOf({ raw, publicKey }: X509Certificate): Issuer {
  const [toBeSigned] = readElements(readOnly(raw, DER.sequence).content)
  // version, serialNumber, signature, issuer, validity, subject (RFC 5280, 4.1)
  const subject = readElements(toBeSigned!.content)[5]!
  const [, key] = readElements(readOnly(publicKey.export({ type: 'spki', format: 'der' }), DER.sequence).content)
  // Without the number of unused bits.
  return { name: subject.encoded, key: key!.content.subarray(1) }
}

/** The CertID of a certificate in the form that clients expect in a stapled response. */
function identify(certificate: string, issuer: Issuer): CertificateId {
  const serial = new X509Certificate(certificate).serialNumber
  const issuerNameHash = digest('sha1', issuer.name)
  const issuerKeyHash = digest('sha1', issuer.key)
  const encoded = element(
    DER.sequence,
    element(DER.sequence, element(DER.oid, Buffer.from(SHA1_OID, 'hex')), NULL),
    element(DER.octetString, issuerNameHash),
    element(DER.octetString, issuerKeyHash),
    element(DER.integer, positive(Buffer.from(serial, 'hex'))),
  )
  return { encoded, hash: 'sha1', issuerNameHash, issuerKeyHash, serial }
}

function positive(bytes: Buffer): Buffer {
  return bytes[0]! >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes
}

function isIssuedBy({ hash, issuerNameHash, issuerKeyHash }: CertificateId, { name, key }: Issuer): boolean {
  return hash !== undefined && digest(hash, name).equals(issuerNameHash) && digest(hash, key).equals(issuerKeyHash)
}

const UNKNOWN = element(contextTag(2, 'primitive'))

/** CertStatus (RFC 6960, 4.2.1). */
function statusOf(revokedSince: Date | null): Buffer {
  if (revokedSince === null) return element(contextTag(0, 'primitive'))
  const reason = element(contextTag(0, 'constructed'), element(DER.enumerated, Buffer.from([KEY_COMPROMISE])))
  return element(contextTag(1, 'constructed'), generalizedTime(revokedSince.getTime()), reason)
}

function generalizedTime(ms: number): Buffer {
  const text = new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')
  return element(DER.generalizedTime, Buffer.from(text.replace(/[-:T]/g, '')))
}

function digest(hash: string, bytes: Buffer): Buffer {
  return createHash(hash).update(bytes).digest()
}
