/** Checks that other plugins contribute. Runs alone: it measures times. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { forPlugin } from '../../core/contract/plugin.ts'
import { launch } from '../../core/testing/launch.ts'
import { probeCommand } from '../../plugins/probe/command/command.ts'
import { catalogWith, createCheckRegistry } from '../../plugins/probe/checks/custom/registry.ts'
import { htmlReport } from '../../plugins/probe/report/html-report.ts'
import { readRoutes, type Routes } from '../../plugins/probe/client/routes.ts'
import type { CheckStep, CustomCheck, ProbeChecks, StepRecord } from '../../plugins/probe/types.ts'
import { root } from '../support/examples.ts'
import { svc } from '../support/terminal.ts'
import { startProxy } from './proxies/reference-proxy.ts'
import { probeThrough, reportOf } from './probe-through.ts'

const EXAMPLES = join(root, 'examples', 'plugins')
const FIXTURES = join(root, 'test', 'fixtures', 'plugins-probe')

function custom(change: Record<string, unknown> = {}): CustomCheck {
  return {
    id: 'test.ONE',
    title: 'One',
    group: 'own',
    level: 'integrity',
    page: { sent: 'a', expected: 'b', why: 'c' },
    steps: [{ name: 'first' }],
    judge: () => ({ verdict: 'pass' }),
    ...change,
  }
}

function registry(plugin = 'test'): ProbeChecks {
  return createCheckRegistry('probe')[forPlugin]!(plugin)
}

const step = (change: Record<string, unknown>): Record<string, unknown> => ({ steps: [{ name: 'a', ...change }] })
const answer = (change: Record<string, unknown>): Record<string, unknown> => step({ answer: change })

t.test('an invalid check is rejected with the reason [PRB-20]', t => {
  const cases: [Record<string, unknown>, RegExp][] = [
    [{ id: 'ONE' }, /check "ONE" is not valid: the id must have a prefix and a name, such as acme\.SOAP-ACTION/],
    [{ id: 'test.one' }, /the id must have/],
    [{ id: 7 }, /check "7" is not valid/],
    [{ title: '' }, /"title"/],
    [{ group: 'Own' }, /"group"/],
    [{ level: 'musts' }, /"level" must be one of must, other-spec/],
    [{ impact: 'huge' }, /"impact"/],
    [{ sources: [{ section: '1' }] }, /"sources"/],
    [{ protocols: ['3'] }, /"protocols"/],
    [{ isAlone: 'yes' }, /"isAlone" must be a boolean/],
    [{ hostile: true }, /unknown key "hostile"; expected id, title/],
    [{ page: { sent: 'a', expected: 'b' } }, /"page" needs/],
    [{ page: { sent: 'a', expected: 'b', why: 'c', seen: ['litellm 7'] } }, /"page.seen" must be a list/],
    [{ judge: null }, /"judge" must be a function/],
    [{ steps: [] }, /"steps" must be a list of 1 to 50/],
    [{ steps: Array.from({ length: 51 }, (_, at) => ({ name: `${at}` })) }, /1 to 50/],
    [{ steps: [{ name: 'a' }, { name: 'a' }] }, /two steps have the same name/],
    [{ steps: [{ name: 'a', sameConnection: true }] }, /step 1: the first step has no connection/],
    [step({ name: '' }), /step 1: "name"/],
    [step({ method: 'GET /' }), /"method"/],
    [step({ rest: 'a' }), /"rest" must begin with/],
    [step({ rest: '/a b' }), /no spaces/],
    [step({ path: 'soap' }), /"path"/],
    [step({ fields: [['a b', 'c']] }), /name of a field/],
    [step({ fields: [['A', 'b\r\nC: d']] }), /value of A/],
    [step({ fields: [['Host', 'b']] }), /the probe itself adds Host/],
    [step({ fields: [['Content-Length', '1']] }), /the probe itself adds Content-Length/],
    [step({ fields: ['A'] }), /\[name, value\]/],
    [step({ body: 7 }), /"body" must be a text or a Buffer/],
    [step({ body: 'x'.repeat(1024 * 1024 + 1) }), /at most 1048576 bytes/],
    [step({ isChunked: 1 }), /"isChunked" must be a boolean/],
    [step({ wait: 1 }), /unknown key "wait"/],
    [answer({ status: 100 }), /"status" must be from 200 to 599/],
    [answer({ status: 204, body: 'x' }), /has no body/],
    [answer({ body: 'x', parts: [] }), /exclude each other/],
    [answer({ delayMs: 60_000 }), /"delayMs"/],
    [answer({ then: 'stay' }), /"then" must be one of keep, end, reset/],
    [answer({ parts: [{}] }), /each of "parts" needs a text/],
    [answer({ fields: [['Transfer-Encoding', 'x']] }), /the probe itself adds/],
    [answer({ reason: 'x' }), /unknown key "reason"/],
  ]
  for (const [change, message] of cases) t.throws(() => registry().add(custom(change)), { message })
  t.throws(() => registry().add('no' as never), { message: /a check must be an object/ })
  t.end()
})

t.test('an id exists once, and the number of checks is bounded [PRB-20]', t => {
  const point = createCheckRegistry('probe')
  point[forPlugin]!('first').add(custom())
  t.throws(() => point[forPlugin]!('second').add(custom()), {
    message: 'the check test.ONE of second was already added by first',
  })
  for (let at = 1; at < 200; at++) point.add(custom({ id: `test.N${at}` }))
  t.throws(() => point.add(custom({ id: 'test.LAST' })), { message: /at most 200 checks/ })
  t.end()
})

t.test('a plugin with an invalid check fails alone, with the reason [PRB-20]', async t => {
  const server = await launch({ folders: [FIXTURES], plugins: ['probe-once', 'probe-twice', 'probe-invalid'] })
  t.teardown(() => server.stop())
  const reasons = Object.fromEntries(server.plugins().map(({ name, error }) => [name, error?.message]))
  t.match(reasons['probe-invalid'], /the check "wrong" is not valid/)
  t.match(reasons['probe-twice'], /the check probe-once\.SAME of probe-twice was already added by probe-once/)
  const { checks } = (await (await fetch(`${server.url}/_svc/probe/checks`)).json()) as { checks: { id: string }[] }
  t.strictSame(
    checks.map(({ id }) => id).filter(id => id.includes('.')),
    ['probe-once.SAME'],
  )
})

/** A working folder whose svc.yaml enables only these plugins, so that a start is quick. */
function folderWith(t: Test, directory: string, enable: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-probe-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'svc.yaml'), JSON.stringify({ plugins: { dirs: [directory], enable } }))
  return folder
}

