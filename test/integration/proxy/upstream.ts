/** An upstream on loopback, and a server that proxies it. */
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import type { Recording } from '../../../plugins/proxy/recordings/recording.ts'
import { serve, type TestServer, type TestServerOptions } from '../../support/server.ts'

interface Test {
  teardown(callback: () => unknown): unknown
}

export interface Received {
  method: string
  url: string
  headers: http.IncomingHttpHeaders
  rawHeaders: string[]
  body: string
  /** Whether the connection ended before the response was complete. */
  isAborted: boolean
}

export interface UpstreamServer {
  url: string
  port: number
  /** The requests, oldest first. */
  received: Received[]
}

export type Behavior = (request: Received, response: http.ServerResponse, raw: http.IncomingMessage) => unknown

/** Starts an upstream. By default it answers with a JSON object with method, URL and the number of the request. */
export async function startUpstream(t: Test, behavior?: Behavior): Promise<UpstreamServer> {
  const received: Received[] = []
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const seen: Received = {
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        rawHeaders: request.rawHeaders,
        body: Buffer.concat(chunks).toString('utf8'),
        isAborted: false,
      }
      received.push(seen)
      response.on('close', () => {
        seen.isAborted = !response.writableFinished
      })
      if (behavior === undefined) answerWithFacts(seen, response)
      else void behavior(seen, response, request)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  t.teardown(() => {
    server.closeAllConnections()
    return new Promise(resolve => server.close(resolve))
  })
  function answerWithFacts({ method, url }: Received, response: http.ServerResponse): void {
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify({ method, url, number: received.length }))
  }
  return { url: `http://127.0.0.1:${port}`, port, received }
}

export type Upstreams = Record<string, unknown>[]

/** Starts svc with upstreams. `env` are variables of the process. */
export function proxyTo(
  t: Test,
  proxy: Upstreams,
  env: Record<string, string> = {},
  options: Pick<TestServerOptions, 'oneProcess'> = {},
): Promise<TestServer> {
  return serve(t, { plugins: ['proxy', 'echo', 'status'], settings: { proxy }, env, ...options })
}

export const foldersOf = (server: TestServer, name: string): string => join(server.folder, 'recordings', name)

/** The names of the recordings. */
export async function recordingNames(server: TestServer, name: string): Promise<string[]> {
  return (await readdir(foldersOf(server, name)).catch(() => [])).sort()
}

/** The text of the only recording. */
export async function onlyText(server: TestServer, name: string): Promise<string> {
  const names = await recordingNames(server, name)
  if (names.length !== 1) throw new Error(`there are ${names.length} recordings: ${names.join(', ')}`)
  return readFile(join(foldersOf(server, name), names[0]!), 'utf8')
}

/** The only recording. */
export async function onlyRecording(server: TestServer, name: string): Promise<Recording> {
  return parse(await onlyText(server, name)) as Recording
}
