/** Certificates that plugins order, valid or wrong on purpose. */
import t from 'tap'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import { loadPki } from '../../../core/pki/pki.ts'
import { pkiState } from '../../support/pki-state.ts'

const folder = t.testdir()
const pki = await loadPki({ tlsCert: join(folder, 'tls.crt'), tlsKey: join(folder, 'tls.key'), state: pkiState() })
const demo = new X509Certificate(pki.caCertificate)
const text = (certificate: X509Certificate): string =>
  certificate.toString() + certificate.toLegacyObject().ext_key_usage

t.test('a certificate of the demo CA, by default valid for 30 days [PKI-90]', async t => {
  const pair = await pki.issue({
    subject: 'CN=shop',
    names: ['shop.test', '*.shop.test'],
    ips: ['127.0.0.1'],
    usages: ['server'],
  })
  const certificate = new X509Certificate(pair.certificate)
  t.ok(certificate.checkIssued(demo))
  t.ok(certificate.verify(demo.publicKey))
  t.ok(certificate.checkPrivateKey(createPrivateKey(pair.key)))
  t.equal(certificate.subject, 'CN=shop')
  t.equal(certificate.checkHost('a.shop.test'), '*.shop.test')
  t.equal(certificate.checkIP('127.0.0.1'), '127.0.0.1')
  t.match(text(certificate), /1\.3\.6\.1\.5\.5\.7\.3\.1/)
  t.notOk(certificate.ca)
  const days = (Date.parse(certificate.validTo) - Date.parse(certificate.validFrom)) / 86_400_000
  t.equal(days, 30)
  t.ok(Date.parse(certificate.validFrom) < Date.now() - 86_000_000)
})

t.test('key types, dates, hash and issuers as ordered [PKI-90]', async t => {
  for (const [key, type, size] of [
    ['ec', 'ec', 'prime256v1'],
    ['p384', 'ec', 'secp384r1'],
    ['rsa', 'rsa', 2048],
    ['rsa1024', 'rsa', 1024],
    ['ed25519', 'ed25519', undefined],
  ] as const) {
    const { publicKey } = new X509Certificate((await pki.issue({ subject: 'CN=x', key })).certificate)
    t.equal(publicKey.asymmetricKeyType, type)
    t.equal(publicKey.asymmetricKeyDetails?.namedCurve ?? publicKey.asymmetricKeyDetails?.modulusLength, size)
  }
  const root = await pki.issue({
    subject: 'CN=svc Demo CA',
    issuer: 'self',
    key: 'rsa',
    ca: { pathLength: 0, permitted: ['allowed.invalid'] },
  })
  const rootCertificate = new X509Certificate(root.certificate)
  t.ok(rootCertificate.ca)
  t.ok(rootCertificate.verify(rootCertificate.publicKey))
  t.ok(rootCertificate.raw.includes(Buffer.from('allowed.invalid')))
  const leaf = await pki.issue({
    subject: 'CN=leaf, O=svc Demo',
    issuer: root,
    hash: 'sha1',
    notBefore: new Date('2020-01-01T00:00:00Z'),
    notAfter: new Date('2020-12-31T00:00:00Z'),
    extensions: [{ oid: '1.3.6.1.5.5.7.1.24', value: Buffer.from('3003020105', 'hex') }],
  })
  const certificate = new X509Certificate(leaf.certificate)
  t.ok(certificate.verify(rootCertificate.publicKey))
  t.notOk(certificate.checkIssued(demo) && certificate.verify(demo.publicKey))
  t.match(certificate.validTo, /2020/)
  t.ok(certificate.raw.includes(Buffer.from('2a864886f70d010105', 'hex')), 'SHA-1 with RSA')
  t.ok(certificate.raw.includes(Buffer.from('3003020105', 'hex')))
})
