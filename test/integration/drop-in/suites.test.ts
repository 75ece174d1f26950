/** Suites of other projects, replayed as a gateway forwards their requests to svc; `test/suites` has the cases. */
import { randomUUID } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { readFileSync } from 'node:fs'
import t from 'tap'
import { ask, converse } from '../../originals/drop-in/connections.ts'
import { GrpcCaller, loadProto } from '../../support/grpc-caller.ts'
import { entriesOf, openPorts } from '../../support/layer4.ts'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'
import { readSuite, rowText, suiteRows, type SuiteFile } from '../../suites/suite.ts'

interface Retry {
  file: string
  path: string
  responseCode: number
  succeedAfter: number
  retries: { codes: number[]; attempts: number }
  status: number
}

interface GatewayApi extends SuiteFile {
  /** As forwarded: what the test expects to reach the backend. */
  http: { file: string; method: string; path: string; headers?: Record<string, string>; host?: string }[]
  retry: Retry[]
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
  for (const { file } of [...suite.http, ...suite.retry, ...suite.grpc, ...suite.tcp, ...suite.udp])
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

/** What a gateway does that retries these statuses. */
async function throughGateway({ path, responseCode, succeedAfter, retries }: Retry): Promise<number> {
  const query = new URLSearchParams({
    responseCode: String(responseCode),
    succeedAfter: String(succeedAfter),
    uuid: randomUUID(),
  })
  for (let attempt = 0; ; attempt++) {
    const { status } = await send(server.url, `${path}?${query}`, { headers: { Host: 'example.test' } })
    if (!retries.codes.includes(status) || attempt === retries.attempts) return status
  }
}

t.test('Gateway API: retries succeed after as many failures as asked for [DIN-61]', async t => {
  for (const one of suite.retry)
    t.equal(await throughGateway(one), one.status, `${one.path} ${one.responseCode} ${one.succeedAfter}`)
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
