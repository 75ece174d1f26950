/** Counting, distributions and draws of rules. */
import t from 'tap'
import type { Store, StoreBounds } from '../../../core/contract/plugin.ts'
import { MemoryStore } from '../../../core/state/state-registry.ts'
import { ruleBoundsOf } from '../../../core/rules/bounds.ts'
import { countMatch, NO_COUNT } from '../../../core/rules/counting.ts'
import { readDistribution } from '../../../core/toolkit/distribution.ts'
import { drawShare, drawUuid } from '../../../core/rules/draw.ts'
import { normalCdf, normalQuantile } from '../../../core/toolkit/normal-distribution.ts'
import { readRule, type Rule } from '../../../core/rules/rule.ts'
import { RuleBook } from '../../../core/rules/rule-book.ts'
import { GenerationRules } from '../../../core/rules/rule-entry.ts'
import { registryOf, subjectOf, vocabularyOf } from '../../support/match.ts'

const bounds = ruleBoundsOf({ publicMode: false, maxDelayMs: 30_000 })
const protocols = registryOf()
const ruleOf = (rule: object): Rule =>
  readRule({ name: 'x', ...rule }, '', { ...vocabularyOf(protocols), bounds, checks: null })

t.test('counts in the order skip, every, sample, times [RULE-2]', async t => {
  const acts = (rule: object, requests: number): string => {
    let count = NO_COUNT
    let acted = ''
    for (let index = 0; index < requests; index++) {
      count = countMatch(ruleOf(rule), count, index)
      acted += count.acted ? 'x' : '.'
    }
    return acted
  }
  const then = { fail: 500 }
  t.equal(acts({ then }, 3), 'xxx')
  t.equal(acts({ then, skip: 2 }, 4), '..xx')
  t.equal(acts({ then, every: 2 }, 5), '.x.x.')
  t.equal(acts({ then, skip: 1, every: 2, times: 2 }, 9), '..x.x....')
  t.equal(acts({ then: [then, { ...then, times: 2 }] }, 5), 'xxx..')
  t.equal(acts({ then: [then, then], times: 1 }, 3), 'x..')
  t.equal(acts({ then: [then], loop: true, times: 3 }, 5), 'xxx..')
})

t.test('draws delays from distributions [RULE-7]', async t => {
  const at = (value: unknown, share: number): number =>
    Math.round(readDistribution(value as never, 'delay').at(share) * 10) / 10
  t.equal(at(250, 0.7), 250)
  t.equal(at({ constant: 5 }, 0.7), 5)
  t.equal(at({ uniform: [100, 300] }, 0.25), 150)
  t.equal(at({ lognormal: { median: 120, p99: 900 } }, 0.5), 120)
  t.equal(Math.round(at({ lognormal: { median: 120, p99: 900 } }, 0.99)), 900)
  t.equal(at({ normal: { mean: 100, sd: 10 } }, 0.5), 100)
  t.ok(at({ normal: { mean: 1, sd: 10 } }, 0) >= 0)
  t.ok(at({ normal: { mean: 100, sd: 10 } }, 1) <= 140.1)
  const percentiles = { percentiles: { p50: 300, p90: 700, p99: 2000 } }
  t.equal(at(percentiles, 0), 150)
  t.equal(at(percentiles, 0.5), 300)
  t.equal(at(percentiles, 0.7), 500)
  t.equal(at(percentiles, 0.995), 2000)
  for (const x of [-3, -1, 0, 0.5, 2.3263]) t.ok(Math.abs(normalQuantile(normalCdf(x)) - x) < 1e-4, String(x))
  t.equal(drawShare('a', 1), drawShare('a', 1))
  t.not(drawShare('a', 1), drawShare('a', 2))
  t.not(drawUuid('a'), drawUuid('b'))
})

t.test('the rules of the session idle longest are removed first [RULE-18]', async t => {
  let now = 1_000_000
  const small = { ...bounds, allSessionRules: 4 }
  const stores: { sweep(): void }[] = []
  const openStore = <T>(_name: string, limits: StoreBounds<T>): Store<T> => {
    const store = new MemoryStore(limits, { now: () => now })
    stores.push(store)
    return store
  }
  const book = new RuleBook({
    bounds: small,
    openStore,
    now: () => now,
  })
  const generation = new GenerationRules(vocabularyOf(protocols))
  const sizes = (): number[] => ['a', 'b', 'c'].map(session => book.list(generation, session).entries.length)
  const two = [
    ruleOf({ then: { fail: 500 } }),
    { ...ruleOf({ then: { fail: 500 } }), name: 'y', asJson: { ...ruleOf({ then: { fail: 500 } }).asJson, name: 'y' } },
  ]
  await book.put(two, 'a')
  now += 60_000
  await book.put(two, 'b')
  now += 60_000
  book.candidates(generation, subjectOf({ session: 'a' }))
  await book.put(two, 'c')
  t.strictSame(sizes(), [2, 0, 2], 'b was idle longest')
  now += bounds.sessionIdleMs + 1
  await book.put(two, null)
  for (const store of stores) store.sweep()
  t.strictSame(sizes(), [0, 0, 0], 'rules that are not used expire')
  t.equal(book.list(generation, null).entries.length, 2, 'those of the instance stay')
  t.equal(await book.reset('all'), 2)
})
