/** How busy the event loop is. */
import t from 'tap'
import { setTimeout as sleep } from 'node:timers/promises'
import { addEventLoopMetric, EventLoopMeter } from '../../../core/metrics/event-loop.ts'
import { createMetrics } from '../../../core/metrics/metrics.ts'

function block(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

t.test('a blocked loop is busy, and its timers are late', async t => {
  const meter = new EventLoopMeter({ measuresDelay: true, sampleMs: 400 })
  t.teardown(() => meter.close())
  t.strictSame(meter.view(), { utilization: 0, busiest: 0, delay_p99_ms: null, delay_max_ms: null })
  // The histogram measures from its first timer on.
  await sleep(50)
  block(500)
  await sleep(10)
  const { utilization, busiest, delay_max_ms } = meter.view()
  t.ok(utilization > 0.5 && utilization <= 1, `${utilization}`)
  t.equal(busiest, utilization)
  t.ok(delay_max_ms! > 300, `${delay_max_ms}`)
})

t.test('outside of load mode, only the share is measured; the metric has it', async t => {
  const meter = new EventLoopMeter({ measuresDelay: false, sampleMs: 20 })
  t.teardown(() => meter.close())
  const metrics = createMetrics()
  addEventLoopMetric(metrics, meter)
  block(60)
  await sleep(10)
  const { busiest, delay_p99_ms, delay_max_ms } = meter.view()
  t.ok(busiest > 0.5)
  t.equal(delay_p99_ms, null)
  t.equal(delay_max_ms, null)
  t.match(await metrics.text(), /^svc_event_loop_utilization [01]/m)
})
