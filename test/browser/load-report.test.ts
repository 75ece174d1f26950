/** The report of a load test, without a browser. */
import t from 'tap'
import { joinFault, splitFault } from '../../plugins/console/client/lib/instance/faults.ts'
import { breakerBands, percentile, reportOf, senderOf } from '../../plugins/console/client/lib/load/load-report.ts'
import type { Sample } from '../../plugins/console/client/lib/load/load.ts'

const sample = (number: number, changes: Partial<Sample> = {}): Sample => ({
  number,
  id: `id-${number}`,
  startMs: number * 10,
  ms: number + 1,
  status: 200,
  error: null,
  limit: null,
  fault: null,
  ...changes,
})

t.test('percentiles are measured values, by nearest rank [CHAOS-5]', async t => {
  const hundred = Array.from({ length: 100 }, (_, at) => at + 1)
  t.strictSame(
    [50, 90, 99].map(percent => percentile(hundred, percent)),
    [50, 90, 99],
  )
  t.strictSame(
    [50, 90, 99].map(percent => percentile([7], percent)),
    [7, 7, 7],
  )
  t.equal(percentile([1, 2, 3, 4], 50), 2)
})

t.test('a report counts statuses, errors and retries [CHAOS-5]', async t => {
  const samples = [
    sample(0),
    sample(1, { status: 503 }),
    sample(2, { status: null, error: 'no response' }),
    sample(3, { status: 200, error: 'incomplete response' }),
    sample(4),
  ]
  const report = reportOf(
    samples,
    new Map([
      ['id-0', [200]],
      ['id-1', [503, 503, 503]],
    ]),
    true,
  )
  t.strictSame(report.histogram, [
    { key: '200', sampleClass: '2xx', count: 2 },
    { key: '503', sampleClass: '5xx', count: 1 },
    { key: 'incomplete response', sampleClass: 'error', count: 1 },
    { key: 'no response', sampleClass: 'error', count: 1 },
  ])
  t.match(report, { count: 5, errors: 2, retries: 2, latency: { p50: 2, p90: 5, max: 5 }, perSecond: (5 / 45) * 1000 })
  t.match(reportOf([], null, true), { count: 0, latency: null, retries: null, perSecond: null, senders: [] })
})

t.test('headers and arrivals show what rejected a request [CHAOS-6]', async t => {
  const arrivals = new Map([
    ['id-0', [503]],
    ['id-1', [200]],
    ['id-2', [503]],
  ])
  t.strictSame(senderOf(sample(0, { status: 503 }), arrivals, true), { who: 'instance', detail: '' })
  t.strictSame(senderOf(sample(1, { status: 503 }), arrivals, true), { who: 'replaced', detail: '200' })
  t.strictSame(senderOf(sample(2, { status: 503, fault: 'fail' }), arrivals, true), { who: 'fault', detail: '' })
  t.strictSame(senderOf(sample(3, { status: 503 }), arrivals, true), { who: 'gateway', detail: '' })
  t.strictSame(senderOf(sample(3, { status: 503 }), arrivals, false), { who: 'pending', detail: '' })
  t.strictSame(senderOf(sample(3, { status: 429, limit: 'rps' }), arrivals, true), { who: 'limit', detail: 'rps' })
  t.strictSame(senderOf(sample(3, { status: 429 }), null, true), { who: 'unknown', detail: '' })
  const { senders } = reportOf(
    [sample(3, { status: 503 }), sample(4, { status: 503 }), sample(5, { status: 429, limit: 'rps' }), sample(6)],
    arrivals,
    true,
  )
  t.strictSame(
    senders.map(({ status, sender, count }) => [status, sender.who, count]),
    [
      [503, 'gateway', 2],
      [429, 'limit', 1],
    ],
  )
})

t.test('states of a breaker: closed, open, half-open, closed [CHAOS-7]', async t => {
  // F: the instance fails, x: the gateway rejects, S: the instance succeeds.
  const samples = [...'SSFFxxxFxxSS'].map((letter, number) =>
    sample(number, { status: letter === 'S' ? 200 : 503, id: letter === 'x' ? `lost-${number}` : `id-${number}` }),
  )
  const arrivals = new Map(samples.filter(({ id }) => id!.startsWith('id')).map(({ id, status }) => [id!, [status!]]))
  const bands = breakerBands(samples.toReversed(), arrivals)
  t.strictSame(
    bands.map(({ state, count }) => `${state} ${count}`),
    ['closed 4', 'open 3', 'half-open 1', 'open 2', 'closed 2'],
  )
  t.strictSame(
    bands.map(({ fromMs }) => fromMs),
    [0, 40, 70, 80, 100],
    'each band ends where the next begins',
  )
  t.strictSame(bands[0]!.toMs, 40)
  t.strictSame(
    breakerBands(
      samples.filter(({ status }) => status === 200),
      arrivals,
    ),
    [],
    'no bands if it never opens',
  )
  t.strictSame(breakerBands(samples, null), [], 'no bands without arrivals')
})

t.test('a fault and its percentage are one header value [CHAOS-3]', async t => {
  t.strictSame(splitFault('503:50%'), { kind: '503', percent: '50' })
  t.strictSame(splitFault('reset'), { kind: 'reset', percent: '100' })
  for (const text of ['', '503', '429:5']) t.equal(joinFault(splitFault(text)), text)
})
