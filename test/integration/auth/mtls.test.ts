/** `/auth/mtls`: certificates of TLS connections and in the header of gateways. */
import t from 'tap'
import { readFileSync } from 'node:fs'
import { X509Certificate, createPrivateKey } from 'node:crypto'
import { join } from 'node:path'
import { Agent, fetch as undiciFetch } from 'undici'
import { call } from '../../support/oauth.ts'
import { keyPem, makeCertificate } from '../../support/certificates.ts'
import { serve } from '../../support/server.ts'

const header = 'X-Client-Cert'
const server = await serve(t, { env: { SVC_MTLS_IN_HEADER: header } })
const plain = await serve(t)
const url = (path = '') => `${server.url}/auth/mtls${path}`
const client = (await call(url('/get-client-cert'))).body as unknown as {
  cert_pem: string
  key_pem: string
  usage: string
}
const ca = (await call(url('/get-ca-cert'))).body as unknown as { ca_cert_pem: string; usage: string }
const der = new X509Certificate(client.cert_pem).raw.toString('base64')
const clientAuth = '1.3.6.1.5.5.7.3.2'
const serverAuth = '1.3.6.1.5.5.7.3.1'
const folder = join(server.folder, 'certs')
const authority = {
  certificate: new X509Certificate(readFileSync(join(folder, 'ca.crt'))),
  key: createPrivateKey(readFileSync(join(folder, 'ca.key'))),
}

/** The response of `/auth/mtls` over TLS with this client certificate; rejects if the connection is closed. */
async function overTls(
  target: typeof server,
  pair: { cert: string; key: string } | null,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  const dispatcher = new Agent({
    connect: { ca: (await call(`${target.url}/auth/mtls/get-ca-cert`)).body.ca_cert_pem as string, ...pair },
  })
  try {
    const response = await undiciFetch(`${target.httpsUrl}/auth/mtls`, { dispatcher, headers })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  } finally {
    await dispatcher.destroy()
  }
}
const pair = { cert: client.cert_pem, key: client.key_pem }
const forwarded = (value: string) => call(url(), { headers: { [header]: value } })

t.test('over TLS: returns the certificate of the connection [AUTH-13]', async t => {
  const { status, body } = await overTls(server, pair)
  const certificate = new X509Certificate(client.cert_pem)
  t.equal(status, 200)
  t.strictSame(body, {
    authenticated: true,
    auth_type: 'mtls',
    source: 'tls',
    client_dn: 'CN=demo-client, O=svc Demo',
    client_ca: 'CN=svc Demo CA',
    claims: {
      serial: certificate.serialNumber.toUpperCase(),
      not_before: new Date(certificate.validFrom).toISOString(),
      not_after: new Date(certificate.validTo).toISOString(),
      sha256_fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
      source: 'tls',
    },
  })
})

t.test('over TLS: the certificate of the connection takes precedence over the header [AUTH-13]', async t => {
  t.equal((await overTls(server, pair, { [header]: 'nonsense' })).body.source, 'tls')
  const { status, body } = await overTls(server, null, { [header]: encodeURIComponent(client.cert_pem) })
  t.strictSame(
    [status, body.source, body.header, (body.claims as Record<string, unknown>).source],
    [200, 'header', header, 'header'],
  )
})

t.test('over TLS: certificates of another CA get no response [AUTH-15]', async t => {
  const foreignCa = await makeCertificate({ subject: 'CN=Foreign CA' })
  const lookAlike = await makeCertificate({ subject: 'CN=svc Demo CA' })
  const rows = {
    'foreign CA': await makeCertificate({
      subject: 'CN=demo-client',
      ca: false,
      issuer: foreignCa,
      usages: [clientAuth],
    }),
    'self-signed': await makeCertificate({ subject: 'CN=demo-client, O=svc Demo', ca: false, usages: [clientAuth] }),
    'look-alike CA': await makeCertificate({
      subject: 'CN=demo-client, O=svc Demo',
      ca: false,
      issuer: lookAlike,
      usages: [clientAuth],
    }),
    expired: await makeCertificate({
      subject: 'CN=demo-client',
      ca: false,
      issuer: authority,
      usages: [clientAuth],
      notAfter: new Date(Date.now() - 1000),
    }),
    'no clientAuth': await makeCertificate({
      subject: 'CN=demo-client',
      ca: false,
      issuer: authority,
      usages: [serverAuth],
    }),
  }
  for (const [what, { certificate, key }] of Object.entries(rows))
    await t.rejects(overTls(server, { cert: certificate.toString(), key: keyPem(key) }), what)
  t.equal((await overTls(server, null)).status, 401, 'a connection without a certificate gets a response')
})

