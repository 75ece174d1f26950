/** The CRL and the OCSP responses of the demo CA, judged by OpenSSL. */
import t from 'tap'
import { spawnSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadPki, type Pki } from '../../../core/pki/pki.ts'
import { issueCrl, type RevokedCertificate } from '../../../plugins/tls/crl.ts'
import { respondToOcsp } from '../../../plugins/tls/ocsp.ts'
import { makeCertificate } from '../../support/certificates.ts'
import { pkiState } from '../../support/pki-state.ts'

const SINCE = new Date('2026-02-03T04:05:06Z')
/** How OpenSSL judges a response. */
const JUDGED = ['-respin', 'response', '-CAfile', 'ca.crt', '-issuer', 'ca.crt']

/** A PKI in its own folder, with the files that `openssl` needs. `revoked` and `good` are certificates of its CA. */
async function open({ testdir }: { testdir(): string }, keyType: 'ec' | 'rsa') {
  const folder = testdir()
  const file = (name: string, content: string | Uint8Array): void => writeFileSync(join(folder, name), content)
  if (keyType === 'rsa') {
    const ca = await makeCertificate({ subject: 'CN=svc Demo CA', keyType })
    file('ca.crt', ca.certificate.toString())
    file('ca.key', ca.key.export({ type: 'pkcs8', format: 'pem' }))
  }
  const pki = await loadPki({ tlsCert: join(folder, 'tls.crt'), tlsKey: join(folder, 'tls.key'), state: pkiState() })
  const [revoked, good] = await Promise.all(['CN=revoked', 'CN=good'].map(subject => pki.issue({ subject })))
  file('revoked.pem', revoked!.certificate)
  file('good.pem', good!.certificate)
  const serial = new X509Certificate(revoked!.certificate).serialNumber
  const openssl = (...args: string[]): string => {
    const { stdout, stderr } = spawnSync('openssl', args, { cwd: folder, encoding: 'utf8' })
    return stdout + stderr
  }
  return { folder, file, pki, serial, openssl, revoked: revoked!.certificate }
}

const demoCa = async (pki: Pki) => ({ certificate: pki.caCertificate, key: await pki.signingKey() })
const crlOf = async (pki: Pki, revoked: RevokedCertificate[]): Promise<Uint8Array> =>
  issueCrl(revoked, await demoCa(pki), Date.now())
const respond = async (pki: Pki, request: Uint8Array, serial: string): Promise<Uint8Array> =>
  respondToOcsp({ request }, await demoCa(pki), async one => (one === serial ? SINCE : null), Date.now())

for (const keyType of ['ec', 'rsa'] as const)
  t.test(`OpenSSL reads them, with a CA key of type ${keyType} [PKI-91]`, async t => {
    const { folder, file, pki, serial, openssl } = await open(t, keyType)
    file('crl.der', await crlOf(pki, [{ serial, since: SINCE }]))
    const checked = ['verify', '-crl_check', '-CAfile', 'ca.crt', '-CRLfile', 'crl.der']
    t.match(openssl(...checked, 'revoked.pem'), /certificate revoked/)
    t.match(openssl(...checked, 'good.pem'), /good\.pem: OK/)
    t.match(openssl('crl', '-in', 'crl.der', '-noout', '-text'), /Feb {2}3 04:05:06 2026[^]*Key Compromise/)

    for (const hash of ['sha1', 'sha256', 'sha512']) {
      openssl(
        'ocsp',
        '-issuer',
        'ca.crt',
        `-${hash}`,
        '-cert',
        'revoked.pem',
        '-cert',
        'good.pem',
        '-reqout',
        'request',
      )
      file('response', await respond(pki, readFileSync(join(folder, 'request')), serial))
      const judged = openssl('ocsp', ...JUDGED, '-no_nonce', `-${hash}`, '-cert', 'revoked.pem', '-cert', 'good.pem')
      t.match(judged, /Response verify OK/)
      t.match(judged, /revoked\.pem: revoked[^]*keyCompromise[^]*good\.pem: good/)
      const [asked, answered] = openssl('ocsp', '-reqin', 'request', '-req_text', ...JUDGED, '-resp_text')
        .match(/OCSP Nonce:\s+\w+/g)!
        .map(text => text.replace(/\s/g, ''))
      t.equal(asked, answered)
    }

    // A certificate of another CA.
    const other = await pki.issue({ subject: 'CN=svc Demo CA', issuer: 'self', ca: {} })
    file('other-ca.pem', other.certificate)
    file('other.pem', (await pki.issue({ subject: 'CN=other', issuer: other })).certificate)
    openssl('ocsp', '-issuer', 'other-ca.pem', '-cert', 'other.pem', '-reqout', 'request')
    file('response', await respond(pki, readFileSync(join(folder, 'request')), serial))
    t.match(
      openssl(
        'ocsp',
        '-respin',
        'response',
        '-CAfile',
        'ca.crt',
        '-issuer',
        'other-ca.pem',
        '-cert',
        'other.pem',
        '-no_nonce',
      ),
      /other\.pem: unknown/,
    )
  })

