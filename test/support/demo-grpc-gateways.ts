/** Gateways of gRPC: retries, gRPC-Web and JSON, each with its mistake. */
import { connect, createServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { readDefinitions } from '../../plugins/grpc/definitions.ts'
import type { Answer, Handler } from './demo-proxy.ts'

const UNAVAILABLE = '14'
const DEFINITIONS = readDefinitions(readFileSync(join(import.meta.dirname, '../../proto/descriptors.binpb')))
const METHODS = DEFINITIONS.service('svc.echo.v1.EchoService')

interface CallAnswer {
  headers: IncomingHttpHeaders
  trailers: Record<string, string>
  body: Buffer
}

/** A call over HTTP/2. Fields of connections are left out. */
function call(upstream: string, path: string, fields: Record<string, unknown>, body: Buffer): Promise<CallAnswer> {
  return new Promise((resolve, reject) => {
    const session = connect(upstream).on('error', reject)
    const kept = Object.entries(fields).filter(
      ([name]) => !/^(?:host|connection|content-length|transfer-encoding|accept-encoding|te|:.*)$/.test(name),
    )
    const sent = session.request({
      ...(Object.fromEntries(kept) as IncomingHttpHeaders),
      ':method': 'POST',
      ':path': path,
      te: 'trailers',
    })
    let headers: IncomingHttpHeaders = {}
    let trailers: Record<string, string> = {}
    const chunks: Buffer[] = []
    sent.on('response', found => (headers = found))
    sent.on('trailers', found => (trailers = found as Record<string, string>))
    sent.on('data', (chunk: Buffer) => chunks.push(chunk))
    sent.on('error', reject)
    sent.on('close', () => {
      session.close()
      resolve({ headers, trailers, body: Buffer.concat(chunks) })
    })
    sent.end(body)
  })
}

/** The status of a call is in its trailers, or in its headers if it has no message. */
const ofCall = ({ headers, trailers }: CallAnswer, name: string): string | undefined =>
  trailers[name] ?? (headers[name] as string | undefined)

export interface GrpcSwitches {
  /** Attempts of a call that ends with UNAVAILABLE, or, which is the mistake, with any status but OK. */
  attempts?: number
  retriesAll?: boolean
}

interface Test {
  teardown(callback: () => unknown): unknown
}

/** A gateway for HTTP/2 with prior knowledge. */
export async function startGrpcProxy(t: Test, upstream: string, switches: GrpcSwitches): Promise<string> {
  const { attempts = 1, retriesAll = false } = switches
  const server = createServer()
  server.on('stream', async (stream: ServerHttp2Stream, fields: IncomingHttpHeaders) => {
    const chunks: Buffer[] = []
    for await (const chunk of stream) chunks.push(chunk as Buffer)
    let answer: CallAnswer
    for (let left = attempts; ; left--) {
      answer = await call(upstream, fields[':path'] as string, fields, Buffer.concat(chunks))
      const status = ofCall(answer, 'grpc-status')
      if (left <= 1 || status === '0' || (status !== UNAVAILABLE && !retriesAll)) break
    }
    stream.on('wantTrailers', () => stream.sendTrailers(answer.trailers))
    stream.respond(answer.headers, { waitForTrailers: true })
    stream.end(answer.body)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const frame = (bytes: Buffer, flag = 0): Buffer => {
  const head = Buffer.alloc(5)
  head[0] = flag
  head.writeUInt32BE(bytes.length, 1)
  return Buffer.concat([head, bytes])
}

/** Calls of browsers. `losesStatus`: the mistake is that the frame with the status is not written. */
export function grpcWeb(upstream: string, { losesStatus = false } = {}): Handler {
  return async ({ path, headers, body }) => {
    const answer = await call(
      upstream,
      path,
      { ...headers, 'content-type': 'application/grpc+proto' },
      Buffer.from(body),
    )
    const status = `grpc-status:${ofCall(answer, 'grpc-status')}\r\n`
    const message = ofCall(answer, 'grpc-message')
    const lines = message === undefined ? status : `${status}grpc-message:${message}\r\n`
    const written = losesStatus && !status.includes(':0') ? [] : [frame(Buffer.from(lines), 0x80)]
    return {
      status: 200,
      headers: { 'content-type': 'application/grpc-web+proto' },
      body: Buffer.concat([answer.body, ...written]),
    }
  }
}

const HTTP_STATUSES: Record<string, number> = { 0: 200, 3: 400, 5: 404, 7: 403, 14: 503 }

/** JSON to gRPC. `alwaysOk`: the mistake is that errors have the status 200. */
export function grpcJson(upstream: string, { alwaysOk = false } = {}): Handler {
  const json = (status: number, value: unknown): Answer => ({
    status,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(value)),
  })
  return async (request, forward) => {
    const method = METHODS[request.path.split('/')[2] ?? '']
    if (request.method !== 'POST' || method === undefined) return forward(request)
    const given = JSON.parse(request.body) as Record<string, unknown>
    if (given.count !== undefined && typeof given.count !== 'number') return json(400, { message: 'count' })
    const fields = { ...request.headers, 'content-type': 'application/grpc' }
    const answer = await call(upstream, request.path, fields, frame(method.requestSerialize(given)))
    const status = ofCall(answer, 'grpc-status') ?? '2'
    if (status === '0') return json(200, method.responseDeserialize(answer.body.subarray(5)))
    return json(alwaysOk ? 200 : (HTTP_STATUSES[status] ?? 500), { message: ofCall(answer, 'grpc-message') })
  }
}
