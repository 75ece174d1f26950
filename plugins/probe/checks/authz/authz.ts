/** The group `authz`: gateways that ask svc whether a request may pass. */
import { defineCheck, fail, note, pass, skip, warn, worst, type Check, type Verdict } from '../../catalog/check.ts'
import type { Call, Evidence } from '../../client/evidence.ts'
import { rfc } from '../builders.ts'
import { asking, isAsked, isUseless, OF_SERVICE, outageOf, outagesOf, shownStatus } from '../service-scenes.ts'

const NOT_ASKED = 'svc is not asked as authorization service about the path of the probe'
const ALLOW = { decide: { allow: true } }
const SLOW_MS = 300

const authz = asking('authz')

/** Why nothing can be said; null if an allowed request was asked about and arrives. */
function obstacle(allowed: Call): Verdict | null {
  if (!isAsked(allowed)) return skip(NOT_ASKED)
  return allowed.count === 0 ? skip(`an allowed request does not arrive: ${shownStatus(allowed)}`) : null
}

const DENIED = [
  { label: 'denied with 403', method: 'GET', status: 403 },
  { label: 'denied with 401', method: 'GET', status: 401 },
  { label: 'denied POST', method: 'POST', status: 403 },
]
const CHALLENGE = 'Bearer realm="probe"'

const AUTHZ_DENY = defineCheck({
  id: 'AUTHZ-DENY',
  title: 'Denied requests do not arrive',
  group: 'authz',
  since: '2026.2',
  level: 'integrity',
  sources: rfc(9110),
  when: OF_SERVICE,
  page: {
    sent: 'A request that the authorization service allows, and three that it denies: with 403, with 401 and `WWW-Authenticate`, and a POST.',
    expected: 'Denied requests do not arrive, and the client gets the status of the service.',
    why: 'What the service denies must not happen.',
  },
  plan: () => ({
    inOrder: true,
    isEnough: isUseless('allowed'),
    connections: [
      authz('allowed', ALLOW),
      ...DENIED.map(({ label, method, status }) =>
        authz(
          label,
          {
            decide: {
              allow: false,
              status,
              body: 'denied by the probe',
              ...(status === 401 ? { response_headers: { set: { 'www-authenticate': CHALLENGE } } } : {}),
            },
          },
          { method, ...(method === 'POST' ? { body: 'probe' } : {}) },
        ),
      ),
    ],
  }),
  judge(evidence) {
    const reason = obstacle(evidence.call('allowed'))
    if (reason !== null) return reason
    const calls = DENIED.map(one => ({ ...one, call: evidence.call(one.label) }))
    const values = {
      statuses: Object.fromEntries(calls.map(({ label, call }) => [label, call.status])),
      body: calls.every(({ call }) => call.bodyText.includes('denied by the probe')) ? 'of the service' : 'another',
    }
    const passed = calls.filter(({ call }) => call.count > 0)
    if (passed.length > 0) {
      const texts = passed.map(({ label, call }) => `${label}${isAsked(call) ? '' : ', without being asked about'}`)
      return fail(`arrives: ${texts.join('; ')}`, values)
    }
    const hidden = calls.filter(({ call }) => call.status !== null && call.status < 400)
    if (hidden.length > 0)
      return fail(
        `the client gets no refusal: ${hidden.map(({ label, call }) => `${label} is answered with ${call.status}`).join('; ')}`,
        values,
      )
    const changed = calls.filter(({ call, status }) => call.status !== status)
    if (changed.length > 0)
      return warn(changed.map(({ label, call }) => `${label}: ${shownStatus(call)}`).join('; '), values)
    const isChallenged = evidence.call('denied with 401').values('www-authenticate').includes(CHALLENGE)
    return isChallenged ? pass('', values) : warn('401 without the WWW-Authenticate of the service', values)
  },
})

/** Fields of the identity that the recipes of gateways copy. */
const USER = 'x-svc-user'
const TENANT = 'x-svc-tenant'
const SPOOFED = [
  ['X-Svc-User', 'probe-admin'],
  ['X-Svc-Tenant', 'probe-all'],
] as const

const AUTHZ_HEADERS = defineCheck({
  id: 'AUTHZ-HEADERS',
  title: 'The identity is that of the service',
  group: 'authz',
  since: '2026.2',
  level: 'integrity',
  sources: [],
  when: OF_SERVICE,
  page: {
    sent: '`X-Svc-User` and `X-Svc-Tenant` of the client; the service allows the request with a user, then without one.',
    expected: 'The user of the service arrives, and what the client sent does not.',
    why: 'An upstream that trusts these fields takes the client for whoever it says it is.',
  },
  plan: () => ({
    inOrder: true,
    isEnough: isUseless('with a user'),
    connections: [
      authz(
        'with a user',
        { decide: { allow: true, headers: { set: { [USER]: 'probe-user' }, remove: [TENANT] } } },
        { fields: SPOOFED },
      ),
      authz('without a user', { decide: { allow: true, headers: { remove: [USER, TENANT] } } }, { fields: SPOOFED }),
    ],
  }),
  judge(evidence) {
    const named = evidence.call('with a user')
    const reason = obstacle(named)
    if (reason !== null) return reason
    const calls = [named, evidence.call('without a user')]
    const arrived = (call: Call): Record<string, string[]> =>
      Object.fromEntries([USER, TENANT].map(name => [name, call.arrival?.values(name) ?? []]))
    const values = Object.fromEntries(calls.map(call => [call.label, arrived(call)]))
    const spoofed = calls.flatMap(call =>
      SPOOFED.filter(([name, value]) => call.arrival?.values(name.toLowerCase()).some(one => one.includes(value))).map(
        ([name]) => `${name} ${call.label}`,
      ),
    )
    if (spoofed.length > 0) return fail(`arrives as the client sent it: ${spoofed.join(', ')}`, values)
    const users = named.arrival!.values(USER)
    if (users.join() === 'probe-user') return pass('', values)
    return users.length === 0
      ? note('fields of the service do not arrive', values)
      : fail(`the user of the service arrives as ${JSON.stringify(users.join(', '))}`, values)
  },
})

