/** Rules in words, without a browser. */
import t from 'tap'
import { countingText, matchText, stepTexts } from '../../plugins/console/client/views/rules/rule-text.ts'
import type { RuleView } from '../../plugins/console/client/views/rules/types.ts'

function rule(given: Partial<RuleView>): RuleView {
  return {
    name: 'busy',
    scope: 'instance',
    session: null,
    source: 'api',
    file: null,
    line: null,
    matches: 0,
    hits: 0,
    step: null,
    state: 'active',
    last_hit_at: null,
    created_at: null,
    expires_at: null,
    // The defaults that the instance fills in.
    priority: 0,
    skip: 0,
    every: 1,
    sample: 1,
    loop: false,
    count: 'session',
    ...given,
  }
}

t.test('conditions of a rule in words [CON-44]', async t => {
  t.equal(matchText(rule({})), 'every request')
  t.equal(matchText(rule({ match: { method: 'POST', path: '/a/*' } })), 'POST /a/*')
  t.equal(matchText(rule({ match: { method: ['GET', 'HEAD'], query: { a: '1' } } })), 'GET or HEAD {"query":{"a":"1"}}')
})

t.test('steps of a rule in words [CON-44]', async t => {
  const steps = (then: unknown) => stepTexts(rule({ then }))
  t.strictSame(
    steps([
      { fail: 503, retry_after: 1, times: 2 },
      { delay: 1500, times: 'always' },
    ]),
    ['fail with 503 (Retry-After: 1 s), 2 times', 'delay 1500 ms, always'],
  )
  t.strictSame(steps([{ abort: 'reset' }]), ['abort by reset, once'], 'a step of a list acts once by default')
  t.strictSame(steps({ abort: 'reset' }), ['abort by reset'], 'a step that is not in a list is not counted')
  t.strictSame(steps({ fail: 'overloaded', message: 'try later' }), ['fail with overloaded ("try later")'])
  t.strictSame(steps({ delay: { uniform: [100, 300] }, pass: true }), ['delay 100 to 300 ms, pass to the route'])
  t.strictSame(steps({ delay: { lognormal: { median: 120, p99: 900 } } }), [
    'delay lognormal {"median":120,"p99":900} ms',
  ])
  t.strictSame(steps({ respond: { status: 201, body: 'x' }, quiet: true }), [
    'respond with 201 {"body":"x"}, without capture',
  ])
  t.strictSame(steps({ respond: {} }), ['respond with 200'])
  t.strictSame(steps({ reply: 'Hello' }), ['reply Hello'])
})

t.test('which matches a rule affects [CON-44]', async t => {
  const counting = (given: Partial<RuleView>) => countingText(rule(given))
  t.equal(counting({}), '', 'nothing to say about the defaults')
  t.equal(counting({ every: 4, skip: 10 }), 'every 4th match, after the first 10 matches')
  t.equal(counting({ every: 2 }), 'every 2nd match')
  t.equal(counting({ every: 11 }), 'every 11th match')
  t.equal(counting({ sample: 0.25, skip: 1 }), '25 % of the matches, after the first match')
  t.equal(counting({ every: 3, sample: 0.5, times: 5 }), 'every 3rd match, 50 % of these, at most 5 times')
  t.equal(
    counting({ loop: true, count: 'instance', priority: -2 }),
    'starts again after the last step; all sessions are counted together; priority -2',
  )
  t.match(counting({ expires_at: new Date(2026, 1, 1, 14, 5).toISOString() }), 'until 14:05:00')
})
