/** Where flavours are served: on hosts, prefixes and ports, and nowhere else. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { parse } from 'yaml'
import { openPorts } from '../../support/layer4.ts'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'
import { svc } from '../../support/terminal.ts'

t.test('prefixes are removed for routing and stay in what is shown [DIN-30]', async t => {
  const { url } = await serve(t, {
    settings: {
      drop_in: {
        prefixes: [
          { path: '/apps', serve: 'istio-echo' },
          { path: '/apps/blue', serve: 'http-echo', text: 'blue' },
          { path: '/bin', serve: 'go-httpbin' },
          { path: '/who', serve: 'whoami', name: 'w' },
        ],
      },
    },
  })
  t.match(await send(url, '/apps/blue'), { status: 200, text: 'blue\n' })
  t.match(await send(url, '/apps/blue/any?x'), { status: 200, text: 'blue\n' })
  t.match(await send(url, '/apps/bluer'), { text: /^URL=\/apps\/bluer$/m })
  t.match(await send(url, '/who/a?b=1'), { text: /^Name: w\n[^]*GET \/who\/a\?b=1 HTTP\/1\.1/ })
  t.match((await send(url, '/bin/get')).text, `${url}/bin/get`)
  t.equal((await send(url, '/bin/nothing')).status, 404)
  t.equal((await send(url, '/apps-other')).status, 404)
  t.match(await send(url, '/s/one/apps/blue'), { status: 200, text: 'blue\n' })
})

t.test('prefixes that have another meaning are load errors, and the rest is served [DIN-31]', async t => {
  const paths = ['/_svc/x', '/s', '/httpbin/a', '/get', '/drop-in/x', '/ok', '/ok', '/.well-known/a']
  const server = await serve(t, {
    settings: { drop_in: { prefixes: paths.map(path => ({ path, serve: 'istio-echo' })) } },
  })
  t.strictSame(server.host.loadErrors.map(({ at, message }) => `${at}: ${message}`).toSorted(), [
    'drop_in.prefixes[0]: the prefix /_svc/x belongs to the control plane',
    'drop_in.prefixes[1]: the prefix /s belongs to the prefix of sessions',
    'drop_in.prefixes[2]: the prefix /httpbin/a belongs to the plugin httpbin',
    'drop_in.prefixes[3]: the prefix /get belongs to the plugin httpbin',
    'drop_in.prefixes[4]: the prefix /drop-in/x belongs to the plugin drop-in',
    'drop_in.prefixes[6]: the prefix /ok belongs to an earlier entry',
    'drop_in.prefixes[7]: the prefix /.well-known/a belongs to well-known URIs',
  ])
  t.equal((await send(server.url, '/ok/a')).status, 200)
  t.equal((await send(server.url, '/get')).status, 200)
  for (const path of ['/', '/a/../b', '/a/', 'a', '/a?b', '//a']) {
    const other = await serve(t, { settings: { drop_in: { prefixes: [{ path, serve: 'istio-echo' }] } } })
    t.match(other.host.loadErrors, [{ at: 'drop_in.prefixes[0].path' }], path)
  }
})

t.test('routes of entries are reached by their hosts, prefixes and ports alone [DIN-32]', async t => {
  const server = await serve(t, {
    settings: {
      drop_in: {
        hosts: [{ host: 'text.test', serve: 'http-echo', text: 'host' }],
        prefixes: [{ path: '/p', serve: 'http-echo', text: 'prefix' }],
        listeners: [
          { name: 'one', port: 0, serve: 'http-echo', text: 'port' },
          { name: 'rpc', port: 0, serve: 'grpc' },
          { name: 'below', port: 0, serve: 'go-httpbin', prefix: '/p' },
        ],
      },
    },
    oneProcess: 'ports belong to a process',
  })
  const ports = await openPorts(server)
  const at = (name: string) => `http://127.0.0.1:${ports[name]}`
  t.equal((await send(server.url, '/', { headers: { Host: 'text.test' } })).text, 'host\n')
  t.equal((await send(at('one'), '/')).text, 'port\n')
  t.equal((await send(at('below'), '/p/get')).status, 200)
  t.equal((await send(at('below'), '/get')).status, 404)
  t.equal((await send(at('rpc'), '/echo')).status, 404)
  for (const path of [
    '/drop-in/.at/hosts-0-',
    '/drop-in/.at/prefixes-0-/a',
    '/drop-in/.at/listeners-0-',
    '/drop-in/.at',
    '/drop-in/%2eat/listeners-0-',
    '/httpbin/hosts/go-httpbin/get',
    '/httpbin/hosts/echo-basic/x',
  ])
    t.equal((await send(server.url, path)).status, 404, path)
})

t.test('the file for the testbox is what svc as testbox serves [DIN-33]', async t => {
  const { outcome } = await svc(['as', 'testbox'])
  const file: unknown = parse(readFileSync('examples/drop-in/testbox.yaml', 'utf8'))
  t.strictSame('serve' in outcome && outcome.serve.options.addedSections, file)
  const settings = JSON.parse(JSON.stringify(file), (key, value: unknown) => (key === 'port' ? 0 : value)) as Record<
    string,
    unknown
  >
  const server = await serve(t, {
    settings,
    plugins: ['drop-in', 'httpbin', 'layer4', 'mcp', 'grpc-services'],
    oneProcess: 'ports belong to a process',
  })
  t.strictSame(server.host.loadErrors, [])
  const ports = await openPorts(server)
  t.match(await send(`http://127.0.0.1:${ports.llm}`, '/v1/messages', { method: 'POST', body: '{}' }), {
    text: /Data masking/,
  })
  const rpc = (method: string, params: object, headers: Record<string, string> = {}) =>
    send(`http://127.0.0.1:${ports['mcp-website-fetcher']}`, '/mcp', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
  const clientInfo = { name: 'test', version: '1' }
  const begun = await rpc('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
  const session = { 'Mcp-Session-Id': String(begun.headers['mcp-session-id']) }
  t.match(
    (await rpc('tools/call', { name: 'fetch', arguments: { url: 'http://a' } }, session)).text,
    'fetched: http://a',
  )
})
