/** svc probe replay: again through the gateway, or offline with the evidence of a report. Runs alone: it measures times. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { CommandContext } from '../../core/contract/command.ts'
import { launch } from '../../core/testing/launch.ts'
import { CATALOG } from '../../plugins/probe/checks/index.ts'
import { probeCommand } from '../../plugins/probe/command/command.ts'
import { judgeAgain } from '../../plugins/probe/report/judge-again.ts'
import type { Report } from '../../plugins/probe/report/report.ts'
import { startHttp2Proxy } from './proxies/http2-proxy.ts'
import { startProxy, type Fault } from './proxies/reference-proxy.ts'
import { probeThrough, quickChecks, reportOf } from './probe-through.ts'

interface Ran {
  exitCode: number
  out: string
  err: string
}

async function run(args: readonly string[], workingDirectory: string): Promise<Ran> {
  let out = ''
  let err = ''
  const context: CommandContext = {
    out: { write: text => void (out += text) },
    err: { write: text => void (err += text) },
    environment: {},
    workingDirectory,
    version: '1.0.0',
    gitSha: null,
    section: undefined,
    use: () => Promise.resolve(undefined),
    startServer: () => Promise.reject(new Error('not here')),
  }
  const result = await probeCommand.run([...args], context)
  return { exitCode: 'exitCode' in result ? result.exitCode : -1, out, err }
}

function workingFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-probe-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Compares each result of the report with what its evidence gives again; returns how many were compared. */
function compare(t: Test, report: Report): number {
  let compared = 0
  for (const result of report.results) {
    if (result.recorded === undefined) continue
    const again = judgeAgain(report, result, CATALOG.find(({ id }) => id === result.id)!)
    if (typeof again === 'string') continue
    compared++
    const { verdict, summary, reason, values } = result
    t.strictSame(again, { verdict, summary, reason, values }, `${result.id} ${result.protocol}`)
  }
  return compared
}

const WRONG: Fault = {
  request: head => void (head.fields = head.fields.filter(([name]) => !/^(?:via|x-probe-alpha)$/i.test(name))),
  response: head => void head.fields.push(['Server', 'wrong/1.0']),
}

t.test('recorded evidence is judged as it was in the run [PRB-22]', async t => {
  const server = await launch({ plugins: ['probe', 'mcp', 'a2a', 'identity'] })
  t.teardown(() => server.stop())
  const proxy = await startProxy(server.ports.http!, WRONG)
  t.teardown(() => proxy.close())
  const hostile = CATALOG.filter(check => check.hostile === true)
  const checks = CATALOG.filter(check => quickChecks().includes(check) || hostile.includes(check))
  const result = await probeThrough(proxy.url, server.url, { checks, isHostile: true })
  t.ok(compare(t, reportOf(result)) > 90)
  const inHttp2 = await startHttp2Proxy(server.ports)
  t.teardown(() => inHttp2.close())
  const both = CATALOG.filter(({ protocols, group }) => protocols?.includes('2') === true && group === 'headers')
  t.ok(compare(t, reportOf(await probeThrough(inHttp2.url, server.url, { checks: both, isHttp2: true }))) > 10)
})

t.test('replay --offline judges the report, and contacts nobody [PRB-22]', async t => {
  const folder = workingFolder(t)
  const server = await launch({ plugins: ['probe'] })
  t.teardown(() => server.stop())
  const proxy = await startProxy(server.ports.http!, WRONG)
  const args = [proxy.url, '--upstream', server.url, '--groups', 'headers', '--bearer', 'very-secret-token']
  const first = await run([...args, '--repeat', '1', '--out', 'out', '--format', 'json'], folder)
  await proxy.close()
  t.equal(first.exitCode, 1, first.err)
  const report = 'out/report.json'
  t.notMatch(readFileSync(join(folder, report), 'utf8'), /very-secret-token/)
  const failed = await run(['replay', report, 'HDR-VIA', '--offline'], folder)
  t.match(failed, { exitCode: 1, out: /^HDR-VIA fail: no Via field in the request\n[^]*Sent[^]*Arrived/ })
  t.equal((await run(['replay', report, 'HDR-VIA', '--offline', '--fail-on', 'none'], folder)).exitCode, 0)
  t.match(await run(['replay', report, 'HDR-UNKNOWN', '--offline'], folder), { exitCode: 0, out: /^HDR-UNKNOWN warn/ })

  const changed = JSON.parse(readFileSync(join(folder, report), 'utf8')) as Report
  const via = changed.results.find(({ id }) => id === 'HDR-VIA')!
  const [arrival] = via.recorded!.exchanges[0]!.calls[0]!.arrivals
  arrival!.head = arrival!.head.replace('\r\n', '\r\nVia: 1.1 gateway\r\n')
  writeFileSync(join(folder, 'changed.json'), JSON.stringify(changed))
  const passed = await run(['replay', 'changed.json', 'HDR-VIA', '--offline'], folder)
  t.match(passed, {
    exitCode: 0,
    out: /^HDR-VIA pass: {2}?\(the report says fail\)|^HDR-VIA pass: [^\n]*\(the report says fail\)/,
  })
  via.recorded!.exchanges.push(via.recorded!.exchanges[0]!)
  writeFileSync(join(folder, 'longer.json'), JSON.stringify(changed))
  t.match(
    (await run(['replay', 'longer.json', 'HDR-VIA', '--offline'], folder)).out,
    /error: HDR-VIA sends other requests/,
  )

  const cases: [string[], RegExp][] = [
    [['HDR-CASE'], /no evidence of HDR-CASE \(note\): run it with --verbose/],
    [['TGT-DOT'], /has no result of TGT-DOT/],
    [['HDR-VIA', 'http://127.0.0.1:1'], /contacts no gateway/],
    [['HDR-VIA', '--repeat', '2'], /unknown option: --repeat/],
    [['HDR-VIA', '--fail-on', 'fails'], /did you mean fail\?/],
  ]
  for (const [[id = '', ...more], message] of cases) {
    const { exitCode, err } = await run(['replay', report, id, ...more, '--offline'], folder)
    t.equal(exitCode, 2, id)
    t.match(err, message)
  }
})

t.test('replay remembers the options of the run, --routes included [PRB-22]', async t => {
  const folder = workingFolder(t)
  const server = await launch({ plugins: ['probe'] })
  t.teardown(() => server.stop())
  const proxy = await startProxy(server.ports.http!)
  t.teardown(() => proxy.close())
  writeFileSync(join(folder, 'routes.yaml'), 'llm: {openai: /models/v1, model: small}\n')
  const args = [
    proxy.url,
    '--upstream',
    server.url,
    '--routes',
    'routes.yaml',
    '--checks',
    'LLM-CRED',
    '--timeout',
    '7',
  ]
  const first = await run([...args, '--out', 'out', '--format', 'json'], folder)
  t.equal(first.exitCode, 0, first.err)
  const again = await run(['replay', 'out/report.json', 'LLM-CRED'], folder)
  t.match(again, { exitCode: 0, out: /^LLM-CRED note[^]*POST \/models\/v1\/chat\/completions[^]*"model":"small"/ })
  rmSync(join(folder, 'routes.yaml'))
  const lost = await run(['replay', 'out/report.json', 'LLM-CRED'], folder)
  t.match(lost, { exitCode: 2, err: /--routes: cannot read/ })
  writeFileSync(join(folder, 'other.yaml'), 'llm: {openai: /other/v1}\n')
  const other = await run(['replay', 'out/report.json', 'LLM-CRED', '--routes', 'other.yaml'], folder)
  t.match(other.out, /POST \/other\/v1\/chat\/completions/)
})
