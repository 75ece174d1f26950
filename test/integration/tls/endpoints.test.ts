/** TLS endpoints by server name, tried with Node. */
import t from 'tap'
import { once } from 'node:events'
import { connect, type ConnectionOptions } from 'node:tls'
import { KINDS } from '../../../plugins/tls/kinds.ts'
import { serve } from '../../support/server.ts'

const server = await serve(t, { yaml: 'plugins: { enable: [tls, auth] }\ntls: { slow_ms: 200 }\n' })
const get = async (path: string): Promise<string> => (await fetch(server.url + path)).text()
const ca = await get('/tls/ca.pem')

/** Errors of OpenSSL for which Node has no code. */
const NO_CODE = new Set(['PERMITTED_VIOLATION', 'CA_MD_TOO_WEAK'])

/** What the endpoint says to `GET /tls`, or the code of the error. */
async function outcome(servername: string, options: ConnectionOptions = {}): Promise<Record<string, unknown> | string> {
  const socket = connect({ host: '127.0.0.1', port: server.ports.https!, servername, ca, timeout: 20_000, ...options })
  const failed = new Promise<string>(resolve => {
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    socket.on('timeout', () => (socket.destroy(), resolve('ETIMEDOUT')))
  })
  const answered = (async () => {
    await once(socket, 'secureConnect')
    socket.write('GET /tls HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    let text = ''
    for await (const chunk of socket) text += chunk
    const start = text.indexOf('{')
    return start === -1 ? 'ECONNRESET' : (JSON.parse(text.slice(start)) as Record<string, unknown>)
  })().catch((error: NodeJS.ErrnoException) => error.code ?? error.message)
  return Promise.race([failed, answered]).finally(() => socket.destroy())
}

t.test('each endpoint is accepted or refused as it says [TLSZ-1]', async t => {
  const { endpoints } = JSON.parse(await get('/_svc/tls')) as {
    endpoints: { kind: string; server_name: string; expect: string; error?: string }[]
  }
  t.strictSame(
    endpoints.map(({ kind }) => kind),
    Object.keys(KINDS),
  )
  for (const { kind, server_name, expect, error } of endpoints) {
    const result = await outcome(server_name, kind === 'stall' ? { timeout: 1000 } : {})
    if (expect === 'ok') t.match(result, { kind, server_name }, kind)
    else if (expect === 'fail') t.type(result, 'string', kind)
    if (expect === 'fail' && error !== undefined && !/^(?:EPROTO|ERR_SSL)/.test(error))
      t.ok(result === error || (result === 'UNSPECIFIED' && NO_CODE.has(error)), `${kind}: ${String(result)}`)
  }
})

t.test('the certificate carries the name that was requested [TLSZ-1]', async t => {
  t.match(await outcome('good.tls.demo.example.com'), { kind: 'good', server_name: 'good.tls.demo.example.com' })
  t.match(await outcome('wildcard.tls.svc'), { kind: 'wildcard' })
  t.equal(await outcome('expired.tls.svc'), 'CERT_HAS_EXPIRED')
  t.match(await outcome('tls1.2.tls.localhost'), { protocol: 'TLSv1.2' })
  t.match(await outcome('localhost'), { kind: null, server_name: 'localhost' })
})

t.test('other names below .tls. get the alert unrecognized_name [TLSZ-2]', async t => {
  for (const name of [
    'nope.tls.localhost',
    'good_x.tls.localhost',
    'constructor.tls.x',
    `good.tls.${'a'.repeat(60)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(54)}.e`,
  ])
    t.match(await outcome(name), /UNRECOGNIZED_NAME/, name)
})

t.test('client certificates [TLSZ-3]', async t => {
  const { cert_pem, key_pem } = JSON.parse(await get('/auth/mtls/get-client-cert')) as {
    cert_pem: string
    key_pem: string
  }
  const own = { cert: cert_pem, key: key_pem }
  t.match(await outcome('client-cert-required.tls.localhost', own), {
    client_certificate: { issuer: 'CN=svc Demo CA' },
  })
  t.match(await outcome('client-cert-optional.tls.localhost'), { client_certificate: null })
  t.type(await outcome('client-cert-wrong-ca.tls.localhost', own), 'string')
})

t.test('ALPN [TLSZ-3]', async t => {
  const http1 = { ALPNProtocols: ['http/1.1'] }
  t.match(await outcome('alpn-mismatch.tls.localhost', http1), /NO_APPLICATION_PROTOCOL/)
  t.match(await outcome('alpn-h2-only.tls.localhost', http1), /NO_APPLICATION_PROTOCOL/)
  t.match(await outcome('alpn-http1-only.tls.localhost', http1), { alpn: 'http/1.1' })
  t.match(await outcome('no-alpn.tls.localhost', http1), { alpn: null })
})

t.test('the certificates of an endpoint can be downloaded [TLSZ-4]', async t => {
  t.equal((await get('/tls/complete-chain.pem')).match(/BEGIN CERTIFICATE/g)?.length, 2)
  t.equal((await get('/tls/long-chain.pem')).match(/BEGIN CERTIFICATE/g)?.length, 11)
  t.notMatch(await get('/tls/good.pem'), /PRIVATE/)
  t.match(await get('/tls/tls1.2.pem'), /BEGIN CERTIFICATE/)
  t.match(await get('/tls/intermediate.pem'), /BEGIN CERTIFICATE/)
  t.equal((await fetch(`${server.url}/tls/nope.pem`)).status, 404)
  t.match(JSON.parse(await get('/tls')), { kind: null, protocol: null })
})
