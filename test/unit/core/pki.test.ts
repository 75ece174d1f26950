/** The certificates of the demo PKI, and the client certificates that it accepts over TLS and in a header. */
import t, { type Test } from 'tap'
import { execFileSync, spawnSync } from 'node:child_process'
import { X509Certificate, createPrivateKey } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, createServer, type ConnectionOptions, type SecureVersion } from 'node:tls'
import { createAuthority, issueClientCertificate } from '../../../core/pki/certificates.ts'
import type { CertificateAuthority, PemPair } from '../../../core/pki/authority.ts'
import { hasRefusedCertificate } from '../../../core/pki/client-certificate.ts'
import { loadPki } from '../../../core/pki/pki.ts'
import { keyPem, makeCertificate } from '../../support/certificates.ts'
import { pkiState } from '../../support/pki-state.ts'

const dayMs = 86_400_000
const clientAuth = '1.3.6.1.5.5.7.3.2'
const serverAuth = '1.3.6.1.5.5.7.3.1'

const folder = mkdtempSync(join(tmpdir(), 'svc-pki-'))
t.teardown(() => rmSync(folder, { recursive: true }))
const files = { tlsCert: join(folder, 'server.crt'), tlsKey: join(folder, 'server.key') }
const startedAt = Date.now()
const pki = await loadPki({ ...files, state: pkiState() })
if ('error' in pki.server) throw new Error(pki.server.error)
const server = pki.server
const ca = new X509Certificate(pki.caCertificate)
const authority: CertificateAuthority = { certificate: ca, key: createPrivateKey(readFileSync(join(folder, 'ca.key'))) }
const client = new X509Certificate((await pki.client()).certificate)
const leaf = new X509Certificate(server.cert)

function pem({ certificate, key }: CertificateAuthority): PemPair {
  return { certificate: certificate.toString(), key: keyPem(key) }
}

// Everything awaited outside of a test comes before the first one, because tap ends when it has nothing to run.
const foreignCa = await makeCertificate({ subject: 'CN=Other CA' })
const lookalikeCa = await createAuthority(Date.now())
const refused: [string, PemPair, string][] = [
  [
    'of a foreign CA',
    pem(await makeCertificate({ subject: 'CN=demo-client', ca: false, issuer: foreignCa, usages: [clientAuth] })),
    'not issued by the demo CA',
  ],
  [
    'of a self-made CA of the same name',
    await issueClientCertificate(lookalikeCa, Date.now()),
    'not issued by the demo CA',
  ],
  [
    'of a self-made CA of the same name without key identifiers',
    pem(
      await makeCertificate({
        subject: 'CN=demo-client',
        ca: false,
        issuer: await makeCertificate({ subject: 'CN=svc Demo CA' }),
        usages: [clientAuth],
      }),
    ),
    'not issued by the demo CA',
  ],
  [
    'that signed itself',
    pem(await makeCertificate({ subject: 'CN=demo-client', ca: false, usages: [clientAuth] })),
    'not issued by the demo CA',
  ],
  ['that has expired', await issueClientCertificate(authority, Date.now() - 900 * dayMs), 'expired'],
  ['that is not yet valid', await issueClientCertificate(authority, Date.now() + 3 * dayMs), 'not yet valid'],
  ['of the server itself', { certificate: server.cert, key: server.key }, 'not for client authentication'],
]

