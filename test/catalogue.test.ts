/** What the product says of itself is true: every route is described, every example works. */
import t from 'tap'
import { Validator } from '@seriousme/openapi-schema-validator'
import { WebSocket } from 'ws'
import type { Catalog, CatalogEndpoint } from '../core/host/plugin.ts'
import { serve } from './support/server.ts'

type Example = CatalogEndpoint['examples'][number]

function headersOf(example: Example): Headers {
  const headers = new Headers()
  for (const { name, value } of example.headers) headers.append(name, value)
  if (example.auth?.type === 'basic') headers.set('Authorization', `Basic ${Buffer.from(`${example.auth.username}:${example.auth.password}`).toString('base64')}`)
  if (example.auth?.type === 'bearer') headers.set('Authorization', `Bearer ${example.auth.token}`)
  return headers
}

/** Milliseconds; an example that waits longer than this for its head hangs. */
const PATIENCE_MS = 20_000

/** Status of an example, 0 when it hangs; of a stream only the head is read. */
async function statusOf(url: string, example: Example): Promise<number> {
  const leave = new AbortController()
  const timer = setTimeout(() => leave.abort(), PATIENCE_MS)
  try {
    const response = await fetch(url + example.path, { method: example.method, headers: headersOf(example), body: example.body ?? undefined, redirect: 'manual', signal: leave.signal })
    return response.status
  } catch (error) {
    if (leave.signal.aborted) return 0
    throw error
  } finally {
    clearTimeout(timer)
    leave.abort()
  }
}

function handshakeStatus(url: string, example: Example): Promise<number> {
  return new Promise(resolve => {
    const headers = headersOf(example)
    const protocols = headers.get('sec-websocket-protocol')?.split(/, */) ?? []
    headers.delete('sec-websocket-protocol')
    const socket = new WebSocket(url.replace('http', 'ws') + example.path, protocols, { headers: Object.fromEntries(headers) })
    socket.on('open', () => { socket.terminate(); resolve(101) })
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode!))
    socket.on('error', () => resolve(0))
  })
}

t.test('every example gets the answer that it announces [CAT-1]', async t => {
  const server = await serve(t)
  const { endpoints } = await (await fetch(`${server.url}/_svc/catalog`)).json() as Catalog
  t.ok(endpoints.length > 10)
  for (const endpoint of endpoints) {
    t.ok(endpoint.examples.length > 0, `${endpoint.methods} ${endpoint.path} has an example`)
    for (const example of endpoint.examples) {
      const what = `${example.method} ${example.path} (${example.name})`
      if (/<[a-z_]+>/.test(example.path + (example.body ?? '') + example.headers.map(header => header.value).join())) continue
      const status = endpoint.protocol === 'websocket' ? await handshakeStatus(server.url, example) : await statusOf(server.url, example)
      if (example.expect_status === null) t.notOk([404, 405].includes(status), `${what}: ${status}`)
      else t.equal(status, example.expect_status, what)
    }
  }
})

t.test('every registered route is described, catalogued and in a valid OpenAPI document [CAT-2]', async t => {
  const server = await serve(t)
  const catalog = await (await fetch(`${server.url}/_svc/catalog`)).json() as Catalog
  const openapi = await (await fetch(`${server.url}/openapi.json`)).json() as { paths: Record<string, object> }
  const { valid, errors } = await new Validator().validate(openapi)
  t.ok(valid, JSON.stringify(errors))
  const known = new Set(catalog.endpoints.map(endpoint => endpoint.path))
  for (const route of server.host.current().routes.list) {
    t.ok(route.descriptions.length > 0, `${route.methods} ${route.path} is described`)
    for (const description of route.descriptions) {
      const path = description.path ?? route.path
      t.ok(known.has(path), `${path} is in the catalogue`)
      t.ok(openapi.paths[path.replace('{*path}', '{path}')] ?? openapi.paths[path.replaceAll(/\{\*(\w+)\}/g, '{$1}')], `${path} is in the OpenAPI document`)
      t.ok(description.summary && description.category, `${path} has a summary and a category`)
    }
  }
})
