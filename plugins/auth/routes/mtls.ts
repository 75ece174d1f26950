/** `/auth/mtls`: client certificates, and the demo ones to try it with. */
import { describe, readQuery } from 'svc/plugin'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteDescription, RouteParameter, Svc } from 'svc/plugin'
import { showCertificate } from '../certificate.ts'
import { RESPONSES, unauthenticated } from '../outcome.ts'
import type { Authenticated } from '../outcome.ts'

const SHARED = { category: 'Auth: mTLS', negotiated: true } satisfies Partial<RouteDescription>
const FORMAT: RouteParameter = {
  name: 'format',
  in: 'query',
  description: '`pem`: the file itself',
  schema: { enum: ['pem'] },
}

function check(request: FastifyRequest, svc: Svc): Authenticated {
  const header = svc.config.mtlsInHeader
  const presented = svc.pki.clientCertificate(request)
  if (presented.state === 'none')
    throw unauthenticated(`unauthorized: no client certificate (${whereToPresent(header)})`, null)
  if (presented.state === 'refused') throw unauthenticated(`invalid_certificate: ${presented.reason}`, null)
  const { source } = presented
  const { subject, issuer, facts } = showCertificate(presented.certificate)
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
  return header === null ? 'use the HTTPS listener or set SVC_MTLS_IN_HEADER' : `TLS connection or ${header} header`
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

function isFileAsked(request: FastifyRequest): boolean {
  return readQuery(request).get('format') === 'pem'
}

/** Registers `/auth/mtls` and the two downloads. */
export function registerMtlsRoutes(app: FastifyInstance, svc: Svc): void {
  app.all(
    '/auth/mtls',
    describe({
      ...SHARED,
      summary: 'Check the client certificate',
      description:
        'Of the TLS connection, else of the header that SVC_MTLS_IN_HEADER names: percent-encoded or raw PEM, base64 DER.',
      responses: RESPONSES,
      examples: [{ name: 'Without a certificate', path: '/auth/mtls', expectStatus: 401 }],
    }),
    (request, reply) => svc.http.negotiate(request, reply, check(request, svc)),
  )

  app.get(
    '/auth/mtls/get-ca-cert',
    describe({
      ...SHARED,
      summary: 'Certificate of the demo CA',
      parameters: [FORMAT],
      responses: { 200: { description: 'PEM of the certificate, and how to use it' } },
      examples: [
        { name: 'CA', path: '/auth/mtls/get-ca-cert', expectStatus: 200 },
        { name: 'File', path: '/auth/mtls/get-ca-cert?format=pem', expectStatus: 200 },
      ],
    }),
    (request, reply) =>
      isFileAsked(request)
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
      summary: 'Certificate and key of the demo client',
      parameters: [FORMAT],
      responses: { 200: { description: 'PEM of certificate and key, and how to use them' } },
      examples: [
        { name: 'Client', path: '/auth/mtls/get-client-cert', expectStatus: 200 },
        { name: 'File', path: '/auth/mtls/get-client-cert?format=pem', expectStatus: 200 },
      ],
    }),
    async (request, reply) => {
      const { certificate, key } = await svc.pki.client()
      if (isFileAsked(request)) return sendFile(reply, 'client.pem', certificate + key)
      return svc.http.negotiate(request, reply, {
        cert_pem: certificate,
        key_pem: key,
        usage: `curl --cacert ca.crt --cert client.pem ${svc.http.httpsUrl(request, '/auth/mtls')}`,
      })
    },
  )
}
