/** The path of an area lists the endpoints below it. */
import t from 'tap'
import { serve } from '../../support/server.ts'

interface Index {
  endpoints: { method: string; path: string; summary: string }[]
  [name: string]: unknown
}

const indexOf = async (url: string): Promise<Index> => {
  const response = await fetch(url)
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${url}: ${response.status} ${text}`)
  return JSON.parse(text) as Index
}

t.test('areas list their endpoints [DOC-12]', async t => {
  const server = await serve(t, { plugins: ['auth', 'guardrails', 'mocks', 'proxy', 'reliability'] })
  for (const [path, known] of [
    ['/auth', 'ANY /auth/basic-auth'],
    ['/flaky', 'ANY /flaky/after/{n}'],
    ['/guardrails', 'POST /guardrails/check'],
    ['/mock', 'ANY /mock/{name}/{*path}'],
    ['/oauth', 'POST /oauth/token'],
  ] as const) {
    const { endpoints } = await indexOf(server.url + path)
    const lines = endpoints.map(endpoint => `${endpoint.method} ${endpoint.path}`)
    t.ok(lines.includes(known), `${path}: ${lines.join(', ')}`)
    t.ok(
      endpoints.every(endpoint => endpoint.path.startsWith(`${path}/`) && endpoint.summary !== ''),
      'nothing else is listed',
    )
  }
  const { metadata } = await indexOf(`${server.url}/oauth`)
  t.equal((await fetch(String(metadata))).status, 200)
  const { endpoints, ...rest } = await indexOf(`${server.url}/proxy`)
  t.strictSame(
    endpoints.map(({ path }) => path),
    ['/proxy/gateway', '/proxy/gateway/{*path}'],
    'what runs of demos open, and no upstream',
  )
  t.strictSame(rest, { hint: 'no upstreams: add proxy to svc.yaml' })
  t.equal((await fetch(`${server.url}/flaky`, { method: 'POST' })).status, 405)
})

t.test('with upstreams, the index of the proxy links to them [DOC-12]', async t => {
  const server = await serve(t, { yaml: 'proxy: [{ name: one, target: "http://127.0.0.1:9" }]\n' })
  const { endpoints, upstreams } = await indexOf(`${server.url}/proxy`)
  t.ok(endpoints.some(({ path }) => path === '/proxy/{name}/{*path}'))
  t.equal((await fetch(String(upstreams))).status, 200)
})