t.test('the page shows the example [PRB-20]', t => {
  const [, shown] = /```ts\n(const TENANT[^]*?)\n```/.exec(readFileSync(join(root, 'docs', 'probe.md'), 'utf8'))!
  t.ok(readFileSync(join(EXAMPLES, 'probe-acme', 'index.ts'), 'utf8').includes(shown!))
  t.end()
})

t.test('svc probe lists and explains the checks of plugins [PRB-20]', async t => {
  const folder = folderWith(t, EXAMPLES, ['probe-acme'])
  const listed = await svc(['probe', 'list', '--groups', 'acme', '--json'], { folder })
  t.match(JSON.parse(listed.output), {
    checks: [
      { id: 'acme.TENANT', level: 'integrity', impact: 'high', group: 'acme' },
      { id: 'acme.PROBLEM-DETAILS', impact: 'medium' },
    ],
  })
})

t.test('the command shows and selects checks of plugins [PRB-20]', async t => {
  const point = registry()
  point.add(custom({ sources: [{ spec: 'RFC 9457', section: '3' }] }))
  const folder = folderWith(t, FIXTURES, [])
  const run = async (...args: string[]): Promise<{ exitCode: number; out: string; err: string }> => {
    let out = ''
    let err = ''
    const result = await probeCommand.run(args, {
      out: { write: text => void (out += text) },
      err: { write: text => void (err += text) },
      environment: {},
      workingDirectory: folder,
      version: '1.0.0',
      gitSha: null,
      section: undefined,
      use: () => Promise.resolve(point as never),
      startServer: () => Promise.reject(new Error('not here')),
    })
    return { exitCode: 'exitCode' in result ? result.exitCode : -1, out, err }
  }
  t.match(await run('show', 'test.ONE'), { exitCode: 0, out: /RFC 9457 section 3[^]*Sent: a\n/ })
  t.match(await run('show', 'test.ON'), { exitCode: 2, err: /did you mean test\.ONE\?/ })
  t.match(await run('http://127.0.0.1:1', '--checks', 'test.*', '--routes', 'svc.yaml'), {
    exitCode: 2,
    err: /unknown key "plugins"; expected llm, [a-z0-9, ]*, own$/m,
  })
})

t.test('svc probe reports plugins whose checks are invalid [PRB-20]', async t => {
  const folder = folderWith(t, FIXTURES, ['probe-invalid', 'probe-once'])
  const { output, errors } = await svc(['probe', 'list', '--groups', 'reach,own'], { folder })
  t.match(errors, /the plugin probe-invalid failed: the check "wrong" is not valid/)
  t.match(output, /^RCH-NONCE[^]*probe-once\.SAME/)
})

