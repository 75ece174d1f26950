/** Token buckets: capacity, refill, refusal and payment, without a clock of their own. */
import t from 'tap'
import { adjust, stateOf, take, wholeRemaining, type Levels, type Limits } from '../../../plugins/llm/limits/bucket.ts'
import { goDuration } from '../../../plugins/llm-openai/format/rate-limits.ts'

const START = Date.UTC(2026, 2, 14, 12)

t.test('a bucket starts full, counts down to the token, and refills continuously [LLMN-30]', async t => {
  const limits: Limits = { tpm: 6000 }
  let levels: Levels = {}
  let left = 6000
  for (let tokens = 1; tokens <= 100; tokens++) {
    const taken = take(limits, levels, { tpm: tokens }, START)
    levels = taken.levels
    left -= tokens
    t.equal(taken.refusal, null)
    t.equal(wholeRemaining(stateOf(limits, levels, START).tpm!), left)
  }
  t.equal(wholeRemaining(stateOf(limits, levels, START + 1000).tpm!), left + 100)
  t.equal(wholeRemaining(stateOf(limits, levels, START + 120_000).tpm!), 6000, 'never above its capacity')
  t.equal(stateOf(limits, levels, START).tpm!.fullAt, START + (6000 - left) * 10)
})

t.test('a refused request takes nothing, and is admitted after exactly the stated time [LLMN-30]', async t => {
  const limits: Limits = { rpm: 7, tpm: 1000 }
  const first = take(limits, {}, { rpm: 1, tpm: 900 }, START)
  const refused = take(limits, first.levels, { rpm: 1, tpm: 333 }, START)
  t.match(refused.refusal, { dimension: 'tpm', limit: 1000, used: 900, requested: 333 })
  t.equal(wholeRemaining(stateOf(limits, refused.levels, START).rpm!), 6)
  const wait = Math.ceil(refused.refusal!.waitMs!)
  t.not(take(limits, refused.levels, { rpm: 1, tpm: 333 }, START + wait - 2).refusal, null)
  t.equal(take(limits, refused.levels, { rpm: 1, tpm: 333 }, START + wait).refusal, null)
  t.match(take(limits, {}, { tpm: 1001 }, START).refusal, { waitMs: null }, 'more than the capacity itself')
})

t.test('output and daily tokens are paid at the end and may go below 0 [LLMN-30]', async t => {
  const limits: Limits = { otpm: 60, tpd: 100 }
  const taken = take(limits, {}, { otpm: 0, tpd: 0 }, START)
  const paid = adjust(limits, taken.levels, { otpm: -90, tpd: -120 }, START)
  t.match(stateOf(limits, paid, START), { otpm: { remaining: -30 }, tpd: { remaining: -20 } })
  const refused = take(limits, paid, {}, START).refusal!
  t.equal(refused.dimension, 'tpd')
  t.equal(refused.waitMs, 12 * 3_600_000, 'until midnight')
  t.equal(take({ otpm: 60 }, paid, {}, START + 30_001).refusal, null)
  t.equal(take(limits, paid, {}, START + 12 * 3_600_000).refusal, null)
})

t.test('what was reserved and not used is returned; a clock that goes back refills nothing [LLMN-30]', async t => {
  const limits: Limits = { tpm: 1000 }
  const { levels } = take(limits, {}, { tpm: 600 }, START)
  t.equal(wholeRemaining(stateOf(limits, adjust(limits, levels, { tpm: 500 }, START), START).tpm!), 900)
  t.equal(wholeRemaining(stateOf(limits, adjust(limits, levels, { tpm: 5000 }, START), START).tpm!), 1000)
  const back = take(limits, levels, { tpm: 1 }, START - 60_000)
  t.equal(wholeRemaining(stateOf(limits, back.levels, START).tpm!), 399)
})

t.test('durations as Go prints them [LLMN-31]', async t => {
  const pairs: [ms: number, text: string][] = [
    [0, '0s'],
    [340, '340ms'],
    [0.2, '1ms'],
    [1200, '1.2s'],
    [360_000, '6m0s'],
    [72_500, '1m12.5s'],
    [3_600_000, '1h0m0s'],
  ]
  for (const [ms, text] of pairs) t.equal(goDuration(ms), text)
})