t.test('the header can have every encoding [AUTH-14]', async t => {
  const pem = client.cert_pem.trim()
  const rows: Record<string, string> = {
    'percent-encoded': encodeURIComponent(client.cert_pem),
    'percent-encoded, lower case': encodeURIComponent(client.cert_pem).replace(/%[\dA-F]{2}/g, escape =>
      escape.toLowerCase(),
    ),
    'percent-encoded line ends alone': pem.replaceAll('\n', '%0A'),
    'percent-encoded, CRLF': encodeURIComponent(pem.replaceAll('\n', '\r\n')),
    'percent-encoded, plus for blank': encodeURIComponent(pem).replaceAll('%20', '+'),
    'spaces for line ends': pem.replaceAll('\n', ' '),
    'tabs for line ends': pem.replaceAll('\n', '\t'),
    'nothing for line ends': pem.replaceAll('\n', ''),
    'chain, first one counts': encodeURIComponent(client.cert_pem + ca.ca_cert_pem),
    'base64 DER': der,
    'base64 DER, percent-encoded': encodeURIComponent(der),
    'RFC 9440': `:${der}:`,
    'spaces around': `  ${der}  `,
  }
  for (const [what, value] of Object.entries(rows)) {
    const { status, body } = await forwarded(value)
    t.strictSame(
      [status, body.source, body.header, body.client_dn],
      [200, 'header', header, 'CN=demo-client, O=svc Demo'],
      what,
    )
  }
  t.equal((await call(url(), { headers: { [header.toLowerCase()]: der } })).body.header, header, 'named as configured')
})

t.test('invalid certificates in the header are rejected with the reason [AUTH-15]', async t => {
  const foreignCa = await makeCertificate({ subject: 'CN=Foreign CA' })
  const lookAlike = await makeCertificate({ subject: 'CN=svc Demo CA' })
  const issue = async (request: Parameters<typeof makeCertificate>[0]) =>
    (await makeCertificate({ ca: false, usages: [clientAuth], ...request })).certificate.raw.toString('base64')
  const flipped = Buffer.from(der, 'base64')
  flipped[flipped.length - 1]! ^= 1
  const hour = 3_600_000
  const rows: [what: string, value: string, reason: string][] = [
    ['text', 'hello', 'not a certificate'],
    ['empty PEM', '-----BEGIN CERTIFICATE----------END CERTIFICATE-----', 'not a certificate'],
    ['no end', '-----BEGIN CERTIFICATE-----AAAA', 'not a certificate'],
    ['bad escape', '%ZZ', 'not a certificate'],
    ['half an escape', 'abc%', 'not a certificate'],
    ['cut', der.slice(0, 100), 'not a certificate'],
    ['private key', encodeURIComponent(client.key_pem), 'not a certificate'],
    ['colons', '::', 'not a certificate'],
    ['flipped byte', flipped.toString('base64'), 'not issued by the demo CA'],
    ['foreign CA', await issue({ subject: 'CN=demo-client', issuer: foreignCa }), 'not issued by the demo CA'],
    [
      'look-alike CA',
      await issue({ subject: 'CN=demo-client, O=svc Demo', issuer: lookAlike }),
      'not issued by the demo CA',
    ],
    [
      'self-made with the same names',
      await issue({ subject: 'CN=demo-client, O=svc Demo' }),
      'not issued by the demo CA',
    ],
    ['expired', await issue({ subject: 'CN=x', issuer: authority, notAfter: new Date(Date.now() - hour) }), 'expired'],
    [
      'not yet valid',
      await issue({
        subject: 'CN=x',
        issuer: authority,
        notBefore: new Date(Date.now() + hour),
        notAfter: new Date(Date.now() + 2 * hour),
      }),
      'not yet valid',
    ],
    [
      'server certificate',
      new X509Certificate(readFileSync(join(folder, 'server.crt'))).raw.toString('base64'),
      'not for client authentication',
    ],
    ['the CA itself', new X509Certificate(ca.ca_cert_pem).raw.toString('base64'), 'not for client authentication'],
  ]
  for (const [what, value, reason] of rows) {
    const { status, body } = await forwarded(value)
    t.strictSame([status, body], [401, { authenticated: false, error: `invalid_certificate: ${reason}` }], what)
  }
  t.equal(
    (await forwarded(await issue({ subject: 'CN=any', issuer: authority, usages: undefined }))).status,
    200,
    'without extended usages it is for everything',
  )
})

