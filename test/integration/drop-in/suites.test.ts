/** Suites of other projects, replayed as a gateway forwards their requests to svc; `test/suites` has the cases. */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import https from 'node:https'
import { checkServerIdentity } from 'node:tls'
import { gunzipSync } from 'node:zlib'
import t from 'tap'
import { ask, converse } from '../../originals/drop-in/connections.ts'
import { keyPem, makeCertificate } from '../../support/certificates.ts'
import { GrpcCaller, loadProto } from '../../support/grpc-caller.ts'
import { entriesOf, openPorts } from '../../support/layer4.ts'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'
import { readSuite, rowText, suiteRows, type SuiteFile } from '../../suites/suite.ts'

interface Retry {
  file: string
  path: string
  /** Without one, the connection is reset. */
  responseCode?: number
  succeedAfter: number
  /** A Go duration, before a failure. */
  delayRetry?: string
  /** `timeoutMs`: how long the gateway waits for an attempt. */
  retries: { codes: number[]; attempts: number; timeoutMs?: number }
  status: number
}

interface BackendTls {
  file: string
  host: string
  path: string
  sni: string
  /** The name that the certificate must have. Default: `sni`. */
  name?: string
  /** Whether the gateway trusts another authority. */
  otherCa?: boolean
  clientCertificate?: boolean
  /** Whether the gateway accepts the certificate of the backend. */
  trusted: boolean
}

interface GatewayApi extends SuiteFile {
  /** As forwarded: what the test expects to reach the backend. */
  http: { file: string; method: string; path: string; headers?: Record<string, string>; host?: string }[]
  retry: Retry[]
  /** Between the gateway and the backend. */
  tls: BackendTls[]
  grpc: { file: string; metadata: Record<string, string> }[]
  tcp: { file: string; tls: boolean; lines: string[] }[]
  udp: { file: string; payload: string }[]
}

interface AiGateway extends SuiteFile {
  /** As forwarded to the backend, with what the test upstream answers. */
  http: {
    file: string
    path: string
    requestHeaders?: Record<string, string>
    requestBody: string
    responseStatus?: string
    responseHeaders?: string
    responseType?: 'gzip'
    responseBody: string
  }[]
}

const NAMESPACE = 'gateway-conformance-infra'
const BACKEND = 'infra-backend-v1'
const GRPC_ECHO = 'gateway_api_conformance.echo_basic.grpcecho.GrpcEcho'

const backendCertificate = await makeCertificate({ subject: 'CN=abc.example.com' })
const otherCertificate = await makeCertificate({ subject: 'CN=other.example.com' })
const gatewayCertificate = await makeCertificate({ subject: 'CN=gateway' })
const pemOf = ({ certificate }: typeof backendCertificate): string => certificate.toString()
const folder = t.testdir({
  'tls.crt': pemOf(backendCertificate),
  'tls.key': keyPem(backendCertificate.key),
  'ca.crt': pemOf(gatewayCertificate),
})

const server = await serve(t, {
  plugins: ['drop-in', 'grpc-services', 'httpbin', 'layer4', 'tls'],
  env: { NAMESPACE, POD_NAME: `${BACKEND}-0` },
  settings: {
    layer4: {
      listeners: entriesOf({
        tcp: { mode: 'echo-basic' },
        tls: { mode: 'echo-basic', tls: true, tls_port_of: 'tcp' },
        udp: { mode: 'echo-basic', transport: 'udp' },
      }),
    },
    drop_in: {
      aliases: ['testupstream'],
      listeners: [
        {
          name: 'https-echo',
          port: 0,
          serve: 'echo-basic',
          tls: { cert: `${folder}/tls.crt`, key: `${folder}/tls.key`, client_ca: `${folder}/ca.crt` },
        },
      ],
      hosts: [
        { host: 'upstream.test', serve: 'testupstream' },
        { host: '*', serve: 'echo-basic' },
      ],
    },
  },
  oneProcess: 'ports belong to a process',
})
const open = await openPorts(server)
const suite = readSuite<GatewayApi>('gateway-api')

