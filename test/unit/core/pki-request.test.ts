/** The client certificate of a request as seen by plugins, over each HTTP version. */
import t from 'tap'
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { get as httpGet, type IncomingMessage } from 'node:http'
import { connect } from 'node:http2'
import { get as httpsGet } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { loadPki } from '../../../core/pki/pki.ts'
import { createSvcPki } from '../../../core/host/svc/pki.ts'
import { pkiState } from '../../support/pki-state.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-pki-'))
t.teardown(() => rmSync(folder, { recursive: true }))
const pki = await loadPki({
  state: pkiState(),
  tlsCert: join(folder, 'server.crt'),
  tlsKey: join(folder, 'server.key'),
})
if ('error' in pki.server) throw new Error(pki.server.error)
const svcPki = createSvcPki(pki, 'X-Client-Cert')

async function answer(request: FastifyRequest, reply: FastifyReply) {
  const seen = svcPki.clientCertificate(request)
  return reply.send(seen.state === 'none' ? 'none' : `${seen.state} ${seen.source}`)
}

const secure = fastify({
  http2: true,
  https: {
    allowHTTP1: true,
    cert: pki.server.cert,
    key: pki.server.key,
    ca: pki.caCertificate,
    requestCert: true,
    rejectUnauthorized: false,
  },
})
secure.get('/', (request, reply) => answer(request as unknown as FastifyRequest, reply as unknown as FastifyReply))
const plain = fastify()
plain.get('/', answer)
const plainHttp2 = fastify({ http2: true })
plainHttp2.get('/', (request, reply) => answer(request as unknown as FastifyRequest, reply as unknown as FastifyReply))
for (const app of [secure, plain, plainHttp2]) {
  await app.listen({ port: 0, host: '127.0.0.1' })
  t.teardown(() => app.close())
}
const portOf = (app: { server: { address(): AddressInfo | string | null } }) =>
  (app.server.address() as AddressInfo).port

interface Sent {
  headers?: Record<string, string>
  cert?: string
  key?: string
}

const overHttp1 = async ({ headers = {}, ...pair }: Sent) => {
  const [response] = (await once(
    httpsGet({
      port: portOf(secure),
      host: '127.0.0.1',
      servername: 'localhost',
      ca: pki.caCertificate,
      agent: false,
      headers,
      ...pair,
    }),
    'response',
  )) as [IncomingMessage]
  return text(response)
}
const overPlainHttp1 = async ({ headers = {} }: Sent) => {
  const [response] = (await once(
    httpGet({ port: portOf(plain), host: '127.0.0.1', agent: false, headers }),
    'response',
  )) as [IncomingMessage]
  return text(response)
}
async function overHttp2({ headers = {}, ...pair }: Sent, url = `https://127.0.0.1:${portOf(secure)}`) {
  const session = connect(url, { ca: pki.caCertificate, servername: 'localhost', ...pair })
  try {
    return await text(session.request({ ':path': '/', ...headers }))
  } finally {
    session.close()
  }
}
const overPlainHttp2 = (sent: Sent) => overHttp2(sent, `http://127.0.0.1:${portOf(plainHttp2)}`)

const pair = { cert: (await pki.client()).certificate, key: (await pki.client()).key }
const headers = { 'x-client-cert': encodeURIComponent((await pki.client()).certificate) }

for (const [what, send] of [
  ['HTTPS', overHttp1],
  ['HTTP/2', overHttp2],
] as const) {
  t.test(`${what}: comes from the connection, else from the header [PKI-20]`, async t => {
    t.equal(await send({}), 'none')
    t.equal(await send(pair), 'valid tls')
    t.equal(await send({ headers }), 'valid header')
    t.equal(await send({ ...pair, headers: { 'x-client-cert': 'hello' } }), 'valid tls')
    t.equal(await send({ headers: { 'x-client-cert': 'hello' } }), 'refused header')
  })
}

for (const [what, send] of [
  ['HTTP', overPlainHttp1],
  ['HTTP/2 without TLS', overPlainHttp2],
] as const) {
  t.test(`${what}: comes from the header [PKI-20]`, async t => {
    t.equal(await send({}), 'none')
    t.equal(await send({ headers }), 'valid header')
  })
}

t.test('a header is used only if it is configured [PKI-20]', async t => {
  const unaware = createSvcPki(pki, null)
  t.strictSame(unaware.clientCertificate({ raw: { socket: {}, headers } } as unknown as FastifyRequest), {
    state: 'none',
  })
})