t.test('the certificates', async t => {
  const days = (certificate: X509Certificate) =>
    (Date.parse(certificate.validTo) - Date.parse(certificate.validFrom)) / dayMs

  t.test('the CA is valid for ten years [PKI-1]', async t => {
    t.equal(ca.subject, 'CN=svc Demo CA')
    t.equal(ca.issuer, 'CN=svc Demo CA')
    t.ok(ca.ca)
    t.ok(ca.verify(ca.publicKey))
    const until = new Date(ca.validFrom)
    until.setUTCFullYear(until.getUTCFullYear() + 10)
    t.equal(Date.parse(ca.validTo), until.getTime())
    // DER: the extension's OID, critical, then its value: CA true; bits digitalSignature, keyCertSign, cRLSign.
    t.ok(ca.raw.includes(Buffer.from('0603551d130101ff040530030101ff', 'hex')), 'basicConstraints')
    t.ok(ca.raw.includes(Buffer.from('0603551d0f0101ff040403020186', 'hex')), 'keyUsage')
  })

  t.test('the server certificate names this machine and svc [PKI-2]', async t => {
    t.equal(leaf.subject, 'CN=svc')
    t.equal(leaf.subjectAltName, 'DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, DNS:svc')
    t.strictSame(leaf.keyUsage, [serverAuth])
    t.equal(days(leaf), 825)
  })

  t.test("the client certificate is the demo client's [PKI-3]", async t => {
    t.equal(client.subject, 'CN=demo-client\nO=svc Demo')
    t.strictSame(client.keyUsage, [clientAuth])
    t.equal(days(client), 825)
    t.ok(client.checkPrivateKey(createPrivateKey((await pki.client()).key)))
  })

  t.test('all share one profile [PKI-4]', async t => {
    const identifierAt = ca.raw.indexOf(Buffer.from('0603551d0e04160414', 'hex')) + 9
    const authorityKeyIdentifier = Buffer.concat([
      Buffer.from('0603551d23041830168014', 'hex'),
      ca.raw.subarray(identifierAt, identifierAt + 20),
    ])
    for (const certificate of [ca, leaf, client]) {
      t.equal(certificate.publicKey.asymmetricKeyDetails?.namedCurve, 'prime256v1')
      t.ok(certificate.raw.includes(Buffer.from('06082a8648ce3d040302', 'hex')), 'ecdsa-with-SHA256')
      t.match(certificate.serialNumber, /^[4-7][0-9A-F]{31}$/, 'sixteen bytes, positive')
      t.ok(Math.abs(Date.parse(certificate.validFrom) - (startedAt - dayMs)) < 60_000, 'from one day back')
      t.ok(certificate.raw.includes(Buffer.from('0603551d0e0416', 'hex')), 'subjectKeyIdentifier')
      t.equal(
        certificate.raw.includes(authorityKeyIdentifier),
        certificate !== ca,
        "leaves carry the CA's key identifier",
      )
    }
    t.equal(new Set([ca, leaf, client].map(certificate => certificate.serialNumber)).size, 3)
  })

  t.test('a strict verifier accepts the chains [PKI-4]', async t => {
    writeFileSync(join(folder, 'client.crt'), (await pki.client()).certificate)
    for (const [name, purpose] of [
      ['server.crt', 'sslserver'],
      ['client.crt', 'sslclient'],
    ] as const) {
      if (spawnSync('openssl', ['version']).error === undefined) {
        const args = [
          'verify',
          '-x509_strict',
          '-check_ss_sig',
          '-purpose',
          purpose,
          '-CAfile',
          join(folder, 'ca.crt'),
          join(folder, name),
        ]
        t.match(execFileSync('openssl', args).toString(), /: OK/)
      } else {
        t.ok(new X509Certificate(readFileSync(join(folder, name))).checkIssued(ca), 'names and key identifiers agree')
      }
    }
  })

  t.test('a new client pair at every start, and the old one remains valid [PKI-6]', async t => {
    const next = await loadPki({ ...files, state: pkiState() })
    t.not((await next.client()).certificate, (await pki.client()).certificate)
    t.not((await next.client()).key, (await pki.client()).key)
    t.equal(next.clientCertificate({ tlsSocket: null, headerValue: (await pki.client()).certificate }).state, 'valid')
  })
})