const FORMS = [
  { label: '/a%2Fb', method: 'GET' },
  { label: '/a/%2e%2e/b', method: 'GET' },
  { label: '/a//b', method: 'GET' },
  { label: '/%61/b;v=1', method: 'GET' },
  { label: '/a?x=%2F&y=+1&x=2', method: 'GET' },
  { label: '/a', method: 'PUT' },
]

const AUTHZ_TARGET = defineCheck({
  id: 'AUTHZ-TARGET',
  title: 'What is asked about is what is forwarded',
  group: 'authz',
  since: '2026.2',
  level: 'hazard',
  impact: 'high',
  sources: [],
  when: OF_SERVICE,
  page: {
    sent: 'Targets with an encoded slash, encoded dots, a double slash, an encoded letter, a path parameter and a query, and a PUT; the service allows all.',
    expected: 'The service is asked about the method, path and query that arrive.',
    why: 'Whoever finds a target that the service reads in another way than the upstream passes rules about paths.',
  },
  plan: () => ({
    inOrder: true,
    isEnough: isUseless('GET /a%2Fb'),
    connections: FORMS.map(({ label, method }) => authz(`${method} ${label}`, ALLOW, { method, rest: label })),
  }),
  judge(evidence) {
    const asked = evidence.calls.filter(isAsked)
    if (asked.length === 0) return skip(NOT_ASKED)
    const compared = asked.filter(({ count }) => count > 0)
    if (compared.length === 0) return skip(`allowed requests do not arrive: ${shownStatus(asked[0]!)}`)
    const differ = compared.flatMap(call => {
      const { method, target } = call.asked.at(-1)!
      const about = `${method} ${behindStep(target, call)}`
      const forwarded = `${call.arrival!.method} ${call.arrival!.rest}`
      return about === forwarded ? [] : [{ sent: call.label, asked: about, forwarded }]
    })
    if (differ.length === 0) return pass('', { compared: compared.length })
    const texts = differ.map(one => `asks about ${one.asked}, forwards ${one.forwarded}`)
    return warn(texts.join('; '), { differ })
  },
})

/** The part of a target that follows the number of the step. */
function behindStep(target: string, { record }: Call): string {
  const marker = `/${record.step}`
  const at = target.indexOf(marker, target.indexOf('/probe/') + 1)
  return at === -1 ? target : target.slice(at + marker.length)
}

const AUTHZ_SLOW = defineCheck({
  id: 'AUTHZ-SLOW',
  title: 'A slow service is waited for',
  group: 'authz',
  since: '2026.2',
  level: 'hazard',
  sources: [],
  when: OF_SERVICE,
  page: {
    sent: `A request that the service allows after ${SLOW_MS} ms, and one that it denies after ${SLOW_MS} ms.`,
    expected: 'The decision holds.',
    why: 'A service is slow when it is busy: refusals then hit everyone, and requests that pass without a decision are not protected.',
  },
  plan: () => ({
    inOrder: true,
    isEnough: isUseless('at once'),
    connections: [
      authz('at once', ALLOW),
      authz('denied at once', { decide: { allow: false } }),
      authz('allowed late', { delay: SLOW_MS, ...ALLOW }),
      authz('denied late', { delay: SLOW_MS, decide: { allow: false } }),
    ],
  }),
  judge(evidence) {
    const reason = obstacle(evidence.call('at once'))
    if (reason !== null) return reason
    const [allowed, denied] = [evidence.call('allowed late'), evidence.call('denied late')]
    const isObeyed = evidence.call('denied at once').count === 0
    const values = { allowed: { arrives: allowed.count > 0, status: allowed.status }, denied: denied.status }
    return worst([
      isObeyed && isAsked(denied) && denied.count > 0
        ? warn(`forwards before the service denies after ${SLOW_MS} ms`, values)
        : pass('', values),
      allowed.count === 0
        ? warn(`refuses with ${shownStatus(allowed)} what the service allows after ${SLOW_MS} ms`, values)
        : pass('', values),
    ])
  },
})

const OUTAGES = outagesOf('service', ALLOW)

const AUTHZ_DOWN = defineCheck({
  id: 'AUTHZ-DOWN',
  title: 'When the authorization service fails',
  group: 'authz',
  since: '2026.2',
  level: 'hazard',
  impact: 'high',
  sources: [],
  when: { ...OF_SERVICE, breaks: true },
  page: {
    sent: 'A request while the service fails, resets the call, and does not reply.',
    expected: 'The request does not arrive.',
    why: 'Whoever can overload the service can do anything while requests pass without a decision.',
    configure: { Envoy: '`failure_mode_allow: false`, which is the default.' },
  },
  plan: () => ({
    inOrder: true,
    isEnough: isUseless('works'),
    connections: [authz('works', ALLOW), ...OUTAGES.map(({ label, then }) => authz(label, then))],
  }),
  judge: evidence => obstacle(evidence.call('works')) ?? closedOrOpen(evidence),
})

function closedOrOpen(evidence: Evidence): Verdict {
  const { open, values } = outageOf(evidence, OUTAGES)
  if (open.length > 0) return warn(`fails open: ${open.map(({ text }) => text).join('; ')}`, values)
  return pass('fails closed', values)
}

export const AUTHZ_CHECKS: readonly Check[] = [AUTHZ_DENY, AUTHZ_HEADERS, AUTHZ_TARGET, AUTHZ_SLOW, AUTHZ_DOWN]
