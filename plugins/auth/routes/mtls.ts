/** `/auth/mtls`: checks client certificates, and provides demo certificates. */
import {
  describe,
  readQuery,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RouteDescription,
  type RouteParameter,
  type Svc,
} from 'svc/plugin'
import { summarizeCertificate } from '../certificate.ts'
import { RESPONSES, unauthenticated, type Authenticated } from '../outcome.ts'
import { AUTH_MTLS_GET_CA_CERT, AUTH_MTLS_GET_CLIENT_CERT, MTLS } from '../replies.ts'

const SHARED = { category: 'Auth: mTLS', negotiated: true } satisfies Partial<RouteDescription>
const FORMAT: RouteParameter = {
  name: 'format',
  in: 'query',
  description: '`pem` returns the file itself',
  schema: { enum: ['pem'] },
}

function check(request: FastifyRequest, svc: Svc): Authenticated {
  const header = svc.config.mtlsInHeader
  const presented = svc.pki.clientCertificate(request)
  if (presented.state === 'none')
    throw unauthenticated(`unauthorized: no client certificate (${whereToPresent(header)})`, null)
  if (presented.state === 'refused') throw unauthenticated(`invalid_certificate: ${presented.reason}`, null)
  const { source } = presented
  const { subject, issuer, facts } = summarizeCertificate(presented.certificate)
  return {
    authenticated: true,
    auth_type: 'mtls',
    source,
    ...(source === 'header' && header !== null && { header }),
    client_dn: subject,
    client_ca: issuer,
    claims: { ...facts, source },
  }
}

function whereToPresent(header: string | null): string {
  return header === null
    ? 'use the HTTPS listener or set SVC_MTLS_IN_HEADER'
    : `use the TLS connection or the header ${header}`
}

function sendFile(reply: FastifyReply, name: string, pem: string): FastifyReply {
  return reply
    .headers({
      'Content-Type': 'application/x-pem-file',
      'Content-Disposition': `attachment; filename="${name}"`,
      Vary: 'Accept',
    })
    .send(pem)
}

function isFileRequested(request: FastifyRequest): boolean {
  return readQuery(request).get('format') === 'pem'
}

/** Registers `/auth/mtls` and the two downloads. */
export function registerMtlsRoutes(app: FastifyInstance, svc: Svc): void {
  app.all(
    '/auth/mtls',
    describe({
      ...SHARED,
      summary: 'Check the client certificate',
      reply: MTLS,
      description:
        'Reads the certificate from the TLS connection, or from the header that SVC_MTLS_IN_HEADER names (PEM, percent-encoded PEM, or base64 DER).',
      credentials: ['mutualTls'],
      responses: RESPONSES,
      examples: [{ name: 'Without a certificate', path: '/auth/mtls', expectStatus: 401 }],
    }),
    (request, reply) => svc.http.negotiate(request, reply, check(request, svc)),
  )

  app.get(
    '/auth/mtls/get-ca-cert',
    describe({
      ...SHARED,
      summary: 'Get the certificate of the demo CA',
      reply: AUTH_MTLS_GET_CA_CERT,
      parameters: [FORMAT],
      responses: { 200: { description: 'The certificate as PEM, and a curl command that uses it' } },
      examples: [
        { name: 'CA', path: '/auth/mtls/get-ca-cert', expectStatus: 200 },
        { name: 'File', path: '/auth/mtls/get-ca-cert?format=pem', expectStatus: 200 },
      ],
    }),
    (request, reply) =>
      isFileRequested(request)
        ? sendFile(reply, 'ca.crt', svc.pki.caCertificate)
        : svc.http.negotiate(request, reply, {
            ca_cert_pem: svc.pki.caCertificate,
            usage: `curl --cacert ca.crt ${svc.http.httpsUrl(request, '/echo')}`,
          }),
  )

  app.get(
    '/auth/mtls/get-client-cert',
    describe({
      ...SHARED,
      summary: 'Get the certificate and key of the demo client',
      reply: AUTH_MTLS_GET_CLIENT_CERT,
      parameters: [FORMAT],
      responses: { 200: { description: 'Certificate and key as PEM, and a curl command that uses them' } },
      examples: [
        { name: 'Client', path: '/auth/mtls/get-client-cert', expectStatus: 200 },
        { name: 'File', path: '/auth/mtls/get-client-cert?format=pem', expectStatus: 200 },
      ],
    }),
    async (request, reply) => {
      const { certificate, key } = await svc.pki.client()
      if (isFileRequested(request)) return sendFile(reply, 'client.pem', certificate + key)
      return svc.http.negotiate(request, reply, {
        cert_pem: certificate,
        key_pem: key,
        usage: `curl --cacert ca.crt --cert client.pem ${svc.http.httpsUrl(request, '/auth/mtls')}`,
      })
    },
  )
}