t.test('the error of a missing certificate explains how to send it [AUTH-15] [AUTH-4]', async t => {
  for (const headers of [{}, { [header]: '' }, { [header]: '  ' }] as Record<string, string>[]) {
    t.strictSame((await call(url(), { headers })).body, {
      authenticated: false,
      error: `unauthorized: no client certificate (use the TLS connection or the header ${header})`,
    })
  }
  const { status, body } = await call(`${plain.url}/auth/mtls`, { headers: { [header]: der } })
  t.strictSame(
    [status, body],
    [
      401,
      {
        authenticated: false,
        error: 'unauthorized: no client certificate (use the HTTPS listener or set SVC_MTLS_IN_HEADER)',
      },
    ],
  )
})

t.test('CA and client can be downloaded, and stay the same [AUTH-16]', async t => {
  t.strictSame(Object.keys(ca), ['ca_cert_pem', 'usage'])
  t.strictSame(Object.keys(client), ['cert_pem', 'key_pem', 'usage'])
  t.match(client.key_pem, /^-----BEGIN PRIVATE KEY-----\n/)
  t.match(
    client.usage,
    `curl --cacert ca.crt --cert client.pem ${server.httpsUrl.replace('localhost', '127.0.0.1')}/auth/mtls`,
  )
  t.strictSame((await call(url('/get-client-cert'))).body, client)
  t.ok(new X509Certificate(client.cert_pem).checkPrivateKey(createPrivateKey(client.key_pem)))
  for (const [path, name, content] of [
    ['/get-ca-cert', 'ca.crt', ca.ca_cert_pem],
    ['/get-client-cert', 'client.pem', client.cert_pem + client.key_pem],
  ] as const) {
    const { status, headers, text } = await call(url(`${path}?format=pem`))
    t.strictSame(
      [status, headers.get('content-type'), headers.get('content-disposition'), text],
      [200, 'application/x-pem-file', `attachment; filename="${name}"`, content],
    )
    t.equal((await call(url(`${path}?format=x`))).headers.get('content-type'), 'application/json; charset=utf-8')
  }
})

t.test('the downloaded file can be used as certificate and key [AUTH-16]', async t => {
  const { status } = await overTls(server, {
    cert: (await call(url('/get-client-cert?format=pem'))).text,
    key: (await call(url('/get-client-cert?format=pem'))).text,
  })
  t.equal(status, 200, 'certificate and key from one file')
})

t.test('certificates that a gateway must refuse have the subject of the valid one [AUTH-16]', async t => {
  const pairOf = async (kind: string): Promise<{ cert: string; key: string }> => {
    const { body } = await call(url(`/get-client-cert?kind=${kind}`))
    const { cert_pem: cert, key_pem: key } = body as { cert_pem: string; key_pem: string }
    return { cert, key }
  }
  for (const kind of ['expired', 'self-signed']) {
    const { cert } = await pairOf(kind)
    t.equal(new X509Certificate(cert).subject, new X509Certificate(client.cert_pem).subject)
    t.strictSame(await pairOf(kind), await pairOf(kind), 'they stay the same')
    await t.rejects(overTls(server, await pairOf(kind)), kind)
  }
  t.ok(Date.parse(new X509Certificate((await pairOf('expired')).cert).validTo) < Date.now())
  t.not(new X509Certificate((await pairOf('self-signed')).cert).issuer, new X509Certificate(ca.ca_cert_pem).subject)
  t.strictSame(await pairOf('valid'), { cert: client.cert_pem, key: client.key_pem })
  t.match(await call(url('/get-client-cert?kind=x')), { status: 400, body: { error: 'invalid_parameter' } })
})

t.test('a gateway gets a certificate for localhost [AUTH-16]', async t => {
  const { body } = await call(url('/get-server-cert'))
  const { cert_pem: cert, key_pem: key } = body as { cert_pem: string; key_pem: string }
  const certificate = new X509Certificate(cert)
  t.ok(
    certificate.checkHost('localhost') &&
      certificate.checkIP('127.0.0.1') &&
      certificate.checkPrivateKey(createPrivateKey(key)),
  )
  t.ok(certificate.checkIssued(new X509Certificate(ca.ca_cert_pem)))
  t.equal((await call(url('/get-server-cert?format=pem'))).text, cert + key)
})
