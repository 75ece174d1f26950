/** Gauges that are functions of the clock. */
import t from 'tap'
import { valueAt, type FakeGauge } from '../../../plugins/llm/inference/fake-gauge.ts'

const at = (seconds: number): number => Date.UTC(2026, 10, 23) + seconds * 1000
const near = (value: number): number => Math.round(value * 1e6) / 1e6

t.test('gauges are functions of the time since midnight UTC [LLMN-62]', async t => {
  t.equal(valueAt(0.7, at(5)), 0.7)
  const ramp: FakeGauge = { ramp: [10, 20], period_s: 60 }
  const square: FakeGauge = { square: [1, 9], period_s: 10, duty: 0.3 }
  const sine: FakeGauge = { oscillate: [0.1, 0.9], period_s: 60 }
  const values = (gauge: FakeGauge, seconds: number[]): number[] =>
    seconds.map(second => near(valueAt(gauge, at(second))))
  t.same(values(ramp, [0, 30, 59, 60, 90]), [10, 15, 19.833333, 10, 15])
  t.same(values({ ...ramp, phase_s: 30 }, [0, 30]), [15, 10])
  t.same(values({ ...ramp, phase_s: -15 }, [0]), [17.5])
  t.same(values(square, [0, 2.9, 3, 9.9, 10]), [9, 9, 1, 1, 9])
  t.same(values({ square: [1, 9], period_s: 10 }, [4.9, 5]), [9, 1])
  t.same(values(sine, [0, 15, 30, 45, 60]), [0.1, 0.5, 0.9, 0.5, 0.1])
  t.equal(valueAt(ramp, at(86_400 + 30)), 15, 'every day is the same')
})
