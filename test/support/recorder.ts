/** A proxy for tests that records every request with its status. */
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { headersOf } from './exported.ts'

export interface Recorded {
  method: string
  /** Path and query as received. */
  target: string
  /** Header names are in lower case. */
  headers: Record<string, string>
  body: string
  /** 0 if the connection broke before a response. */
  status: number
}

interface Test {
  teardown(callback: () => unknown): unknown
}

/** Starts the proxy in front of `target` until the test ends. */
export async function record(t: Test, target: string): Promise<{ url: string; requests: Recorded[] }> {
  const requests: Recorded[] = []
  const { hostname, port } = new URL(target)
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', rawHeaders } = request
      const headers = headersOf(
        rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [{ name, value: rawHeaders[at + 1]! }] : [])),
      )
      const body = Buffer.concat(chunks)
      const recorded = { method, target: url, headers, body: body.toString(), status: 0 }
      requests.push(recorded)
      const forwarded = http.request(
        { hostname, port, method, path: url, headers: rawHeaders, agent: false },
        upstreamResponse => {
          recorded.status = upstreamResponse.statusCode ?? 0
          response.writeHead(recorded.status, upstreamResponse.rawHeaders)
          upstreamResponse.on('error', () => response.destroy())
          upstreamResponse.pipe(response)
        },
      )
      forwarded.on('error', () => response.destroy())
      response.on('close', () => forwarded.destroy())
      forwarded.end(body)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}
