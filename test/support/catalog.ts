/** Sends the examples of the catalog as a client would. */
import { WebSocket } from 'ws'
import { type Dispatcher, fetch } from 'undici'
import type { Catalog, CatalogEndpoint } from '../../core/contract/plugin.ts'

export type Example = CatalogEndpoint['examples'][number]
export interface ExampleOf {
  endpoint: CatalogEndpoint
  example: Example
}

/** Every example that can be sent unchanged: without placeholders such as `<access_token>`. */
export async function catalogExamples(url: string): Promise<ExampleOf[]> {
  const { endpoints } = (await (await fetch(`${url}/_svc/catalog`)).json()) as Catalog
  return endpoints
    .flatMap(endpoint => endpoint.examples.map(example => ({ endpoint, example })))
    .filter(
      ({ example }) =>
        !/<[a-z_]+>/.test(example.path + (example.body ?? '') + example.headers.map(header => header.value).join()),
    )
}

/** Status of an example, or 0 if no response arrives within the timeout in milliseconds. Of a stream, only the head is read. */
export async function statusOfExample(
  url: string,
  { endpoint, example }: ExampleOf,
  patienceMs: number,
  dispatcher?: Dispatcher,
): Promise<number> {
  if (endpoint.protocol === 'websocket') return handshakeStatus(url, example)
  const leave = new AbortController()
  const timer = setTimeout(() => leave.abort(), patienceMs)
  try {
    const { path, ...request } = requestOfExample({ endpoint, example })
    const response = await fetch(url + path, {
      ...request,
      redirect: 'manual',
      signal: leave.signal,
      ...(dispatcher && { dispatcher }),
    })
    return response.status
  } catch (error) {
    if (leave.signal.aborted) return 0
    throw error
  } finally {
    clearTimeout(timer)
    leave.abort()
  }
}

/** The `fetch` options for an example. */
export function requestOfExample({ example }: ExampleOf): {
  path: string
  method: string
  headers: [string, string][]
  body?: string
} {
  return {
    path: example.path,
    method: example.method,
    headers: headersOf(example),
    ...(example.body === null ? {} : { body: example.body }),
  }
}

function headersOf(example: Example): [string, string][] {
  const headers = example.headers.map(({ name, value }): [string, string] => [name, value])
  if (example.auth?.type === 'basic')
    headers.push([
      'Authorization',
      `Basic ${Buffer.from(`${example.auth.username}:${example.auth.password}`).toString('base64')}`,
    ])
  if (example.auth?.type === 'bearer') headers.push(['Authorization', `Bearer ${example.auth.token}`])
  return headers
}

function handshakeStatus(url: string, example: Example): Promise<number> {
  return new Promise(resolve => {
    const headers = new Map(headersOf(example).map(([name, value]) => [name.toLowerCase(), value]))
    const protocols = headers.get('sec-websocket-protocol')?.split(/, */) ?? []
    headers.delete('sec-websocket-protocol')
    const socket = new WebSocket(url.replace('http', 'ws') + example.path, protocols, {
      headers: Object.fromEntries(headers),
    })
    socket.on('open', () => {
      socket.terminate()
      resolve(101)
    })
    socket.on('unexpected-response', (_request, response) => {
      response.destroy()
      resolve(response.statusCode!)
    })
    socket.on('error', () => resolve(0))
  })
}
