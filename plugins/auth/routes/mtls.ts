/** `/auth/mtls`: checks client certificates, and provides demo certificates. */
import {
  describe,
  readQuery,
  refusal,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RouteDescription,
  type RouteParameter,
  type CertificateProfile,
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

/** What a client can present, and what a gateway must do with it: accept the first alone. */
const CLIENT_KINDS = ['valid', 'expired', 'self-signed'] as const
type ClientCertificateKind = (typeof CLIENT_KINDS)[number]
const KIND: RouteParameter = {
  name: 'kind',
  in: 'query',
  description: 'Whether the certificate is `valid` (default), `expired`, or `self-signed`',
  schema: { enum: [...CLIENT_KINDS] },
}

interface Pair {
  certificate: string
  key: string
}

const CLIENT: CertificateProfile = { subject: 'CN=demo-client, O=svc Demo', usages: ['client'] }
/** They differ from the valid one in one thing only. */
const WRONG_CLIENTS: Record<Exclude<ClientCertificateKind, 'valid'>, CertificateProfile> = {
  expired: { ...CLIENT, notBefore: new Date(Date.UTC(2020, 0, 1)), notAfter: new Date(Date.UTC(2020, 11, 31)) },
  'self-signed': { ...CLIENT, issuer: 'self' },
}
const GATEWAY: CertificateProfile = {
  subject: 'CN=gateway, O=svc Demo',
  names: ['localhost', 'gateway'],
  ips: ['127.0.0.1', '::1'],
  usages: ['server'],
}

/** Throws 400 for an unknown word. */
function kindIn(request: FastifyRequest): ClientCertificateKind {
  const given = readQuery(request).get('kind') ?? 'valid'
  const kind = CLIENT_KINDS.find(one => one === given)
  if (kind === undefined) throw refusal(400, 'invalid_parameter', `kind: expected one of ${CLIENT_KINDS.join(', ')}`)
  return kind
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

  const clientPair = (kind: ClientCertificateKind): Promise<Pair> =>
    kind === 'valid' ? svc.pki.client() : (wrongPairs[kind] ??= svc.pki.issue(WRONG_CLIENTS[kind]))
  const wrongPairs: Partial<Record<ClientCertificateKind, Promise<Pair>>> = {}
  app.get(
    '/auth/mtls/get-client-cert',
    describe({
      ...SHARED,
      summary: 'Get the certificate and key of the demo client',
      description: 'Or, with `kind`, ones that a gateway must refuse.',
      reply: AUTH_MTLS_GET_CLIENT_CERT,
      parameters: [FORMAT, KIND],
      responses: {
        200: { description: 'Certificate and key as PEM, and a curl command that uses them' },
        400: { description: '`invalid_parameter`' },
      },
      examples: [
        { name: 'Client', path: '/auth/mtls/get-client-cert', expectStatus: 200 },
        { name: 'File', path: '/auth/mtls/get-client-cert?format=pem', expectStatus: 200 },
        { name: 'Expired', path: '/auth/mtls/get-client-cert?kind=expired', expectStatus: 200 },
      ],
    }),
    async (request, reply) => {
      const usage = `curl --cacert ca.crt --cert client.pem ${svc.http.httpsUrl(request, '/auth/mtls')}`
      return sendPair(request, reply, { file: 'client.pem', pair: await clientPair(kindIn(request)), usage })
    },
  )

  let serverPair: Promise<Pair> | undefined
  app.get(
    '/auth/mtls/get-server-cert',
    describe({
      ...SHARED,
      summary: 'Get a certificate and key for a gateway',
      description:
        'For `localhost`, `gateway`, `127.0.0.1` and `::1`, issued by the demo CA. They stay the same until a reload.',
      reply: AUTH_MTLS_GET_CLIENT_CERT,
      parameters: [FORMAT],
      responses: { 200: { description: 'Certificate and key as PEM, and a curl command that trusts them' } },
      examples: [
        { name: 'Gateway', path: '/auth/mtls/get-server-cert', expectStatus: 200 },
        { name: 'File', path: '/auth/mtls/get-server-cert?format=pem', expectStatus: 200 },
      ],
    }),
    async (request, reply) => {
      const pair = await (serverPair ??= svc.pki.issue(GATEWAY))
      const usage = 'curl --cacert ca.crt https://localhost:8000/'
      return sendPair(request, reply, { file: 'server.pem', pair, usage })
    },
  )

  /** As one file, or as JSON with a command that uses it. */
  function sendPair(
    request: FastifyRequest,
    reply: FastifyReply,
    { file, pair: { certificate, key }, usage }: { file: string; pair: Pair; usage: string },
  ): FastifyReply {
    return isFileRequested(request)
      ? sendFile(reply, file, certificate + key)
      : svc.http.negotiate(request, reply, { cert_pem: certificate, key_pem: key, usage })
  }
}
