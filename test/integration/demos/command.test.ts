/** `svc demo`: what it prints, and its exit codes (sheet demos, 5). Takes long: it starts processes. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { freePort } from '../../support/free-ports.ts'
import { startDemoProxy } from '../../support/demo-proxy.ts'
import { serve } from '../../support/server.ts'
import { svc } from '../../support/terminal.ts'

t.test('run judges what goes through a gateway', async t => {
  const server = await serve(t, { plugins: ['demos', 'echo'], oneProcess: 'the command asks one address' })
  const upstream = ['--upstream', server.url]
  const gateway = await startDemoProxy(t, server.url, { attempts: 3 })
  const seen = await svc(['demo', 'run', 'retry', '--through', gateway, ...upstream, '--control'])
  t.match(seen, { code: 0, output: /2\. The upstream fails: seen \(1 sent, 3 arrived\)[^]*retry: seen\n/ })
  t.match(seen.output, /without the gateway: not-seen\n/)
  const direct = await svc(['demo', 'run', 'retry', '--direct', ...upstream, '--format', 'json'])
  t.equal(direct.code, 1)
  t.match(JSON.parse(direct.output), { svc_demo: 1, summary: { seen: 0, not_seen: 1 }, demos: [{ demo: 'retry' }] })
  const folder = mkdtempSync(join(tmpdir(), 'svc-demo-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const formats = ['--format', 'terminal,junit,markdown,html', '--out', 'reports', '--repeat', '2', '--verbose']
  const written = await svc(
    ['demo', 'run', 'retry', '--through', gateway, ...upstream, ...formats, '--bearer', 'my-secret', '--timeout', '5'],
    { folder },
  )
  t.match(written, {
    code: 0,
    output: /GET \/anything\/[a-z2-7]{16}\/calm: 200 in \d+ ms[^]*retry: seen\n[^]*retry: seen\n/,
  })
  const read = (file: string): string => readFileSync(join(folder, 'reports', file), 'utf8')
  t.match(JSON.parse(read('report.json')), { summary: { seen: 2, not_seen: 0 }, run: { arguments: ['run', 'retry'] } })
  t.match(read('report.xml'), /<testsuite name="retry" tests="3" failures="0" errors="0" skipped="0">/)
  t.match(read('report.md'), /2 seen, 0 not seen[^]*## Retries hide a failing upstream: seen/)
  t.match(read('report.html'), /<title>Demos<\/title>[^]*Retries hide a failing upstream/)
  for (const file of ['report.json', 'report.xml', 'report.md', 'report.html']) t.notMatch(read(file), /my-secret/)
  const closed = ['--through', 'http://127.0.0.1:9', ...upstream]
  t.match(await svc(['demo', 'run', 'retry', ...closed]), { code: 3 })
  const refusing = await startDemoProxy(t, server.url, { refusesAll: 401 })
  t.match(await svc(['demo', 'run', 'retry', '--through', refusing, ...upstream]), {
    code: 4,
    output: /not-judged, not forwarded: refused with 401/,
  })
})

t.test('--listen starts an svc for the time of the run', async t => {
  const port = await freePort()
  const gateway = await startDemoProxy(t, `http://127.0.0.1:${port}`, { attempts: 3 })
  const listen = ['--listen', String(port), '--listen-https', '0', '--listen-grpc', '0']
  t.match(await svc(['demo', 'run', 'retry', '--through', gateway, ...listen]), { code: 0, output: /retry: seen\n/ })
  t.match(await svc(['demo', 'run', 'retry', '--direct', '--listen', '127.0.0.1:0', '--quiet']), {
    code: 1,
    output: /^retry: not-seen/,
  })
  const server = await serve(t, { plugins: ['echo'], oneProcess: 'its port is taken' })
  t.match(await svc(['demo', 'run', 'retry', '--direct', '--listen', new URL(server.url).port]), {
    code: 3,
    errors: /^the upstream could not start: .*EADDRINUSE/,
  })
})

t.test('list and show print the catalog, and a configuration', async t => {
  const { code, output } = await svc(['demo', 'list', '--area', 'reliability'])
  t.equal(code, 0)
  t.match(output, /^circuit-breaker +reliability +A failing[^]*\nretry /)
  t.match(await svc(['demo', 'show', 'retry']), { code: 0, output: /--set attempts=3\n[^]*--gateway envoy/ })
  const addresses = ['--through', 'http://localhost:9000', '--upstream', 'http://127.0.0.1:9001']
  const shown = await svc(['demo', 'show', 'retry', '--gateway', 'envoy', ...addresses])
  t.match(shown, { code: 0, output: /port_value: 9000[^]*address: 127\.0\.0\.1, port_value: 9001/ })
  t.notMatch(shown.output, /8080|8000/)
})

t.test('a wrong command line or file is exit code 2', async t => {
  const wrong = async (args: string[], errors: RegExp): Promise<void> =>
    void t.match(await svc(['demo', ...args]), { code: 2, errors }, args.join(' '))
  await wrong(['rum'], /did you mean "run"/)
  await wrong(['run', 'retri', '--direct'], /did you mean "retry"/)
  await wrong(['run', 'retry'], /expected --through/)
  await wrong(['run', 'retry', '--direct', '--format', 'jsn'], /did you mean "json"/)
  await wrong(['run', 'retry', '--direct', '--format', 'json,html'], /several formats need --out/)
  await wrong(['run', 'retry', '--direct', '--repeat', '0'], /--repeat must be a whole number from 1 to 100/)
  await wrong(['run', 'retry', '--direct', '--routes', '/none/routes.yaml'], /--routes: cannot read/)
  await wrong(['run', 'retry', '--direct', '--listen', '8080', '--upstream', 'http://a'], /cannot be combined/)
  await wrong(['run', 'retry', '--direct', '--listen-grpc', '8081'], /--listen-grpc needs --listen/)
  await wrong(
    ['run', 'retry', '--direct', '--bearer', '${NOT_SET_ANYWHERE}'],
    /the variable NOT_SET_ANYWHERE is not set/,
  )
  await wrong(['run', 'retry', '--direct', '--listen', '80808'], /--listen must be a number from 0 to 65535/)
  await wrong(['new', 'runs'], /is not runs or check/)
  await wrong(['show', 'retry', '--gateway', 'envoi'], /did you mean "envoy"/)
  await wrong(['show', 'retry', '--gateway', 'envoy', '--upstream', 'svc'], /--upstream: expected an origin/)
})

t.test('check validates files and does their control runs', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-demo-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const write = (name: string, control: string, path: string): void =>
    writeFileSync(
      join(folder, name),
      `demo: one\ntitle: One\narea: traffic\nshows: One.\nroute: { path: /anything/** }\ncontrol: ${control}\nsteps:\n  - title: First\n    send: { ${path}: "/anything/{run}/a" }\n    expect: [{ responses: { status: 200 } }]\n`,
    )
  write('good.yaml', 'seen', 'path')
  write('differs.yaml', 'not-seen', 'path')
  write('wrong.yaml', 'seen', 'pat')
  t.match(await svc(['demo', 'check', 'good.yaml'], { folder }), { code: 0, output: 'one: valid, control run seen\n' })
  t.match(await svc(['demo', 'check', 'differs.yaml'], { folder }), {
    code: 1,
    output: /control run seen, expected not-s/,
  })
  t.match(await svc(['demo', 'check', 'wrong.yaml'], { folder }), {
    code: 2,
    errors: /wrong\.yaml:9: steps\[0\]\.send/,
  })
})

t.test('new writes a file that passes check, and overwrites none', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-demo-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  t.match(await svc(['demo', 'new', 'mine', '--area', 'security'], { folder }), { code: 0, output: 'mine.yaml\n' })
  t.match(await svc(['demo', 'check', 'mine.yaml'], { folder }), { code: 0, errors: '' })
  t.match(await svc(['demo', 'new', 'mine'], { folder }), { code: 2, errors: /mine\.yaml exists already/ })
})

t.test('demos of svc.yaml are in the list, and may replace one that comes with svc', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-demo-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'demos'))
  await svc(['demo', 'new', 'retry', '--area', 'security'], { folder: join(folder, 'demos') })
  writeFileSync(join(folder, 'svc.yaml'), 'demos:\n  folders: [demos]\n')
  const { output } = await svc(['demo', 'list', '--area', 'security', '--json'], { folder })
  const { demos } = JSON.parse(output) as { demos: { demo: string; title: string }[] }
  t.match(
    demos.filter(({ demo }) => demo === 'retry'),
    [{ title: 'The gateway adds a header' }],
  )
})