t.test('a response to staple is about the certificate [PKI-91]', async t => {
  const { file, pki, serial, openssl, revoked } = await open(t, 'ec')
  file(
    'response',
    await respondToOcsp(
      { certificate: revoked },
      await demoCa(pki),
      async one => (one === serial ? SINCE : null),
      Date.now(),
    ),
  )
  t.match(
    openssl(
      'ocsp',
      '-respin',
      'response',
      '-CAfile',
      'ca.crt',
      '-issuer',
      'ca.crt',
      '-cert',
      'revoked.pem',
      '-no_nonce',
    ),
    /revoked\.pem: revoked[^]*Response verify OK/,
  )
})

t.test('an empty list is a valid CRL [PKI-91]', async t => {
  const { file, pki, openssl } = await open(t, 'ec')
  file('crl.der', await crlOf(pki, []))
  t.match(openssl('verify', '-crl_check', '-CAfile', 'ca.crt', '-CRLfile', 'crl.der', 'good.pem'), /OK/)
})

t.test('requests that cannot be read get malformedRequest [PKI-92]', async t => {
  const { folder, pki, openssl } = await open(t, 'ec')
  const MALFORMED = '30030a0101'
  openssl('ocsp', '-issuer', 'ca.crt', '-cert', 'good.pem', '-reqout', 'request')
  const request = readFileSync(join(folder, 'request'))
  const answer = async (bytes: Uint8Array): Promise<string> =>
    Buffer.from(await respond(pki, bytes, '')).toString('hex')
  for (const hex of ['', '30', '3000', '3080', '30ff', '3084ffffffff', '02020102', '30023000', '300430023000', '1f00'])
    t.equal(await answer(Buffer.from(hex, 'hex')), MALFORMED, hex)
  t.equal(await answer(Buffer.concat([request, request])), MALFORMED)
  // Cut anywhere, and with each byte changed: always an answer, never an exception.
  for (let index = 0; index < request.length; index++) {
    t.equal(await answer(request.subarray(0, index)), MALFORMED)
    const changed = Buffer.from(request)
    changed[index]! ^= 0x55
    t.match(await answer(changed), /^30/)
  }
  const many = Array.from({ length: 17 }, () => ['-cert', 'good.pem']).flat()
  openssl('ocsp', '-issuer', 'ca.crt', ...many, '-reqout', 'many')
  t.equal(await answer(readFileSync(join(folder, 'many'))), MALFORMED)
})

t.test('certificates carry the addresses [PKI-90]', async t => {
  const { pki } = await open(t, 'ec')
  const urls = { crl: 'http://localhost:1/crl', ocsp: 'http://localhost:1/ocsp', issuer: 'http://localhost:1/ca.crt' }
  const { infoAccess, raw } = new X509Certificate((await pki.issue({ subject: 'CN=x', urls })).certificate)
  t.equal(infoAccess, `OCSP - URI:${urls.ocsp}\nCA Issuers - URI:${urls.issuer}`)
  t.ok(raw.includes(Buffer.from(urls.crl)))
})
