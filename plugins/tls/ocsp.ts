/** Responds to OCSP requests (RFC 6960) with the key of the CA itself. */
import { createHash, webcrypto, X509Certificate } from 'node:crypto'
import {
  DER,
  derContextTag,
  derElement,
  DerError,
  expectDerElement,
  readDerElements,
  readOnlyDerElement,
} from 'svc/toolkit'
import type { Signer } from './signer.ts'

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
const NULL = derElement(DER.null)

/** A CertID (RFC 6960, 4.1.1). */
interface CertificateId {
  encoded: Buffer
  hash: string | undefined
  issuerNameHash: Buffer
  issuerKeyHash: Buffer
  /** Upper case hex, as `X509Certificate.serialNumber`. */
  serial: string
}

/** What a response is about: a request in DER, or a certificate as PEM. */
export type OcspQuestion = { request: Uint8Array } | { certificate: string }

/**
 * Responds about certificates of one CA: revoked since the date that `revokedSince` returns for a serial number, otherwise
 * good; unknown for other issuers. Without a request, it is the response to staple for the certificate. Valid for a week from
 * `now`, in milliseconds since 1970. Returns DER; for a request that cannot be read, the response `malformedRequest`.
 */
export async function respondToOcsp(
  question: OcspQuestion,
  signer: Signer,
  revokedSince: (serial: string) => Promise<Date | null>,
  now: number,
): Promise<Buffer> {
  const issuer = issuerOf(new X509Certificate(signer.certificate))
  let asked: { certificates: CertificateId[]; nonce: Buffer | null }
  try {
    asked =
      'request' in question
        ? readRequest(Buffer.from(question.request))
        : { certificates: [identify(question.certificate, issuer)], nonce: null }
  } catch (error) {
    if (!(error instanceof DerError)) throw error
    return derElement(DER.sequence, derElement(DER.enumerated, Buffer.from([MALFORMED_REQUEST])))
  }
  const thisUpdate = generalizedTime(now - HOUR_MS)
  const nextUpdate = derElement(derContextTag(0, 'constructed'), generalizedTime(now - HOUR_MS + VALID_MS))
  const responses = await Promise.all(
    asked.certificates.map(async certificate => {
      const status = isIssuedBy(certificate, issuer) ? statusOf(await revokedSince(certificate.serial)) : UNKNOWN
      return derElement(DER.sequence, certificate.encoded, status, thisUpdate, nextUpdate)
    }),
  )
  const data = derElement(
    DER.sequence,
    derElement(derContextTag(2, 'constructed'), derElement(DER.octetString, digest('sha1', issuer.key))),
    generalizedTime(now),
    derElement(DER.sequence, ...responses),
    ...(asked.nonce === null
      ? []
      : [derElement(derContextTag(1, 'constructed'), derElement(DER.sequence, nonceExtension(asked.nonce)))]),
  )
  const { algorithm, signature: bits } = await signData(data, signer)
  const signature = derElement(DER.bitString, Buffer.from([0]), bits)
  const basic = derElement(DER.sequence, data, algorithm, signature)
  return derElement(
    DER.sequence,
    derElement(DER.enumerated, Buffer.from([0])),
    derElement(
      derContextTag(0, 'constructed'),
      derElement(DER.sequence, derElement(DER.oid, OID.basicResponse), derElement(DER.octetString, basic)),
    ),
  )
}

/** Signs with SHA-256. Returns the AlgorithmIdentifier and the signature (RFC 5280, 4.1.1.2 and 4.1.1.3). */
async function signData(data: Buffer, { key }: Signer): Promise<{ algorithm: Buffer; signature: Buffer }> {
  const isRsa = key.algorithm.name !== 'ECDSA'
  const algorithm = isRsa
    ? derElement(DER.sequence, derElement(DER.oid, OID.rsaWithSha256), NULL)
    : derElement(DER.sequence, derElement(DER.oid, OID.ecdsaWithSha256))
  const signed = Buffer.from(await webcrypto.subtle.sign({ ...key.algorithm, hash: 'SHA-256' }, key, data))
  if (isRsa) return { algorithm, signature: signed }
  // WebCrypto joins r and s; X.509 has them as two integers (RFC 3279, 2.2.3).
  const half = signed.length / 2
  const [r, s] = [signed.subarray(0, half), signed.subarray(half)].map(number =>
    derElement(DER.integer, positive(number)),
  )
  return { algorithm, signature: derElement(DER.sequence, r!, s!) }
}

/** Reads an OCSPRequest (RFC 6960, 4.1.1). A signature is not verified. Throws a DerError. */
function readRequest(der: Buffer): { certificates: CertificateId[]; nonce: Buffer | null } {
  const [toBeSigned] = readDerElements(readOnlyDerElement(der, DER.sequence).content)
  const parts = readDerElements(expectDerElement(toBeSigned, DER.sequence).content)
  const list = readDerElements(
    expectDerElement(
      parts.find(({ tag }) => tag === DER.sequence),
      DER.sequence,
    ).content,
  )
  if (list.length === 0 || list.length > MAX_CERTIFICATES) throw new DerError('not 1 to 16 certificates')
  const extensions = parts.find(({ tag }) => tag === derContextTag(2, 'constructed'))
  return {
    certificates: list.map(one => readCertificateId(readDerElements(expectDerElement(one, DER.sequence).content)[0])),
    nonce: extensions === undefined ? null : readNonce(extensions.content),
  }
}

