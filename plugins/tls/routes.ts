/** `/tls`: the connection of the request, certificates, and the list of endpoints. */
import { describe, refusal, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'svc/plugin'
import { createSecureContext, type TLSSocket } from 'node:tls'
import { contextOptions } from './handshakes.ts'
import { KIND, type EndpointParts } from './endpoint.ts'
import { KINDS } from './kinds.ts'
import { SVC_TLS, TLS, TLS_CA_PEM } from './replies.ts'

const CATEGORY = 'TLS'

/** Registers the routes. */
export function registerRoutes(app: FastifyInstance, parts: EndpointParts): void {
  const { svc } = parts
  svc.use('control.tools').tool({ name: 'list_tls', operation: { method: 'GET', path: '/_svc/tls' } })
  app.get(
    '/tls',
    describe({
      category: CATEGORY,
      summary: 'Show the TLS connection of the request',
      reply: TLS,
      responses: { 200: { description: 'Kind, server name, protocol, cipher, ALPN and client certificate' } },
      examples: [{ name: 'This connection', path: '/tls', expectStatus: 200 }],
    }),
    request => describeConnection(request),
  )
  app.get(
    '/_svc/tls',
    describe({
      category: CATEGORY,
      summary: 'List the TLS endpoints',
      reply: SVC_TLS,
      description: 'What each endpoint does, what a correct client says, and commands that try it.',
      responses: { 200: { description: 'The endpoints' } },
      examples: [{ name: 'All', path: '/_svc/tls', expectStatus: 200 }],
    }),
    async request => {
      const port = svc.instance.ports().https
      const ca = svc.http.url(request, '/tls/ca.pem')
      const endpoints = await Promise.all(
        Object.entries(KINDS).map(async ([kind, { description, expect, error }]) => {
          const name = `${kind}.tls.localhost`
          return {
            kind,
            description,
            server_name: name,
            port: parts.ports.get(kind)?.() ?? null,
            expect,
            ...(error !== undefined && { error }),
            available: await isAvailable(kind, parts),
            curl: `curl --resolve ${name}:${port}:127.0.0.1 --cacert <(curl -s ${ca}) https://${name}:${port}/tls`,
            openssl: `printf 'GET /tls HTTP/1.0\\r\\n\\r\\n' | openssl s_client -quiet -verify_return_error -connect 127.0.0.1:${port} -servername ${name} -verify_hostname ${name} -CAfile <(curl -s ${ca})`,
          }
        }),
      )
      return { suffix: '.tls.<anything>', https_port: port, ca, endpoints }
    },
  )
  app.get(
    '/tls/ca.pem',
    describe({
      category: CATEGORY,
      summary: 'Get the certificate of the demo CA',
      reply: TLS_CA_PEM,
      responses: { 200: { description: 'PEM' } },
      examples: [{ name: 'CA', path: '/tls/ca.pem', expectStatus: 200 }],
    }),
    (_request, reply) => sendPem(reply, svc.pki.caCertificate),
  )
  app.get(
    '/tls/intermediate.pem',
    describe({
      category: CATEGORY,
      summary: 'Get the intermediate certificate',
      reply: TLS_CA_PEM,
      description: 'The one that `incomplete-chain` does not send.',
      responses: { 200: { description: 'PEM' } },
      examples: [{ name: 'Intermediate', path: '/tls/intermediate.pem', expectStatus: 200 }],
    }),
    async (_request, reply) => sendPem(reply, (await parts.findAuthority('intermediate')).certificate),
  )
  app.get<{ Params: { kind: string } }>(
    '/tls/:kind.pem',
    describe({
      category: CATEGORY,
      summary: 'Get the certificates of an endpoint',
      reply: TLS_CA_PEM,
      description: 'As they are sent for `<kind>.tls.localhost`, without the key.',
      responses: { 200: { description: 'PEM' }, 404: { description: '`unknown_kind`' } },
      examples: [{ name: 'Expired', path: '/tls/expired.pem', expectStatus: 200 }],
    }),
    async ({ params: { kind } }, reply) => {
      if (!Object.hasOwn(KINDS, kind)) throw refusal(404, 'unknown_kind', 'GET /_svc/tls lists the kinds')
      return sendPem(reply, (await parts.chainOf(kind, `${kind}.tls.localhost`)).certificates)
    },
  )
}

function sendPem(reply: FastifyReply, pem: string): FastifyReply {
  return reply.headers({ 'Content-Type': 'application/x-pem-file', 'Cache-Control': 'no-cache' }).send(pem)
}

/** Old versions depend on the OpenSSL of Node. */
async function isAvailable(kind: string, parts: EndpointParts): Promise<boolean> {
  const { version } = KINDS[kind]!
  if (version !== 'TLSv1' && version !== 'TLSv1.1') return true
  try {
    createSecureContext(contextOptions(KINDS[kind]!, await parts.chainOf(kind, `${kind}.tls.localhost`)))
    return true
  } catch {
    return false
  }
}

function describeConnection({ raw }: FastifyRequest): Record<string, unknown> {
  const socket = raw.socket as TLSSocket & { [KIND]?: string }
  if (typeof socket.getProtocol !== 'function')
    return {
      kind: null,
      server_name: null,
      protocol: null,
      cipher: null,
      alpn: null,
      client_certificate: null,
      resumed: false,
    }
  const name = (socket as TLSSocket & { servername?: string | false }).servername || null
  const presented = socket.getPeerX509Certificate()
  return {
    kind: socket[KIND] ?? null,
    server_name: name,
    protocol: socket.getProtocol(),
    cipher: socket.getCipher().name,
    alpn: socket.alpnProtocol || null,
    client_certificate:
      presented === undefined
        ? null
        : { subject: presented.subject.replaceAll('\n', ', '), issuer: presented.issuer.replaceAll('\n', ', ') },
    resumed: socket.isSessionReused(),
  }
}
