/** Gateways of TLS: with client certificates, with certificates of their own, and without looking into what they forward. */
import { request as sendPlain } from 'node:http'
import { createServer as createHttpsServer, request as sendSecured } from 'node:https'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, connect as connectTls, type TLSSocket } from 'node:tls'
import { readServerName } from '../../core/http/sockets/tls-names.ts'
import { answer } from './demo-gateways.ts'
import type { Handler, OwnGateway, ProxyRequest } from './demo-proxy.ts'

interface Pair {
  cert: string
  key: string
}

async function demoCa(upstream: string): Promise<string> {
  const response = await fetch(`${upstream}/auth/mtls/get-ca-cert?format=pem`)
  return response.text()
}

async function pairOf(upstream: string, whose: 'client' | 'server'): Promise<Pair> {
  const response = await fetch(`${upstream}/auth/mtls/get-${whose}-cert`)
  const { cert_pem: cert, key_pem: key } = (await response.json()) as { cert_pem: string; key_pem: string }
  return { cert, key }
}

async function securedPort(upstream: string): Promise<number> {
  const response = await fetch(`${upstream}/_svc/status`)
  const { ports } = (await response.json()) as { ports: { https: number } }
  return ports.https
}

/**
 * Requires a certificate of the demo CA, and forwards its subject. Mistakes: `anyCa` takes every certificate, `keepsHeader` the
 * subject that the client claims.
 */
export function clientCertificates({ anyCa = false, keepsHeader = false } = {}): OwnGateway {
  return async (t, upstream) => {
    const { hostname: host, port } = new URL(upstream)
    const tls = { ...(await pairOf(upstream, 'server')), ca: await demoCa(upstream), requestCert: true }
    const server = createHttpsServer({ ...tls, rejectUnauthorized: !anyCa }, (request, response) => {
      const subject = (request.socket as TLSSocket).getPeerX509Certificate()?.subject
      if (subject === undefined) return void response.writeHead(400).end()
      const { headers } = request
      if (!keepsHeader || headers['x-client-dn'] === undefined) headers['x-client-dn'] = subject.replaceAll('\n', ', ')
      const sent = sendPlain({ host, port, method: request.method, path: request.url, headers, agent: false }, got => {
        response.writeHead(got.statusCode!, got.headers)
        got.pipe(response)
      })
      sent.on('error', () => response.destroy()).end()
    })
    server.on('tlsClientError', (_, socket) => socket.destroy())
    return urlOf(t, server, 'https')
  }
}

/** Speaks TLS with svc, and presents a certificate. `trustsAll`: the mistake; the certificate of svc does not matter. */
export function certificateOfGateway(upstream: string, { trustsAll = false } = {}): Handler {
  const facts = Promise.all([pairOf(upstream, 'client'), demoCa(upstream), securedPort(upstream)])
  return async request => {
    const [pair, ca, port] = await facts
    const servername = request.path.startsWith('/expired') ? 'expired.tls.svc' : 'good.tls.svc'
    const tls = { ...pair, ca, servername, rejectUnauthorized: !trustsAll }
    return new Promise(resolve => {
      const { method, path, headers } = request as ProxyRequest & { headers: Record<string, string> }
      sendSecured({ host: '127.0.0.1', port, method, path, headers, ...tls, agent: false }, async response => {
        const chunks: Buffer[] = []
        for await (const chunk of response) chunks.push(chunk as Buffer)
        resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks) })
      })
        .on('error', () => resolve(answer(502, 'no connection to the upstream')))
        .end()
    })
  }
}

const ROUTED = ['good.tls.svc', 'tls1.2.tls.svc']

/** Forwards connections by their server name. Mistakes: `all` forwards every name, `ends` ends TLS and begins it again. */
export function passthrough({ all = false, ends = false } = {}): OwnGateway {
  return async (t, upstream) => {
    const port = await securedPort(upstream)
    const open = (socket: Socket, to: (port: number) => Socket): void => {
      const other = to(port)
      for (const [one, peer] of [
        [socket, other],
        [other, socket],
      ] as const)
        one.on('error', () => peer.destroy()).on('close', () => peer.destroy())
      socket.pipe(other).pipe(socket)
    }
    if (ends) {
      const server = createTlsServer(await pairOf(upstream, 'server'), socket => {
        const { servername } = socket as TLSSocket & { servername: string }
        open(socket, to => connectTls({ host: '127.0.0.1', port: to, servername, rejectUnauthorized: false }))
      })
      return urlOf(t, server, 'https')
    }
    const server = createServer(socket =>
      readServerName(socket, name => {
        if (!all && !ROUTED.includes(name ?? '')) return void socket.destroy()
        open(socket, to => connect(to, '127.0.0.1'))
      }),
    )
    return urlOf(t, server, 'https')
  }
}

async function urlOf(t: Parameters<OwnGateway>[0], server: Server, scheme: string): Promise<string> {
  const sockets = new Set<Socket>()
  server.on('connection', socket => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`
}