t.test('the table of the page has what is replayed [DIN-61]', async t => {
  const page = readFileSync('docs/drop-in.md', 'utf8')
  for (const row of suiteRows()) {
    t.comment(rowText(row))
    t.ok(page.includes(rowText(row).slice(0, -2)), rowText(row))
  }
  for (const { file } of [...suite.http, ...suite.retry, ...suite.tls, ...suite.grpc, ...suite.tcp, ...suite.udp])
    t.match(file, /^conformance\/[\w/-]+\.go$/)
  t.match(suite.commit, /^[\da-f]{40}$/)
})

t.test('Gateway API: the backend has seen what the test expects it to see [DIN-61]', async t => {
  for (const { file, method, path, headers = {}, host = 'example.test' } of suite.http) {
    const name = `${file}: ${method} ${path}`
    const reply = await send(server.url, path, { method, headers: { Host: host, ...headers } })
    t.equal(reply.status, 200, name)
    const seen = reply.json<{ headers: Record<string, string[]>; namespace: string; pod: string; path: string }>()
    t.match(seen, { path, method, host, namespace: NAMESPACE }, name)
    t.ok(seen.pod.startsWith(`${BACKEND}-`), name)
    const lower = new Map(
      Object.entries(seen.headers).map(([field, values]) => [field.toLowerCase(), values.join(',')]),
    )
    for (const [field, value] of Object.entries(headers)) t.equal(lower.get(field.toLowerCase()), value, name)
  }
})

/** What a gateway does that retries these statuses, broken connections, and attempts that are late. */
async function throughGateway({ path, responseCode, succeedAfter, delayRetry, retries }: Retry): Promise<number> {
  const query = new URLSearchParams({ succeedAfter: String(succeedAfter), uuid: randomUUID() })
  if (responseCode !== undefined) query.set('responseCode', String(responseCode))
  if (delayRetry !== undefined) query.set('delayRetry', delayRetry)
  for (let attempt = 0; ; attempt++) {
    const startedAt = performance.now()
    const status = await send(server.url, `${path}?${query}`, { headers: { Host: 'example.test' } }).then(
      reply => reply.status,
      (error: NodeJS.ErrnoException) => (error.code === 'ECONNRESET' ? 503 : Promise.reject(error)),
    )
    // Failures alone are delayed: a slow machine does not count.
    const isLate = status !== 200 && performance.now() - startedAt >= (retries.timeoutMs ?? Infinity)
    const isBroken = status === 503 && responseCode === undefined
    if (attempt === retries.attempts) return isLate ? 504 : status
    if (!isLate && !isBroken && !retries.codes.includes(status)) return status
  }
}

t.test('Gateway API: retries succeed after as many failures as asked for [DIN-61]', async t => {
  for (const one of suite.retry)
    t.equal(await throughGateway(one), one.status, `${one.path} ${one.responseCode ?? 'reset'} ${one.succeedAfter}`)
})

/** A request of a gateway to the backend, which throws if the gateway does not trust its certificate. */
function overTls(one: BackendTls): Promise<{ host: string; path: string; tls: Record<string, unknown> }> {
  const { host, path, sni, name = sni, otherCa, clientCertificate } = one
  return new Promise((resolve, reject) => {
    const request = https.request(
      {
        host: '127.0.0.1',
        port: open['https-echo']!,
        path,
        agent: false,
        headers: { Host: host },
        servername: sni,
        ca: pemOf(otherCa === true ? otherCertificate : backendCertificate),
        checkServerIdentity: (_, certificate) => checkServerIdentity(name, certificate),
        ...(clientCertificate === true ? { cert: pemOf(gatewayCertificate), key: keyPem(gatewayCertificate.key) } : {}),
      },
      response => {
        let text = ''
        response.on('data', chunk => (text += chunk)).on('end', () => resolve(JSON.parse(text)))
      },
    )
    request.on('error', reject).end()
  })
}

t.test('Gateway API: TLS between gateway and backend [DIN-61]', async t => {
  for (const one of suite.tls) {
    const name = `${one.file}: ${one.path}`
    if (!one.trusted) {
      await t.rejects(overTls(one), { code: /^(?:ERR_TLS_CERT_ALTNAME_INVALID|DEPTH_ZERO_SELF_SIGNED_CERT)$/ }, name)
      continue
    }
    const { host, path, tls } = await overTls(one)
    t.match({ host, path, serverName: tls.serverName }, { host: one.host, path: one.path, serverName: one.sni }, name)
    const expected = one.clientCertificate === true ? [pemOf(gatewayCertificate)] : undefined
    t.strictSame(
      (tls.peerCertificates as string[] | undefined)?.map(pem => pem.trim()),
      expected?.map(pem => pem.trim()),
      name,
    )
  }
})

