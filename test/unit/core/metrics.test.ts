/** Metrics of plugins: histograms with labels, and counters. */
import t from 'tap'
import { createMetrics } from '../../../core/metrics/metrics.ts'

t.test('a histogram counts by labels, and continues when it is created again', async t => {
  const metrics = createMetrics()
  const seconds = metrics.histogram('test_seconds', 'Seconds', [0.1, 1], ['kind'])
  seconds.observe({ kind: 'a' }, 0.1)
  seconds.observe({ kind: 'a' }, 0.5)
  metrics.histogram('test_seconds', 'Seconds', [0.1, 1], ['kind']).observe({ kind: 'a' }, 7)
  seconds.observe({ kind: 'b"' }, 0)
  const text = await metrics.text()
  for (const line of [
    '# TYPE test_seconds histogram',
    'test_seconds_bucket{kind="a",le="0.1"} 1',
    'test_seconds_bucket{kind="a",le="1"} 2',
    'test_seconds_bucket{kind="a",le="+Inf"} 3',
    'test_seconds_sum{kind="a"} 7.6',
    'test_seconds_count{kind="a"} 3',
    'test_seconds_count{kind="b\\""} 1',
  ])
    t.ok(text.includes(`${line}\n`), line)
})

t.test('labels can be found once for many values, and are listed from the first value on', async t => {
  const metrics = createMetrics()
  const seconds = metrics.histogram('test_bound', 'Seconds', [1], ['kind'])
  const bound = seconds.labels({ kind: 'a' })
  t.notMatch(await metrics.text(), /kind="a"/)
  t.throws(() => bound.observe(NaN), TypeError)
  t.notMatch(await metrics.text(), /kind="a"/)
  bound.observe(0.5)
  seconds.observe({ kind: 'a' }, 2)
  seconds.labels({ kind: 'a' }).observe(3)
  t.match(await metrics.text(), /^test_bound_count\{kind="a"\} 3$/m)
  t.throws(() => seconds.labels({ other: 'a' }).observe(1), /no label "other"/)
})

t.test('a histogram without labels exists from the start', async t => {
  const metrics = createMetrics()
  const sizes = metrics.histogram('test_sizes', 'Sizes', [1])
  t.match(await metrics.text(), /^test_sizes_count 0$/m)
  sizes.observe({}, 1)
  t.match(await metrics.text(), /^test_sizes_bucket\{le="1"\} 1$/m)
})

t.test('unknown labels and what is not a number are errors', t => {
  const metrics = createMetrics()
  const seconds = metrics.histogram('test_wrong', 'Wrong', [1], ['kind'])
  t.throws(() => seconds.observe({ other: 'a' }, 1), /no label "other"/)
  t.throws(() => seconds.observe({ kind: 'a' }, NaN), TypeError)
  const count = metrics.counter('test_total', 'Total', ['kind'])
  t.throws(() => count.inc({ other: 'a' }))
  t.end()
})