function readCertificateId(found: Parameters<typeof expectDerElement>[0]): CertificateId {
  const { encoded, content } = expectDerElement(found, DER.sequence)
  const [algorithm, nameHash, keyHash, serial] = readDerElements(content)
  const oid = expectDerElement(readDerElements(expectDerElement(algorithm, DER.sequence).content)[0], DER.oid)
  return {
    encoded,
    hash: HASHES.get(oid.content.toString('hex')),
    issuerNameHash: expectDerElement(nameHash, DER.octetString).content,
    issuerKeyHash: expectDerElement(keyHash, DER.octetString).content,
    serial: expectDerElement(serial, DER.integer)
      .content.toString('hex')
      .replace(/^(?:00)+(?=..)/, '')
      .toUpperCase(),
  }
}

/** The nonce among the extensions of a request (RFC 9654, 2.1); null if there is none. */
function readNonce(extensions: Buffer): Buffer | null {
  for (const extension of readDerElements(readOnlyDerElement(extensions, DER.sequence).content)) {
    const parts = readDerElements(expectDerElement(extension, DER.sequence).content)
    if (!expectDerElement(parts[0], DER.oid).content.equals(OID.nonce)) continue
    const value = expectDerElement(parts.at(-1), DER.octetString).content
    if (value.length === 0 || value.length > MAX_NONCE_BYTES) throw new DerError('not a nonce of 1 to 128 bytes')
    return value
  }
  return null
}

function nonceExtension(nonce: Buffer): Buffer {
  return derElement(DER.sequence, derElement(DER.oid, OID.nonce), derElement(DER.octetString, nonce))
}

/** Name and public key of a CA, as CertIDs hash them. */
interface Issuer {
  name: Buffer
  key: Buffer
}

function issuerOf({ raw, publicKey }: X509Certificate): Issuer {
  const [toBeSigned] = readDerElements(readOnlyDerElement(raw, DER.sequence).content)
  // version, serialNumber, signature, issuer, validity, subject (RFC 5280, 4.1)
  const subject = readDerElements(toBeSigned!.content)[5]!
  const [, key] = readDerElements(
    readOnlyDerElement(publicKey.export({ type: 'spki', format: 'der' }), DER.sequence).content,
  )
  // Without the number of unused bits.
  return { name: subject.encoded, key: key!.content.subarray(1) }
}

/** The CertID of a certificate in the form that clients expect in a stapled response. */
function identify(certificate: string, issuer: Issuer): CertificateId {
  const serial = new X509Certificate(certificate).serialNumber
  const issuerNameHash = digest('sha1', issuer.name)
  const issuerKeyHash = digest('sha1', issuer.key)
  const encoded = derElement(
    DER.sequence,
    derElement(DER.sequence, derElement(DER.oid, Buffer.from(SHA1_OID, 'hex')), NULL),
    derElement(DER.octetString, issuerNameHash),
    derElement(DER.octetString, issuerKeyHash),
    derElement(DER.integer, positive(Buffer.from(serial, 'hex'))),
  )
  return { encoded, hash: 'sha1', issuerNameHash, issuerKeyHash, serial }
}

/** The content of a positive integer (X.690, 8.3): without leading zeros, except one before a high bit. */
function positive(bytes: Buffer): Buffer {
  const first = bytes.findIndex(byte => byte !== 0)
  const rest = first === -1 ? Buffer.from([0]) : bytes.subarray(first)
  return rest[0]! >= 0x80 ? Buffer.concat([Buffer.from([0]), rest]) : rest
}

function isIssuedBy({ hash, issuerNameHash, issuerKeyHash }: CertificateId, { name, key }: Issuer): boolean {
  return hash !== undefined && digest(hash, name).equals(issuerNameHash) && digest(hash, key).equals(issuerKeyHash)
}

const UNKNOWN = derElement(derContextTag(2, 'primitive'))

/** CertStatus (RFC 6960, 4.2.1). */
function statusOf(revokedSince: Date | null): Buffer {
  if (revokedSince === null) return derElement(derContextTag(0, 'primitive'))
  const reason = derElement(derContextTag(0, 'constructed'), derElement(DER.enumerated, Buffer.from([KEY_COMPROMISE])))
  return derElement(derContextTag(1, 'constructed'), generalizedTime(revokedSince.getTime()), reason)
}

function generalizedTime(ms: number): Buffer {
  const text = new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')
  return derElement(DER.generalizedTime, Buffer.from(text.replace(/[-:T]/g, '')))
}

function digest(hash: string, bytes: Buffer): Buffer {
  return createHash(hash).update(bytes).digest()
}
