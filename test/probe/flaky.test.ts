/** Attempts that disagree: how many found what, and the evidence of those that did not pass. */
import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { launch } from '../../core/testing/launch.ts'
import { defineCheck, type VerdictWord } from '../../plugins/probe/catalog/check.ts'
import { htmlReport } from '../../plugins/probe/report/html-report.ts'
import { junitReport } from '../../plugins/probe/report/junit-report.ts'
import { markdownReport } from '../../plugins/probe/report/markdown-report.ts'
import type { Report } from '../../plugins/probe/report/report.ts'
import { terminalReport } from '../../plugins/probe/report/terminal-report.ts'
import { startProxy } from './proxies/reference-proxy.ts'
import { probeThrough, reportOf } from './probe-through.ts'

const validate = new Ajv2020({ strict: false, allErrors: true }).compile(
  JSON.parse(readFileSync('plugins/probe/report.schema.json', 'utf8')) as object,
)

type Judged = readonly [verdict: VerdictWord, summary: string]

t.test('of attempts that disagree, the first and the last finding are kept [PRB-28]', async t => {
  const server = await launch({ plugins: ['probe'] })
  t.teardown(() => server.stop())
  const proxy = await startProxy(server.ports.http!)
  t.teardown(() => proxy.close())
  /** A run of one check whose attempts are judged in this way; each sends its number. */
  const run = async (judged: readonly Judged[]): Promise<Report> => {
    const left = [...judged]
    let attempt = -1
    const check = defineCheck({
      id: 'TEST-FLAKY',
      title: 'Flaky',
      group: 'headers',
      since: '2026.1',
      level: 'must',
      sources: [],
      page: { sent: 'a', expected: 'b', why: 'c' },
      // The first one is the direct run.
      plan: () => ({ connections: [{ requests: [{ fields: [['X-Attempt', String(++attempt)]] }] }] }),
      judge: () => {
        const [verdict, summary] = left.shift()!
        return { verdict, summary, values: {} }
      },
    })
    const report = reportOf(await probeThrough(proxy.url, server.url, { checks: [check], repeat: 3 }))
    t.ok(validate(report), JSON.stringify(validate.errors))
    return report
  }
  const sent = (exchanges: Report['results'][0]['exchanges']): string => JSON.stringify(exchanges[0]!.sent)

  const two = await run([
    ['fail', 'lost'],
    ['pass', ''],
    ['fail', 'changed'],
  ])
  const [result] = two.results
  t.match(result, { verdict: 'flaky', summary: 'changed', repeats: ['fail', 'pass', 'fail'] })
  t.match(sent(result!.exchanges), 'X-Attempt: 3')
  t.match(result!.other_attempt, { verdict: 'fail', summary: 'lost' })
  t.match(sent(result!.other_attempt!.exchanges), 'X-Attempt: 1')
  const text = 'fail in 2 of 3 attempts, pass in 1: changed'
  const first = 'In the first attempt, fail: lost'
  for (const shown of [
    terminalReport(two, ['fail']),
    markdownReport(two),
    htmlReport(two),
    junitReport(two, ['fail', 'flaky']),
  ]) {
    t.match(shown, text)
    t.match(shown, first)
  }
  for (const shown of [htmlReport(two), junitReport(two, ['fail', 'flaky'])])
    for (const number of [1, 3]) t.match(shown, `X-Attempt: ${number}`)

  const same = (
    await run([
      ['warn', 'late'],
      ['pass', ''],
      ['warn', 'late'],
    ])
  ).results[0]!
  t.match(same, { verdict: 'flaky', summary: 'late' })
  t.equal(same.other_attempt, undefined, 'what was found twice is shown once')

  const once = (
    await run([
      ['fail', 'lost'],
      ['pass', ''],
      ['pass', ''],
    ])
  ).results[0]!
  t.match(once, { verdict: 'flaky', summary: 'lost' })
  t.match(sent(once.exchanges), 'X-Attempt: 1')
  t.equal(once.other_attempt, undefined)

  const agreed = (
    await run([
      ['fail', 'one'],
      ['fail', 'two'],
      ['fail', 'three'],
    ])
  ).results[0]!
  t.match(agreed, { verdict: 'fail', summary: 'three' })
  t.match(sent(agreed.exchanges), 'X-Attempt: 3', 'the evidence is that of the text')
  t.equal(agreed.other_attempt, undefined)
})
