/** `svc demo`: what it prints, and its exit codes (sheet demos, 5). */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
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
  const direct = await svc(['demo', 'run', 'retry', '--direct', ...upstream, '--json'])
  t.equal(direct.code, 1)
  t.match(JSON.parse(direct.output), { svc_demo: 1, summary: { seen: 0, not_seen: 1 }, demos: [{ demo: 'retry' }] })
  const closed = ['--through', 'http://127.0.0.1:9', ...upstream]
  t.match(await svc(['demo', 'run', 'retry', ...closed]), { code: 3 })
  const refusing = await startDemoProxy(t, server.url, { refusesAll: 401 })
  t.match(await svc(['demo', 'run', 'retry', '--through', refusing, ...upstream]), {
    code: 4,
    output: /not-judged, not forwarded: refused with 401/,
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
  await wrong(['show', 'retry', '--gateway', 'envoi'], /did you mean "envoy"/)
  await wrong(['show', 'retry', '--gateway', 'envoy', '--upstream', 'svc'], /--upstream must be an origin/)
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
