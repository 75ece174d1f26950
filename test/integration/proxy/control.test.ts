/** Configuration, control plane and bounds of the proxy. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'
import { foldersOf, proxyTo, recordingNames, startUpstream } from './upstream.ts'

t.test('without an upstream nothing is served [PROXY-50]', async t => {
  const { url } = await serve(t, { plugins: ['proxy'] })
  for (const path of ['/proxy/x', '/_svc/proxy']) t.equal((await send(url, path)).status, 404, path)
})

t.test('public instances forward nothing [PROXY-50]', async t => {
  const upstream = await startUpstream(t)
  const { url } = await proxyTo(t, [{ name: 'api', target: upstream.url }], { SVC_PUBLIC_MODE: 'true' })
  const reply = await send(url, '/proxy/api/x')
  t.match([reply.status, reply.json()], [403, { error: 'proxy_disabled' }])
  t.equal((await send(url, '/_svc/proxy/api/mode', { method: 'PUT', body: '{"mode":"replay"}' })).status, 403)
  t.equal((await send(url, '/_svc/proxy')).status, 403)
  t.equal(upstream.received.length, 0)
})

t.test('the list shows upstreams without credentials; switching needs the admin token [PROXY-51]', async t => {
  const upstream = await startUpstream(t)
  const server = await proxyTo(t, [{ name: 'api', target: `${upstream.url}/v2/` }], { SVC_ADMIN_TOKEN: 'a'.repeat(32) })
  t.match((await send(server.url, '/_svc/proxy')).json(), {
    count: 1,
    upstreams: [
      {
        name: 'api',
        target: `${upstream.url}/v2`,
        path: '/proxy/api',
        mode: 'replay-or-record',
        configured_mode: 'replay-or-record',
        recorded: 0,
        replayed: 0,
        missed: 0,
        recordings: { files: 0, bytes: 0, full: false },
      },
    ],
  })
  const put = (body: string, token?: string, name = 'api') =>
    send(server.url, `/_svc/proxy/${name}/mode`, {
      method: 'PUT',
      body,
      headers: token === undefined ? {} : { 'X-Svc-Admin-Token': token },
    })
  t.equal((await put('{"mode":"replay"}')).status, 401)
  const token = 'a'.repeat(32)
  for (const body of ['', '{}', '{"mode":"play"}', '{"mode":"replay","x":1}', '[]', 'x']) {
    const reply = await put(body, token)
    t.match(
      [reply.status, reply.json()],
      [400, { error: 'invalid_mode', modes: ['record', 'replay', 'passthrough', 'replay-or-record'] }],
    )
  }
  t.match([(await put('{"mode":"replay"}', token, 'b')).status], [404])
  t.match((await put('{"mode":"replay"}', token)).json(), { mode: 'replay', configured_mode: 'replay-or-record' })
})

t.test('a switched mode ends with the next reload [PROXY-51]', async t => {
  const upstream = await startUpstream(t)
  const server = await proxyTo(t, [{ name: 'api', target: upstream.url }])
  const mode = async (): Promise<unknown> =>
    (await send(server.url, '/_svc/proxy')).json<{ upstreams: { mode: string }[] }>().upstreams[0]?.mode
  await send(server.url, '/_svc/proxy/api/mode', { method: 'PUT', body: '{"mode":"passthrough"}' })
  t.equal(await mode(), 'passthrough')
  t.equal((await server.host.reload({ force: true })).changed, true)
  t.equal(await mode(), 'replay-or-record')
})

t.test('a wrong upstream is reported with its place, and the others are served [PROXY-52]', async t => {
  const upstream = await startUpstream(t)
  const target = upstream.url
  const server = await proxyTo(t, [
    { name: 'ok', target },
    { name: 'Wrong', target },
    { name: 'ok', target },
    { name: 'same-folder', target, recordings: 'recordings/ok' },
    { name: 'ftp', target: 'ftp://x' },
    { name: 'userinfo', target: 'http://user:secret-word@127.0.0.1/' },
    { name: 'query', target: `${target}/?a=1` },
    { name: 'variable', target, set_headers: { A: '${NOT_SET_ANYWHERE}' } },
    { name: 'reserved', target, set_headers: { Connection: 'close' } },
    { name: 'authority', target, ca_file: 'missing.pem' },
    { name: 'key', target, tming: 'none' },
    { name: 'mode', target, mode: 'play' },
    { name: 'pointer', target, ignore: { json: ['no-slash'] } },
  ])
  const { upstreams } = (await send(server.url, '/_svc/proxy')).json<{ upstreams: { name: string }[] }>()
  t.strictSame(
    upstreams.map(({ name }) => name).filter(name => !['mode', 'pointer', 'key'].includes(name)),
    ['ok'],
  )
  const problems = server.problems().map(({ at, message }) => `${at}: ${message}`)
  for (const expected of [
    /proxy\[1\]\.name/,
    /proxy\[2\]\.name: the name "ok" is already used/,
    /proxy\[3\]\.recordings: another upstream records/,
    /proxy\[4\]\.target/,
    /proxy\[5\]\.target: the target has credentials/,
    /proxy\[6\]\.target: the target has credentials, a query/,
    /proxy\[7\]\.set_headers: the variable NOT_SET_ANYWHERE is not set/,
    /proxy\[8\]\.set_headers: the header "Connection"/,
    /proxy\[9\]\.ca_file: the file can't be read \(ENOENT\)/,
    /proxy\[10\].*tming/,
    /proxy\[11\]\.mode/,
    /proxy\[12\]\.ignore\.json\[0\]/,
  ])
    t.ok(
      problems.some(problem => expected.test(problem)),
      `${expected}`,
    )
  t.notOk(problems.some(problem => problem.includes('secret-word')))
})

t.test('responses beyond the bounds pass through and are not recorded [PROXY-53]', async t => {
  const large = Buffer.alloc(16 * 1024 * 1024 + 1, 'x')
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024))
  const upstream = await startUpstream(t, ({ url }, response) => {
    if (url === '/sized') response.setHeader('Content-Length', large.length)
    if (url === '/bomb') response.setHeader('Content-Encoding', 'gzip')
    if (url === '/bad-coding') response.setHeader('Content-Encoding', 'gzip')
    response.end(url === '/bomb' ? bomb : url === '/bad-coding' ? 'not gzip' : large)
  })
  const server = await proxyTo(t, [{ name: 'api', target: upstream.url, mode: 'record' }])
  const sized = await send(server.url, '/proxy/api/sized')
  t.strictSame([sized.body.length, sized.headers['x-svc-proxy']], [large.length, 'passthrough'])
  t.equal((await send(server.url, '/proxy/api/chunked')).body.length, large.length)
  t.equal((await send(server.url, '/proxy/api/bomb')).body.length, bomb.length)
  t.equal((await send(server.url, '/proxy/api/bad-coding')).text, 'not gzip')
  t.strictSame(await recordingNames(server, 'api'), [])
  t.ok(server.lines.some(line => line.includes('response not recorded')))
})

t.test('a folder has at most 5000 recordings [PROXY-53]', async t => {
  const upstream = await startUpstream(t)
  const server = await proxyTo(t, [{ name: 'api', target: upstream.url }])
  const folder = foldersOf(server, 'api')
  await mkdir(folder, { recursive: true })
  for (let index = 0; index < 5000; index++)
    await writeFile(
      join(folder, `${index}.yaml`),
      `version: 1\nrequest: {method: GET, path: /${index}}\nresponses: [{status: 200, body: "${index}"}]\n`,
    )
  t.equal((await send(server.url, '/proxy/api/4999')).text, '4999')
  const reply = await send(server.url, '/proxy/api/new')
  t.strictSame([reply.status, reply.headers['x-svc-proxy']], [200, 'passthrough'])
  t.equal((await recordingNames(server, 'api')).length, 5000)
  t.match((await send(server.url, '/_svc/proxy')).json(), { upstreams: [{ recordings: { files: 5000, full: true } }] })
  t.ok(server.lines.some(line => line.includes('the folder of recordings is full')))
})
