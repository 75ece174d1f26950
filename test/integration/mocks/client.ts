/** A server with a client for tests of the mocks. */
import { request as send } from 'node:http'
import { serve, type TestServer, type TestServerOptions } from '../../support/server.ts'
import type { JsonObject } from '../../../plugins/mocks/document/json.ts'

export interface Reply {
  status: number
  headers: Record<string, string>
  text: string
  json: JsonObject
}

export interface CallOptions {
  method?: string
  headers?: Record<string, string>
  body?: string | Buffer | object
}

export interface MockServer extends TestServer {
  /** Sends a request without normalizing the path. */
  call(path: string, options?: CallOptions): Promise<Reply>
  /** Uploads a mock and expects success. `envelope` contains `spec` and other parts. */
  mock(name: string, envelope: object): Promise<JsonObject>
}

interface Test {
  teardown(callback: () => unknown): unknown
}

/** A server that stops with the test. */
export async function mockServer(t: Test, options?: TestServerOptions): Promise<MockServer> {
  const server = await serve(t, options)
  const call = (path: string, { method = 'GET', headers = {}, body }: CallOptions = {}): Promise<Reply> => {
    const isPlain = body === undefined || typeof body === 'string' || Buffer.isBuffer(body)
    const bytes = isPlain ? Buffer.from(body ?? '') : Buffer.from(JSON.stringify(body))
    return new Promise((resolve, reject) => {
      const outgoing = send(
        {
          host: '127.0.0.1',
          port: new URL(server.url).port,
          path,
          method,
          headers: {
            ...(isPlain ? {} : { 'content-type': 'application/json' }),
            ...(bytes.length > 0 ? { 'content-length': String(bytes.length) } : {}),
            ...headers,
          },
        },
        incoming => {
          const chunks: Buffer[] = []
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
          incoming.on('error', reject)
          incoming.on('end', () => {
            const text = Buffer.concat(chunks).toString()
            resolve({
              status: incoming.statusCode ?? 0,
              headers: Object.fromEntries(
                Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
              ),
              text,
              json: parse(text),
            })
          })
        },
      )
      outgoing.on('error', reject)
      outgoing.end(bytes)
    })
  }
  const mock = async (name: string, envelope: object): Promise<JsonObject> => {
    const reply = await call(`/_svc/mocks/${name}`, { method: 'PUT', body: envelope })
    if (reply.status >= 300) throw new Error(`${name}: ${reply.status} ${reply.text}`)
    return reply.json
  }
  return Object.assign(server, { call, mock })
}

function parse(text: string): JsonObject {
  try {
    return JSON.parse(text) as JsonObject
  } catch {
    return {}
  }
}