t.test('Gateway API: gRPC, TCP, TLS and UDP [DIN-61]', async t => {
  const caller = new GrpcCaller(`127.0.0.1:${server.ports.grpc}`, loadProto('services/grpcecho.proto')[GRPC_ECHO]!)
  t.teardown(() => caller.close())
  for (const { metadata } of suite.grpc) {
    const { code, messages } = await caller.call('Echo', {}, { metadata })
    const { assertions } = messages[0] as {
      assertions: { headers: { key: string; value: string }[]; context: { namespace: string; pod: string } }
    }
    t.equal(code, 0)
    t.match(assertions.context, { namespace: NAMESPACE, pod: `${BACKEND}-0` })
    for (const [key, value] of Object.entries(metadata))
      t.ok(
        assertions.headers.some(header => header.key === key.toLowerCase() && header.value === value),
        `${key}: ${value}`,
      )
  }
  for (const { tls, lines } of suite.tcp) {
    const welcome = 'Gateway API Test TCP Server\n'
    const expected = { received: [welcome, 'PONG\n', `${tls}\n`, '{}\n', ''] }
    const { received } = await converse(
      tls ? open.tls! : open.tcp!,
      {
        send: lines.map(line => `${line}\n`),
        ...(tls
          ? {
              tls: {
                version: 'TLSv1.3',
                cipher: 'TLS_AES_128_GCM_SHA256',
                curve: 'X25519',
                servername: 'abc.example.com',
                alpn: ['h2'],
              },
            }
          : {}),
      },
      expected,
    )
    t.same(received.slice(0, 3), expected.received.slice(0, 3))
    const payload = JSON.parse(received.slice(3).join('')) as Record<string, unknown>
    t.match(payload, { namespace: NAMESPACE, pod: `${BACKEND}-0`, isTLS: tls })
    if (tls) t.match(payload.tls, { serverName: 'abc.example.com' })
  }
  for (const { payload } of suite.udp) {
    const { datagram } = await ask(open.udp!, { datagram: payload })
    t.match(JSON.parse(datagram), { request: payload, namespace: NAMESPACE, pod: `${BACKEND}-0` })
  }
})

t.test('Envoy AI Gateway: the upstream has seen what the test expects, and answers what it says [DIN-61]', async t => {
  const b64 = (text: string): string => Buffer.from(text).toString('base64')
  const { http } = readSuite<AiGateway>('envoy-ai-gateway')
  for (const host of ['upstream.test', 'any.test'])
    for (const one of http) {
      const {
        path,
        requestBody,
        requestHeaders = {},
        responseType,
        responseHeaders,
        responseStatus,
        responseBody,
      } = one
      const expected = Object.entries(requestHeaders).map(pair => pair.join(':'))
      const ask = (wanted: string) =>
        send(server.url, path, {
          method: 'POST',
          body: requestBody,
          headers: {
            Host: host,
            'Content-Length': String(Buffer.byteLength(requestBody)),
            'x-expected-path': b64(path),
            'x-expected-request-body': b64(wanted),
            'x-response-body': b64(responseBody),
            ...requestHeaders,
            ...(expected.length === 0 ? {} : { 'x-expected-headers': b64(expected.join(',')) }),
            ...(responseHeaders === undefined ? {} : { 'x-response-headers': b64(responseHeaders) }),
            ...(responseStatus === undefined ? {} : { 'x-response-status': responseStatus }),
            ...(responseType === undefined ? {} : { 'x-response-type': responseType }),
          },
        })
      const reply = await ask(requestBody)
      const name = `${host}${path}`
      t.equal(reply.status, Number(responseStatus ?? 200), name)
      t.equal((responseType === 'gzip' ? gunzipSync(reply.body) : reply.body).toString(), responseBody, name)
      for (const pair of responseHeaders?.split(',') ?? []) {
        const [field, value] = pair.split(':') as [string, string]
        t.equal(reply.headers[field], value, name)
      }
      t.equal((await ask(`${requestBody} `)).status, 400, `${name}: another body`)
    }
})
