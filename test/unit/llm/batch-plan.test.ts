/** The plan of a batch: its header, and its state at any instant. */
import t from 'tap'
import { DEFAULT_PLAN, parsePlan, stateAt } from '../../../plugins/llm/state/batch-plan.ts'
import type { BatchPlan } from '../../../plugins/llm/contract/route.ts'

t.test('the header names a time, an outcome, errors and an order [LLMN-163]', async t => {
  const cases: [string, Partial<BatchPlan>][] = [
    ['500', { ms: 500 }],
    ['500ms', { ms: 500 }],
    ['2s', { ms: 2000 }],
    ['2s, fail', { ms: 2000, outcome: 'fail' }],
    ['expire', { outcome: 'expire' }],
    ['1s, cancel, errors=10, shuffle', { outcome: 'cancel', errors: 10, shuffle: true }],
    ['999999s', { ms: 60_000 }],
  ]
  for (const [text, plan] of cases) t.same(parsePlan(text, 60_000), { ...DEFAULT_PLAN, ...plan }, text)
  for (const text of [
    '',
    'soon',
    '1s, 2s',
    'errors=101',
    '1s, fail, expire',
    '1s, fail, errors=1, shuffle, shuffle',
    '-1',
  ])
    t.equal(parsePlan(text, 60_000), null, text)
})

t.test('the state follows from the plan and the clock [LLMN-163]', async t => {
  const batch = (plan: Partial<BatchPlan>, more: object = {}) => ({
    plan: { ...DEFAULT_PLAN, ...plan },
    total: 10,
    createdAt: 1000,
    cancelledAt: null,
    isInvalid: false,
    ...more,
  })
  const at = (subject: ReturnType<typeof batch>, share: number): [string, number] => {
    const { phase, done } = stateAt(subject, 1000 + share * 1000)
    return [phase, done]
  }
  const usual = batch({})
  t.same(
    [0, 0.1, 0.2, 0.5, 0.8, 1, 9].map(share => at(usual, share)),
    [
      ['validating', 0],
      ['validating', 0],
      ['in_progress', 0],
      ['in_progress', 5],
      ['finalizing', 10],
      ['completed', 10],
      ['completed', 10],
    ],
  )
  t.same(
    [0.1, 0.2, 1].map(share => at(batch({}, { isInvalid: true }), share)[0]),
    ['validating', 'failed', 'failed'],
  )
  t.same(
    [0.1, 0.2].map(share => at(batch({ outcome: 'fail' }), share)[0]),
    ['validating', 'failed'],
  )
  t.same(at(batch({ outcome: 'expire' }), 1), ['expired', 5])
  t.same(
    [0.4, 0.55, 0.6].map(share => at(batch({ outcome: 'cancel' }), share)),
    [
      ['in_progress', 3],
      ['cancelling', 5],
      ['cancelled', 5],
    ],
  )
  const cancelled = batch({}, { cancelledAt: 1400 })
  t.same(
    [0.3, 0.45, 0.5, 2].map(share => at(cancelled, share)),
    [
      ['in_progress', 1],
      ['cancelling', 3],
      ['cancelled', 3],
      ['cancelled', 3],
    ],
  )
  t.equal(stateAt(batch({ ms: 0 }), 1000).phase, 'completed', 'a plan without a duration')
})
