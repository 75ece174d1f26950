/** The group `ratelimit`: gateways that ask svc whether a request is over a limit. */
import { defineCheck, fail, note, pass, skip, warn, type Check, type Verdict } from '../../catalog/check.ts'
import type { Call } from '../../client/evidence.ts'
import { rfc } from '../builders.ts'
import { asking, isAsked, isUseless, OF_SERVICE, outageOf, outagesOf, shownStatus } from '../service-scenes.ts'

const NOT_ASKED = 'svc is not asked as rate-limit service about the path of the probe'
const OK = { decide: { code: 'ok', headers: { 'x-probe-limit': 'ok' } } }
const OVER = { decide: { code: 'over', headers: { 'retry-after': '7', 'x-probe-limit': 'over' } } }

const limit = asking('ratelimit')

function obstacle(passing: Call): Verdict | null {
  if (!isAsked(passing)) return skip(NOT_ASKED)
  return passing.count === 0 ? skip(`a request below the limit does not arrive: ${shownStatus(passing)}`) : null
}

const RLS_OVER = defineCheck({
  id: 'RLS-OVER',
  title: 'Requests over the limit do not arrive',
  group: 'ratelimit',
  since: '2026.2',
  level: 'integrity',
  sources: rfc(6585),
  when: OF_SERVICE,
  page: {
    sent: 'A request that is below the limit, a GET and a POST that are over it.',
    expected: 'The latter do not arrive, and are answered with 429.',
    why: 'The limit protects the upstream, and clients slow down only if they know.',
  },
  plan: () => ({
    inOrder: true,
    isEnough: isUseless('below'),
    connections: [
      limit('below', OK),
      limit('GET over', OVER),
      limit('POST over', OVER, { method: 'POST', body: 'probe' }),
    ],
  }),
  judge(evidence) {
    const reason = obstacle(evidence.call('below'))
    if (reason !== null) return reason
    const calls = [evidence.call('GET over'), evidence.call('POST over')]
    const values = { statuses: Object.fromEntries(calls.map(call => [call.label, call.status])) }
    const passed = calls.filter(({ count }) => count > 0)
    if (passed.length > 0) {
      const texts = passed.map(call => `${call.label}${isAsked(call) ? '' : ', without being asked about'}`)
      return fail(`arrives: ${texts.join('; ')}`, values)
    }
    const others = calls.filter(({ status }) => status !== 429)
    return others.length === 0
      ? pass('', values)
      : warn(others.map(call => `${call.label} is answered with ${shownStatus(call)}`).join('; '), values)
  },
})

const RLS_HEADERS = defineCheck({
  id: 'RLS-HEADERS',
  title: 'Clients see the fields of the service',
  group: 'ratelimit',
  since: '2026.2',
  level: 'hazard',
  sources: [],
  when: OF_SERVICE,
  page: {
    sent: 'A request below the limit, and one over it, for both of which the service adds fields to the response.',
    expected: 'The client gets them, with Retry-After.',
    why: 'Clients wait as long as Retry-After says; without it they try again at once.',
  },
  plan: () => ({
    inOrder: true,
    isEnough: isUseless('below'),
    connections: [limit('below', OK), limit('over', OVER)],
  }),
  judge(evidence) {
    const below = evidence.call('below')
    const reason = obstacle(below)
    if (reason !== null) return reason
    const over = evidence.call('over')
    if (over.count > 0) return skip('a request over the limit arrives')
    const expected: [Call, string, string][] = [
      [below, 'x-probe-limit', 'ok'],
      [over, 'x-probe-limit', 'over'],
      [over, 'retry-after', '7'],
    ]
    const lost = expected
      .filter(([call, name, value]) => call.values(name).join() !== value)
      .map(([call, name]) => `${name} ${call.label} the limit`)
    return lost.length === 0 ? pass() : warn(`missing or changed: ${lost.join(', ')}`, { lost })
  },
})

const RLS_ONCE = defineCheck({
  id: 'RLS-ONCE',
  title: 'Each request is counted once',
  group: 'ratelimit',
  since: '2026.2',
  level: 'hazard',
  sources: [],
  when: OF_SERVICE,
  page: {
    sent: 'Three requests, one after the other, the last one with a body.',
    expected: 'The service is asked once about each.',
    why: 'What is counted twice halves the limit, and what is not counted is not limited.',
  },
  plan: () => ({
    inOrder: true,
    isEnough: isUseless('first'),
    connections: [
      limit('first', OK),
      limit('second', OK),
      limit('third', OK, { method: 'POST', body: 'probe', rest: '/again' }),
    ],
  }),
  judge(evidence) {
    const reason = obstacle(evidence.first)
    if (reason !== null) return reason
    const asked = Object.fromEntries(evidence.calls.map(call => [call.label, call.asked.length]))
    const wrong = evidence.calls.filter(call => call.count > 0 && call.asked.length !== 1)
    if (wrong.length === 0) return pass('', { asked })
    return warn(wrong.map(call => `the ${call.label} request is counted ${call.asked.length} times`).join('; '), {
      asked,
    })
  },
})

const OUTAGES = outagesOf('service', OK)

const RLS_DOWN = defineCheck({
  id: 'RLS-DOWN',
  title: 'When the rate-limit service fails',
  group: 'ratelimit',
  since: '2026.2',
  level: 'hazard',
  sources: [],
  when: { ...OF_SERVICE, breaks: true },
  page: {
    sent: 'A request while the service fails, resets the call, and does not reply.',
    expected: 'The client gets an answer, which is not 429. Whether the request passes is reported.',
    why: 'A service that only counts must not take everything down, and 429 blames the client.',
  },
  plan: () => ({
    inOrder: true,
    isEnough: isUseless('works'),
    connections: [limit('works', OK), ...OUTAGES.map(({ label, then }) => limit(label, then))],
  }),
  judge(evidence) {
    const reason = obstacle(evidence.call('works'))
    if (reason !== null) return reason
    const { tried, open, values } = outageOf(evidence, OUTAGES)
    const stuck = tried.filter(({ label }) => evidence.call(label).status === null)
    const blamed = tried.filter(({ label }) => evidence.call(label).status === 429)
    const texts = [
      ...stuck.map(({ text }) => `no answer while ${text}`),
      ...blamed.map(({ text }) => `429 although ${text}`),
    ]
    if (texts.length > 0) return warn(texts.join('; '), values)
    const refused = tried.filter(one => !open.includes(one))
    if (open.length === tried.length) return note('requests pass', values)
    return open.length === 0
      ? note('requests are refused', values)
      : note(`requests are refused only when ${refused.map(({ text }) => text).join(', or ')}`, values)
  },
})

export const RATE_LIMIT_CHECKS: readonly Check[] = [RLS_OVER, RLS_HEADERS, RLS_ONCE, RLS_DOWN]