/** Starts a TLS server like the HTTPS listener; it sends the result of the check and closes the connection. */
async function startTls(t: Test, versions: { maxVersion?: SecureVersion } = {}) {
  const listener = createServer({
    ...versions,
    cert: server.cert,
    key: server.key,
    ca: [pki.caCertificate],
    requestCert: true,
    rejectUnauthorized: false,
  })
  listener.on('secureConnection', socket => {
    socket.on('error', () => {})
    if (hasRefusedCertificate(socket)) return socket.destroy()
    const seen = pki.clientCertificate({ tlsSocket: socket, headerValue: null })
    socket.end(seen.state === 'valid' ? `${seen.state} ${seen.source} ${seen.certificate.fingerprint256}` : seen.state)
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  t.teardown(() => new Promise(resolve => listener.close(resolve)))
  return (listener.address() as AddressInfo).port
}

/** What one connection receives until it closes; the client verifies the server certificate like any client. */
function talk(
  port: number,
  options: ConnectionOptions = {},
): Promise<{ answer: string; reused: boolean; session: Buffer | undefined }> {
  return new Promise(resolve => {
    let answer = ''
    let session: Buffer | undefined
    let reused = false
    const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ca: [pki.caCertificate], ...options })
    socket.on('secureConnect', () => {
      reused = socket.isSessionReused()
    })
    socket.on('session', ticket => {
      session = ticket
    })
    socket.on('data', chunk => {
      answer += chunk.toString()
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve({ answer, reused, session }))
  })
}

t.test('a client certificate over TLS', async t => {
  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
    t.test(`${maxVersion}: the demo client passes [PKI-18]`, async t => {
      const port = await startTls(t, { maxVersion })
      const { answer } = await talk(port, { cert: (await pki.client()).certificate, key: (await pki.client()).key })
      t.equal(answer, `valid tls ${client.fingerprint256}`)
    })

    for (const [what, { certificate, key }] of refused) {
      t.test(`${maxVersion}: one ${what} gets a closed connection [PKI-18]`, async t => {
        const port = await startTls(t, { maxVersion })
        t.equal((await talk(port, { cert: certificate, key })).answer, '')
        t.equal((await talk(port)).answer, 'none', 'others are served on')
      })
    }

    t.test(`${maxVersion}: a resumed session without a certificate has none [PKI-19]`, async t => {
      const port = await startTls(t, { maxVersion })
      const first = await talk(port)
      t.equal(first.answer, 'none')
      const second = await talk(port, { session: first.session })
      t.ok(second.reused, 'the session is resumed')
      t.equal(second.answer, 'none')
    })

    t.test(`${maxVersion}: a resumed session with a certificate still has it [PKI-18]`, async t => {
      const port = await startTls(t, { maxVersion })
      const pair = { cert: (await pki.client()).certificate, key: (await pki.client()).key }
      const { session } = await talk(port, pair)
      const second = await talk(port, { ...pair, session })
      t.ok(second.reused, 'the session is resumed')
      t.equal(second.answer, `valid tls ${client.fingerprint256}`)
    })
  }

  const socketWith = (certificate: X509Certificate) => ({
    getPeerCertificate: () => certificate.toLegacyObject() as never,
  })

  t.test('takes precedence over the header, even if it is rejected [PKI-20]', async t => {
    const other = await issueClientCertificate(authority, Date.now())
    t.match(pki.clientCertificate({ tlsSocket: socketWith(client), headerValue: other.certificate }), {
      state: 'valid',
      source: 'tls',
      certificate: { fingerprint256: client.fingerprint256 },
    })
    t.strictSame(pki.clientCertificate({ tlsSocket: socketWith(leaf), headerValue: other.certificate }), {
      state: 'refused',
      source: 'tls',
      reason: 'not for client authentication',
    })
  })

  t.test('the header is used if the connection has none [PKI-20]', async t => {
    for (const peer of [{}, null]) {
      const tlsSocket = { getPeerCertificate: () => peer as never }
      t.match(pki.clientCertificate({ tlsSocket, headerValue: (await pki.client()).certificate }), {
        state: 'valid',
        source: 'header',
      })
      t.strictSame(pki.clientCertificate({ tlsSocket, headerValue: null }), { state: 'none' })
    }
  })

  t.test('is rejected from the second after its expiry [PKI-22]', async t => {
    let now = Date.parse(client.validTo)
    const aged = await loadPki({ state: pkiState(), ...files, now: () => now })
    const check = () => aged.clientCertificate({ tlsSocket: socketWith(client), headerValue: null })
    t.equal(check().state, 'valid', 'in its last second')
    now += 1000
    t.strictSame(check(), { state: 'refused', source: 'tls', reason: 'expired' })
    now = Date.parse(client.validFrom) - 1
    t.strictSame(check(), { state: 'refused', source: 'tls', reason: 'not yet valid' })
    now += 1
    t.equal(check().state, 'valid', 'in its first second')
  })
})

