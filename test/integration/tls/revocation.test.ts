/** Revoked certificates, stapled OCSP responses, and the addresses in certificates, tried with Node. */
import t from 'tap'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls'
import { serve } from '../../support/server.ts'

const server = await serve(t, { yaml: 'plugins: { enable: [tls] }\n' })
const bytes = async (path: string, init?: RequestInit): Promise<Buffer> =>
  Buffer.from(await (await fetch(server.url + path, init)).arrayBuffer())
const ca = (await bytes('/tls/ca.pem')).toString()

const toPem = (label: string, der: Buffer): string =>
  `-----BEGIN ${label}-----\n${der.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END ${label}-----\n`

/** The certificate, how Node judged it, and the stapled response. */
async function meet(kind: string, options: ConnectionOptions & { requestOCSP?: boolean } = {}) {
  const servername = `${kind}.tls.localhost`
  const socket = connect({ port: server.ports.https!, servername, ca, rejectUnauthorized: false, ...options })
  let staple: Buffer | null = null
  socket.on('OCSPResponse', (response: Buffer | null) => (staple = response))
  await once(socket, 'secureConnect')
  const certificate = socket.getPeerX509Certificate()!
  socket.destroy()
  return { socket, staple: staple as Buffer | null, certificate }
}

t.test('a client with the CRL refuses the endpoint revoked only [TLSZ-5]', async t => {
  await meet('revoked')
  const response = await fetch(`${server.url}/tls/crl`)
  t.equal(response.headers.get('content-type'), 'application/pkix-crl')
  const crl = toPem('X509 CRL', Buffer.from(await response.arrayBuffer()))
  const judge = async (kind: string): Promise<string | null> =>
    ((await meet(kind, { crl })).socket as TLSSocket & { authorizationError: string | null }).authorizationError
  t.equal(await judge('revoked'), 'CERT_REVOKED')
  t.equal(await judge('good'), null)
  t.equal(await judge('staple-missing'), null)
})

t.test('endpoints staple when asked, except staple-missing [TLSZ-5]', async t => {
  const asked = { requestOCSP: true }
  const [revoked, good] = await Promise.all([meet('revoked', asked), meet('good', asked)])
  const serial = ({ certificate }: { certificate: X509Certificate }): Buffer =>
    Buffer.from(certificate.serialNumber, 'hex')
  t.ok(revoked.staple!.includes(serial(revoked)))
  t.ok(good.staple!.includes(serial(good)))
  t.equal((await meet('staple-missing', asked)).staple, null)
  t.ok((await meet('staple-missing')).certificate.raw.includes(Buffer.from('3003020105', 'hex')), 'must-staple')
  t.equal((await meet('good')).staple, null)
  t.equal((await meet('complete-chain', asked)).staple, null, 'the intermediate CA has no responder')
})

t.test('certificates of the demo CA have the addresses of CRL, responder and CA [TLSZ-6]', async t => {
  const { infoAccess, raw } = (await meet('good')).certificate
  t.equal(
    infoAccess,
    `OCSP - URI:http://localhost:${server.ports.http}/tls/ocsp\nCA Issuers - URI:http://localhost:${server.ports.http}/tls/ca.crt`,
  )
  t.ok(raw.includes(Buffer.from(`http://localhost:${server.ports.http}/tls/crl`)))
  t.strictSame(new X509Certificate(await bytes('/tls/ca.crt')).raw, new X509Certificate(ca).raw)
  const incomplete = (await meet('incomplete-chain')).certificate
  t.equal(incomplete.infoAccess, `CA Issuers - URI:http://localhost:${server.ports.http}/tls/intermediate.crt`)
  t.ok(incomplete.checkIssued(new X509Certificate(await bytes('/tls/intermediate.crt'))))
  t.equal((await meet('unknown-ca')).certificate.infoAccess, undefined)
})

t.test('base_url replaces the address of the HTTP port [TLSZ-6]', async t => {
  const { ports } = await serve(t, {
    yaml: 'plugins: { enable: [tls] }\ntls: { base_url: "http://svc.example:81/x" }\n',
  })
  const { infoAccess } = (await meet('good', { port: ports.https! })).certificate
  t.match(infoAccess, 'http://svc.example:81/x/tls/ocsp')
})

t.test('a request that cannot be read gets malformedRequest [TLSZ-7]', async t => {
  const MALFORMED = '30030a0101'
  for (const body of ['', 'x', Buffer.alloc(4096, 0x30)])
    t.equal((await bytes('/tls/ocsp', { method: 'POST', body })).toString('hex'), MALFORMED)
  for (const path of ['AAAA', '%2F%2F', '', 'A'.repeat(9000), '%FF'])
    t.match((await bytes(`/tls/ocsp/${path}`)).toString('hex'), path === '%FF' ? /^7b/ : MALFORMED, path.slice(0, 10))
  t.equal((await fetch(`${server.url}/tls/ocsp`, { method: 'POST', body: Buffer.alloc(5000) })).status, 413)
})
