import { after, before, test } from 'node:test'
import assert from 'node:assert/strict'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startTestServer, type TestServer } from 'svc/testing'

/** A gateway that forwards everything as it is, apart from connections. */
let upstream = ''
let gateway: Server
let server: TestServer
let target: string
before(async () => {
  gateway = createServer((incoming, outgoing) => {
    const { method, url, rawHeaders } = incoming
    const forwarded = request(`${upstream}${url}`, { method, headers: rawHeaders, agent: false }, answer =>
      answer.pipe(outgoing.writeHead(answer.statusCode!, answer.rawHeaders)),
    )
    incoming.pipe(forwarded)
  })
  await new Promise<void>(resolve => gateway.listen(0, '127.0.0.1', resolve))
  target = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`
  server = await startTestServer({
    folders: [import.meta.dirname],
    plugins: ['probe-acme'],
    settings: { probe: { targets: [target] } },
  })
  upstream = server.url
})
after(async () => {
  gateway.closeAllConnections()
  gateway.close()
  await server.stop()
})

test('the checks are part of the catalog', async () => {
  const response = await fetch(`${server.url}/_svc/probe/checks/acme.TENANT`)
  const { group, impact, page } = (await response.json()) as { group: string; impact: string; page: { sent: string } }
  assert.deepEqual([group, impact, page.sent], ['acme', 'high', 'A GET with X-Acme-Tenant: admin.'])
})

test('a gateway that forwards everything lets clients choose their tenant', async () => {
  const started = await fetch(`${server.url}/_svc/probe/runs`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ target, groups: ['acme'], repeat: 1 }),
  })
  const { url, events } = (await started.json()) as { url: string; events: string }
  // The event stream ends with the run.
  await (await fetch(server.url + events)).text()
  const report = (await (await fetch(server.url + url)).json()) as {
    results: { id: string; verdict: string; summary: string }[]
  }
  assert.deepEqual(
    report.results.map(({ id, verdict, summary }) => `${id} ${verdict} ${summary}`),
    ['acme.TENANT fail X-Acme-Tenant arrives as the client sent it', 'acme.PROBLEM-DETAILS pass '],
  )
})