t.test('reports say why a check of a plugin matters [PRB-20]', async t => {
  const server = await launch({ plugins: ['probe'] })
  t.teardown(() => server.stop())
  const proxy = await startProxy(server.ports.http!)
  t.teardown(() => proxy.close())
  const point = registry()
  point.add(
    custom({
      page: { sent: 'a', expected: 'b', why: 'Applications <trust> it.' },
      judge: () => ({ verdict: 'fail', summary: 'arrives', values: { seen: ['x'] } }),
    }),
  )
  const checks = catalogWith(point).filter(({ id }) => id === 'test.ONE' || id === 'HDR-VIA')
  const report = reportOf(await probeThrough(proxy.url, server.url, { checks }))
  t.match(report.results, [{ id: 'HDR-VIA' }, { id: 'test.ONE', group: 'own', why: 'Applications <trust> it.' }])
  t.notOk('why' in report.results[0]!)
  t.match(htmlReport(report), /<h2 id="own-title">own<\/h2>[^]*Why it matters: Applications &lt;trust&gt; it\./)
})

interface Tried {
  verdict: string
  text: string
  steps: readonly StepRecord[]
}

t.test('checks of plugins run like all others [PRB-20]', async t => {
  const server = await launch({ plugins: ['probe'] })
  t.teardown(() => server.stop())
  const proxy = await startProxy(server.ports.http!)
  t.teardown(() => proxy.close())
  const run = async (change: Record<string, unknown>, routes?: Routes): Promise<Tried> => {
    let steps: readonly StepRecord[] = []
    const judge: CustomCheck['judge'] = (recorded, facts) => {
      steps = recorded
      return typeof change.judge === 'function'
        ? (change.judge as CustomCheck['judge'])(recorded, facts)
        : { verdict: 'pass' }
    }
    const point = registry()
    point.add(custom({ ...change, judge }))
    const checks = catalogWith(point).filter(({ id }) => id === 'test.ONE')
    const { results } = await probeThrough(proxy.url, server.url, { checks, ...(routes && { routes }) })
    const [{ verdict, summary, reason }] = results as [(typeof results)[0]]
    return { verdict, text: reason ?? summary, steps }
  }
  const one = async (change: Partial<CheckStep>, routes?: Routes): Promise<StepRecord> => {
    const { verdict, text, steps } = await run({ steps: [{ name: 'a', ...change }] }, routes)
    t.equal(verdict, 'pass', text)
    return steps[0]!
  }

  const plain = await one({ method: 'PUT', rest: '/x?y=1', fields: [['X-One', 'a']], body: 'grün', isChunked: true })
  const [arrived] = plain.arrivals
  t.match(arrived, { method: 'PUT', rest: '/x?y=1', isComplete: true, protocol: '1.1' })
  t.strictSame([arrived!.field('x-one'), arrived!.body.toString()], [['a'], 'grün'])
  t.strictSame([arrived!.trailers, arrived!.resetCode], [[], null])
  t.match(plain.answer, { status: 200, isComplete: true })
  t.match(plain.answer!.body.toString(), /^probe \d+$/)

  const parts = await one({ answer: { status: 201, parts: [{ text: 'a' }, { text: 'b', afterMs: 100 }] } })
  t.match([parts.answer!.status, parts.answer!.body.toString()], [201, 'ab'])
  const empty = await one({ answer: { status: 204, fields: [['X-Two', 'b']] } })
  t.strictSame([empty.answer!.status, empty.answer!.field('x-two'), empty.answer!.body.length], [204, ['b'], 0])
  const head = await one({ method: 'HEAD', answer: { body: Buffer.from('12345') } })
  t.strictSame([head.answer!.field('content-length'), head.answer!.body.length], [['5'], 0])
  t.match((await one({ path: '/soap' })).arrivals[0]!.target, /^\/soap$/)
  const routes = readRoutes({ own: '/below' }, { newGroups: ['own'] })
  if (typeof routes === 'string') throw new Error(routes)
  t.match((await one({}, routes)).arrivals[0]!.target, /^\/below\/probe\//)

  const shared = await run({ steps: [{ name: 'a' }, { name: 'b', sameConnection: true }, { name: 'c' }] })
  t.strictSame(
    shared.steps.map(({ name, arrivals }) => `${name} ${arrivals.length}`),
    ['a 1', 'b 1', 'c 1'],
  )

  const judged = async (judge: () => unknown): Promise<string[]> => {
    const { verdict, text } = await run({ judge })
    return [verdict, text]
  }
  t.strictSame(await judged(() => ({ verdict: 'warn', summary: 'x'.repeat(600) })), ['warn', 'x'.repeat(500)])
  t.strictSame(await judged(() => ({ verdict: 'skip', summary: 'not here' })), ['skip', 'not here'])
  t.match(await judged(() => 'good'), ['error', /judge must return a verdict/])
  t.match(await judged(() => ({ verdict: 'flaky' })), ['error', /judge must return a verdict: pass, fail/])
  t.match(await judged(() => ({ verdict: 'pass', summary: 1 })), ['error', /must be a text/])
  t.match(await judged(() => ({ verdict: 'pass', values: { a: 'x'.repeat(20_000) } })), ['error', /16384/])
  const failing = (): never => {
    throw new Error('own fault')
  }
  t.match(await judged(failing), ['error', 'own fault'])
})
