/** Latency and stream speed: headers, total of the gaps, jitter. */
import t from 'tap'
import { defaultLatency, gaps, readLatency } from '../../../plugins/llm/streaming/pace.ts'

const seed = (): string => 'a request'

t.test('accepts only whole numbers, each up to its limit [LLM-29]', async t => {
  const read = (headers: Record<string, string>) => readLatency(headers, defaultLatency, 30_000)
  t.same(read({}), { latencyMs: 0, ttftMs: 0, tokensPerSecond: 100, jitterPercent: 0 })
  t.same(
    read({ 'x-svc-latency-ms': '250', 'x-svc-ttft-ms': ' 9 ', 'x-svc-tokens-per-second': '0', 'x-svc-jitter': '20' }),
    { latencyMs: 250, ttftMs: 9, tokensPerSecond: 0, jitterPercent: 20 },
  )
  t.same(
    read({
      'x-svc-latency-ms': '99999',
      'x-svc-ttft-ms': '99999',
      'x-svc-tokens-per-second': '999999',
      'x-svc-jitter': '150',
    }),
    { latencyMs: 30_000, ttftMs: 30_000, tokensPerSecond: 100_000, jitterPercent: 100 },
  )
  for (const wrong of ['-1', '1.5', 'x', '', '1e3', '99999999999'])
    t.same(read({ 'x-svc-latency-ms': wrong, 'x-svc-tokens-per-second': wrong }), defaultLatency, wrong)
})

t.test('gaps follow the speed, are shorter for long streams, and have repeatable jitter [LLM-29]', async t => {
  const of = (tokensPerSecond: number, jitterPercent: number, tokens: number): number[] => {
    const next = gaps({ ...defaultLatency, tokensPerSecond, jitterPercent }, tokens, 60_000, seed)
    return Array.from({ length: tokens }, next)
  }
  t.same(of(50, 0, 3), [20, 20, 20])
  t.same(of(0, 50, 2), [0, 0])
  t.ok(of(1, 0, 600).reduce((sum, gap) => sum + gap) <= 60_000.001)
  t.ok(of(1, 100, 600).reduce((sum, gap) => sum + gap) <= 60_000.001)
  const jittered = of(100, 30, 200)
  t.same(of(100, 30, 200), jittered)
  t.ok(jittered.every(gap => gap >= 7 && gap <= 13))
  t.ok(new Set(jittered).size > 100)
})
