/** Faults requested by header. */
import t from 'tap'
import { injectedFaultBody, parseDelay, parseFail, rollPercent } from '../../../core/rules/fault-headers.ts'

t.test('parses a delay [FAULT-1]', async t => {
  const rows: [value: string, ms: number][] = [
    ['250', 250],
    [' 250\t', 250],
    ['0', 0],
    ['000250', 250],
    ['30000', 30_000],
    ['30001', 30_000],
    ['9'.repeat(20), 30_000],
    ['9'.repeat(100_000), 30_000],
  ]
  for (const [value, ms] of rows) t.equal(parseDelay(value, 30_000), ms, value.slice(0, 40))
  t.equal(parseDelay('30000', 10_000), 10_000)
})

t.test('ignores invalid delays [FAULT-1]', async t => {
  for (const value of [
    undefined,
    '',
    ' ',
    '-5',
    '+5',
    'abc',
    '1.5',
    '250ms',
    '1e3',
    '0x10',
    '1 2',
    '1,2',
    '\u0661',
    `${' '.repeat(100_000)}x`,
    `1${' '.repeat(100_000)}2`,
  ]) {
    t.equal(parseDelay(value, 30_000), 0, String(value).slice(0, 40))
  }
})

t.test('parses a fail value [FAULT-2]', async t => {
  const rows: [value: string, status: number, percent: number][] = [
    ['503', 503, 100],
    ['400', 400, 100],
    ['599', 599, 100],
    [' 429 ', 429, 100],
    ['503:50', 503, 50],
    ['503:0', 503, 0],
    ['503:100', 503, 100],
    ['503:50%', 503, 50],
    ['503 : 50', 503, 50],
    ['\t503 :\t50 % ', 503, 50],
    ['503:007', 503, 7],
  ]
  for (const [value, status, percent] of rows) t.strictSame(parseFail(value), { status, percent }, value)
})

t.test('ignores invalid fail values [FAULT-2]', async t => {
  const values = [
    undefined,
    '',
    ' ',
    '200',
    '399',
    '600',
    '999',
    '50',
    '5030',
    '503:101',
    '503:-1',
    '503:',
    ':50',
    ':',
    'teapot',
    '503:50:50',
    '503:50%%',
    '503%',
    '503:%',
    '503:1.5',
    '503:1e1',
    '+503',
    '503;50',
    '503, 429',
    '503:5 0',
    '\u0665\u0660\u0663',
    '503:9999',
    '5'.repeat(100_000),
    `503${' '.repeat(100_000)}x`,
    `503:${' '.repeat(100_000)}x`,
    `503:50${' '.repeat(100_000)}x`,
    `503${':'.repeat(100_000)}`,
  ]
  for (const value of values) t.equal(parseFail(value), null, String(value).slice(0, 40))
})

t.test('fails by the percentage, independently per request [FAULT-3]', async t => {
  const rows: [percent: number, drawn: number, fails: boolean][] = [
    [100, 0.999999, true],
    [100, 0, true],
    [0, 0, false],
    [0, 0.5, false],
    [50, 0.499, true],
    [50, 0.5, false],
    [1, 0.0099, true],
    [1, 0.01, false],
    [99, 0.989, true],
    [99, 0.99, false],
  ]
  for (const [percent, drawn, fails] of rows)
    t.equal(
      rollPercent(percent, () => drawn),
      fails,
      `${percent} ${drawn}`,
    )
  t.equal(rollPercent(100), true)
  t.equal(rollPercent(0), false)
})

t.test('describes the injected fault [FAULT-4]', async t => {
  t.strictSame(injectedFaultBody(503, 100), {
    error: 'injected fault',
    status: 503,
    reason: 'Service Unavailable',
    percent: 100,
    injected_by: 'X-Svc-Fail',
  })
  t.equal(
    JSON.stringify(injectedFaultBody(503, 100)),
    '{"error":"injected fault","status":503,"reason":"Service Unavailable","percent":100,"injected_by":"X-Svc-Fail"}',
  )
  t.equal(injectedFaultBody(499, 50).reason, 'Error')
  t.equal(injectedFaultBody(429, 50).reason, 'Too Many Requests')
})
