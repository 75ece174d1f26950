/** `/tls/crl`, `/tls/ocsp` and the certificates in DER: the addresses in certificates. */
import { X509Certificate } from 'node:crypto'
import { describe, type FastifyInstance, type FastifyReply } from 'svc/plugin'
import type { EndpointParts } from './endpoint.ts'
import { TLS_CA_CRT, TLS_CRL, TLS_OCSP_POST } from './replies.ts'

const CATEGORY = 'TLS'
/** Up to 16 certificates in a request. */
const MAX_REQUEST_BYTES = 4096
/** The response `malformedRequest`: a request that fails to decode is like one without content. */
const EMPTY = Buffer.alloc(0)

/** Registers the routes. */
export function registerRevocationRoutes(app: FastifyInstance, parts: EndpointParts): void {
  const { svc, revocation } = parts
  app.get(
    '/tls/crl',
    describe({
      category: CATEGORY,
      summary: 'Get the CRL of the demo CA',
      reply: TLS_CRL,
      description: 'DER (RFC 5280). It lists the certificates of the endpoint `revoked`.',
      responses: { 200: { description: 'The list', content: { 'application/pkix-crl': {} } } },
      examples: [{ name: 'CRL', path: '/tls/crl', expectStatus: 200 }],
    }),
    async (_request, reply) => send(reply, 'application/pkix-crl', await revocation.crl()),
  )
  const answer = async (reply: FastifyReply, request: Uint8Array): Promise<FastifyReply> =>
    send(reply, 'application/ocsp-response', await revocation.respond({ request }))
  app.post(
    '/tls/ocsp',
    describe({
      category: CATEGORY,
      summary: 'Ask whether a certificate is revoked (OCSP)',
      reply: TLS_OCSP_POST,
      description: 'The body is an OCSP request in DER (RFC 6960), with up to 16 certificates of the demo CA.',
      bodyLimit: MAX_REQUEST_BYTES,
      responses: { 200: { description: 'The OCSP response', content: { 'application/ocsp-response': {} } } },
      examples: [{ name: 'An empty request is malformed', path: '/tls/ocsp', expectStatus: 200 }],
    }),
    ({ body }, reply) => answer(reply, body as Buffer),
  )
  app.get<{ Params: { '*': string } }>(
    '/tls/ocsp/*',
    describe({
      category: CATEGORY,
      summary: 'Ask whether a certificate is revoked (OCSP, in the path)',
      reply: TLS_OCSP_POST,
      description: 'The rest of the path is the OCSP request in base64 (RFC 6960, A.1).',
      responses: { 200: { description: 'The OCSP response', content: { 'application/ocsp-response': {} } } },
      examples: [{ name: 'Not a request', path: '/tls/ocsp/AAAA', expectStatus: 200 }],
    }),
    ({ params: { '*': text } }, reply) =>
      answer(reply, text.length > 2 * MAX_REQUEST_BYTES ? EMPTY : Buffer.from(text, 'base64')),
  )
  app.get(
    '/tls/ca.crt',
    describe({
      category: CATEGORY,
      summary: 'Get the certificate of the demo CA in DER',
      reply: TLS_CA_CRT,
      responses: { 200: { description: 'DER', content: { 'application/pkix-cert': {} } } },
      examples: [{ name: 'CA', path: '/tls/ca.crt', expectStatus: 200 }],
    }),
    (_request, reply) => sendCertificate(reply, svc.pki.caCertificate),
  )
  app.get(
    '/tls/intermediate.crt',
    describe({
      category: CATEGORY,
      summary: 'Get the intermediate certificate in DER',
      reply: TLS_CA_CRT,
      description: 'Clients that complete chains (AIA) find it here.',
      responses: { 200: { description: 'DER', content: { 'application/pkix-cert': {} } } },
      examples: [{ name: 'Intermediate', path: '/tls/intermediate.crt', expectStatus: 200 }],
    }),
    async (_request, reply) => sendCertificate(reply, (await parts.findAuthority('intermediate')).certificate),
  )
}

function sendCertificate(reply: FastifyReply, pem: string): FastifyReply {
  return send(reply, 'application/pkix-cert', new X509Certificate(pem).raw)
}

function send(reply: FastifyReply, type: string, bytes: Uint8Array): FastifyReply {
  return reply.headers({ 'Content-Type': type, 'Cache-Control': 'no-cache' }).send(Buffer.from(bytes))
}