t.test('a client certificate in a header', async t => {
  const inHeader = (headerValue: string) => pki.clientCertificate({ tlsSocket: null, headerValue })
  const certificate = (await pki.client()).certificate
  const lines = certificate.trim()
  const der = client.raw.toString('base64')
  const foreign = refused[0]![1].certificate
  const joined = (separator: string) => certificate.trim().split('\n').join(separator)

  const good: [string, string][] = [
    ['PEM, percent-encoded', encodeURIComponent(certificate)],
    [
      'PEM, percent-encoded but for its plus signs and slashes',
      encodeURIComponent(certificate).replaceAll('%2B', '+').replaceAll('%2F', '/'),
    ],
    [
      'PEM, percent-encoded in lower case',
      encodeURIComponent(certificate).replace(/%../g, escape => escape.toLowerCase()),
    ],
    ['PEM, form-encoded', new URLSearchParams({ c: certificate }).toString().slice(2)],
    ['PEM, only its newlines encoded', joined('%0A')],
    ['PEM with CRLF, percent-encoded', encodeURIComponent(joined('\r\n'))],
    ['PEM as it is', certificate],
    ['PEM with CRLF', joined('\r\n')],
    ['PEM with spaces for newlines', joined(' ')],
    ['PEM with tabs for newlines', joined('\t')],
    ['PEM with newlines and spaces, as folded headers have them', joined('\n ')],
    ['PEM with nothing for newlines', joined('')],
    ['PEM with plus signs in its markers', joined('').replace('BEGIN ', 'BEGIN+').replace('END ', 'END+')],
    ['PEM with spaces around it', `  \t${lines} \t`],
    ['PEM, followed by its chain', certificate + pki.caCertificate],
    ['PEM, followed by a foreign one', `${lines}, ${foreign}`],
    ['PEM after explanatory text', `subject=CN = demo-client ${joined(' ')}`],
    ['DER, base64', der],
    ['DER, base64 with spaces around it', ` ${der} `],
    ['DER, base64 in lines', der.replace(/.{64}/g, '$&\n')],
    ['DER, base64 without padding', der.replace(/=+$/, '')],
    ['DER, base64, percent-encoded', encodeURIComponent(der)],
    ['DER, base64 between colons', `:${der}:`],
    ['DER, base64 between colons, percent-encoded', encodeURIComponent(`:${der}:`)],
  ]
  for (const [what, value] of good) {
    t.test(`is read as ${what} [PKI-21]`, async t => {
      t.match(inHeader(value), {
        state: 'valid',
        source: 'header',
        certificate: { fingerprint256: client.fingerprint256 },
      })
      t.match(inHeader(value), { state: 'valid', certificate: { subject: client.subject } }, 'a second time too')
    })
  }

  t.test('survives plus signs, which are common in base64 [PKI-21]', async t => {
    for (let count = 0; count < 8; count++) {
      const { certificate } = await issueClientCertificate(authority, Date.now())
      for (const value of [
        encodeURIComponent(certificate),
        encodeURIComponent(certificate).replaceAll('%2B', '+'),
        certificate.replaceAll('\n', ' '),
      ]) {
        t.equal(inHeader(value).state, 'valid')
      }
    }
  })

  t.test('is absent without a value [PKI-21]', async t => {
    for (const headerValue of [null, '', '  '])
      t.strictSame(pki.clientCertificate({ tlsSocket: null, headerValue }), { state: 'none' })
  })

  t.test('passes without extended key usages, or with clientAuth among several [PKI-22]', async t => {
    for (const usages of [undefined, [serverAuth, clientAuth]]) {
      const made = await makeCertificate({
        subject: 'CN=demo-client',
        ca: false,
        issuer: authority,
        ...(usages ? { usages } : {}),
      })
      t.equal(inHeader(made.certificate.toString()).state, 'valid')
    }
  })

  const refusedInHeader: [string, string, string][] = [
    ...refused.map(([what, pair, reason]): [string, string, string] => [what, pair.certificate, reason]),
    ['of the demo CA itself', pki.caCertificate, 'not for client authentication'],
    ['of a foreign CA itself', foreignCa.certificate.toString(), 'not for client authentication'],
    [
      'of a CA below the demo CA',
      pem(await makeCertificate({ subject: 'CN=demo-client', issuer: authority, usages: [clientAuth] })).certificate,
      'not for client authentication',
    ],
    [
      'for any purpose but this',
      pem(await makeCertificate({ subject: 'CN=demo-client', ca: false, issuer: authority, usages: ['2.5.29.37.0'] }))
        .certificate,
      'not for client authentication',
    ],
    ['with a changed signature', flipped(client.raw, client.raw.length - 5), 'not issued by the demo CA'],
    ['with a changed subject', flipped(client.raw, client.raw.indexOf('demo-client')), 'not issued by the demo CA'],
  ]
  for (const [what, value, reason] of refusedInHeader) {
    t.test(`is rejected if it is one ${what} [PKI-22]`, async t => {
      t.strictSame(inHeader(value), { state: 'refused', source: 'header', reason })
      t.strictSame(inHeader(encodeURIComponent(value)), { state: 'refused', source: 'header', reason })
    })
  }

  const body = joined('').slice('-----BEGIN CERTIFICATE-----'.length, -'-----END CERTIFICATE-----'.length)
  const hostile: [string, string][] = [
    ['text', 'hello'],
    ['an empty PEM', '-----BEGIN CERTIFICATE----------END CERTIFICATE-----'],
    ['a PEM without end', `-----BEGIN CERTIFICATE-----${body}`],
    ['a PEM without begin', `${body}-----END CERTIFICATE-----`],
    ['a PEM whose end comes first', `-----END CERTIFICATE-----${body}-----BEGIN CERTIFICATE-----`],
    ['a private key', (await pki.client()).key],
    ['half a certificate', `-----BEGIN CERTIFICATE-----${body.slice(0, body.length / 2)}-----END CERTIFICATE-----`],
    ['a certificate with bytes behind it', Buffer.concat([client.raw, Buffer.from('00', 'hex')]).toString('base64')],
    ['two certificates of DER', Buffer.concat([client.raw, client.raw]).toString('base64')],
    ['two base64 values', `${der}, ${der}`],
    ['a PEM in base64', Buffer.from(certificate).toString('base64')],
    ['a PEM in a PEM', `-----BEGIN CERTIFICATE-----${certificate}-----END CERTIFICATE-----`],
    [
      'a PEM of a base64 PEM',
      `-----BEGIN CERTIFICATE-----${Buffer.from(certificate).toString('base64')}-----END CERTIFICATE-----`,
    ],
    [
      'a foreign PEM before ours, which counts',
      `-----BEGIN CERTIFICATE-----AAAA-----END CERTIFICATE-----${certificate}`,
    ],
    ['a bad percent escape', '%ZZ'],
    ['a lone percent sign', `${encodeURIComponent(certificate)}%`],
    ['percent escapes that are not UTF-8', '%FF%FE'],
    ['twice encoded', encodeURIComponent(encodeURIComponent(certificate))],
    ['a NUL in the body', joined('').replace(body, `${body.slice(0, 9)}\0${body.slice(9)}`)],
    ['an encoded NUL', `${encodeURIComponent(joined('')).slice(0, 60)}%00${encodeURIComponent(joined('')).slice(60)}`],
    ['base64 of the URL alphabet', `${der.slice(0, 20)}-_${der.slice(22)}`],
    ['colons alone', '::'],
    ['one colon', ':'],
    ['the word null', '(null)'],
    ['100 KB of base64', 'A'.repeat(100_000)],
    ['100 KB of percent signs', '%'.repeat(100_000)],
    ['a good certificate with more than 64 KiB behind it', certificate + 'A'.repeat(65_536)],
    ['64 KiB of base64', 'A'.repeat(65_536)],
    ['64 KiB of escapes', '%41'.repeat(21_845)],
    ['64 KiB of begins', '-----BEGIN CERTIFICATE-----'.repeat(2400)],
    ['64 KiB of almost begins', '-----BEGIN CERTIFICATE----'.repeat(2500)],
    ['64 KiB of ends behind a begin', `-----BEGIN CERTIFICATE-----${'-----END CERTIFICATE----'.repeat(2700)}`],
    ['64 KiB of spaces in a PEM', `-----BEGIN CERTIFICATE-----${' '.repeat(65_000)}x`],
    ['64 KiB of equals signs', `A${'='.repeat(65_000)}`],
    ['64 KiB of nested sequences', Buffer.from('3080'.repeat(24_000), 'hex').toString('base64')],
    ['lone surrogates', '\ud800'.repeat(100)],
  ]
  for (const [what, value] of hostile) {
    t.test(`is rejected if it is ${what} [PKI-23]`, async t => {
      t.strictSame(inHeader(value), { state: 'refused', source: 'header', reason: 'not a certificate' })
    })
  }

  t.test('is still accepted after more others than the cache holds [PKI-23]', async t => {
    t.equal(inHeader(der).state, 'valid')
    for (let count = 0; count < 300; count++)
      t.equal(inHeader(Buffer.from(`certificate ${count}`).toString('base64')).state, 'refused')
    t.equal(inHeader(der).state, 'valid')
  })

  t.test('is rejected after a change of any of its bytes [PKI-23]', async t => {
    for (let at = 0; at < client.raw.length; at += 3) {
      const seen = inHeader(flipped(client.raw, at))
      if (seen.state !== 'refused') t.fail(`byte ${at}`)
    }
  })
})

/** Base64 of the bytes, with one bit changed. */
function flipped(der: Buffer, at: number): string {
  const copy = Buffer.from(der)
  copy[at] = (copy[at] ?? 0) ^ 1
  return copy.toString('base64')
}
