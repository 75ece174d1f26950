/** What a cache must not reuse. Without reuse, which CCH-STORE looks for, there is nothing to judge. */
import {
  defineCheck,
  fail,
  note,
  pass,
  skip,
  warn,
  type Check,
  type Facts,
  type Plan,
  type Verdict,
} from '../../catalog/check.ts'
import type { Evidence } from '../../client/evidence.ts'
import type { RequestSpec } from '../../client/request.ts'
import type { Field } from '../../client/response-parser.ts'
import { answers, dateField, KEEP, RECEIVE, rfc, type Action } from '../builders.ts'

const GAP_MS = 300
/** Content and number of the arrival; reuse shows in the number. */
const NUMBERED = 'probe answer {{n}}'

function answerWith(fields: readonly Field[], status = 200): () => Action[] {
  return () =>
    answers({
      status,
      reason: 'Probe',
      fields: [dateField(), ['Content-Type', 'text/plain'], ...fields],
      body: NUMBERED,
    })
}

/** Requests of one target, one after the other. The first has the label "1". */
function sequence(requests: readonly RequestSpec[], gapMs = GAP_MS): Plan {
  return {
    inOrder: true,
    connections: requests.map((request, index) => ({
      ...(index === 0 ? {} : { delayMs: gapMs }),
      requests: [{ ...request, label: String(index + 1), ...(index === 0 ? {} : { sameAs: '1' }) }],
    })),
  }
}

/** Whether the answer of a call is an earlier one. */
function isReused(evidence: Evidence, label: string): boolean {
  const number = (of: string): string | undefined => /answer (\d{5})/.exec(evidence.call(of).bodyText)?.[1]
  const own = number(label)
  return (
    own !== undefined && evidence.calls.some(call => Number(call.label) < Number(label) && number(call.label) === own)
  )
}

function cachingCheck(
  check: Omit<Check, 'group' | 'since' | 'when'> & { judge(evidence: Evidence, facts: Facts): Verdict },
): Check {
  return defineCheck({
    ...check,
    group: 'caching',
    since: '2026.1',
    when: { counts: true },
    judge: (evidence, facts) => (facts.reuses === true ? check.judge(evidence, facts) : skip('no reuse seen')),
  })
}

const neverReused = (evidence: Evidence): Verdict => (isReused(evidence, '2') ? fail('the answer was reused') : pass())

export const CACHING_CHECKS = [
  cachingCheck({
    id: 'CCH-NOSTORE',
    title: 'no-store is not reused',
    level: 'must',
    sources: rfc(9111, '5.2.2.5'),
    page: {
      sent: 'The same GET twice; the answer says no-store and max-age=60.',
      expected: 'Both reach the upstream.',
      why: 'What must not be stored may be a secret.',
    },
    plan: () => {
      const script = answerWith([['Cache-Control', 'no-store, max-age=60']])
      return sequence([{ script }, { script }])
    },
    judge: neverReused,
  }),
  cachingCheck({
    id: 'CCH-PRIVATE',
    title: 'private is not reused',
    level: 'must',
    impact: 'high',
    sources: rfc(9111, '5.2.2.7'),
    page: {
      sent: 'The same GET with two different cookies; the answer says private and max-age=60.',
      expected: 'Both reach the upstream.',
      why: 'One user gets the page of another.',
    },
    plan: () => {
      const script = answerWith([['Cache-Control', 'private, max-age=60']])
      return sequence([
        { script, fields: [['Cookie', 'user=a']] },
        { script, fields: [['Cookie', 'user=b']] },
      ])
    },
    judge: neverReused,
  }),
  cachingCheck({
    id: 'CCH-AUTH',
    title: 'Answers to Authorization are not reused',
    level: 'must',
    impact: 'high',
    sources: rfc(9111, '3.5'),
    page: {
      sent: 'The same GET with two Authorization values; the answer says max-age=60.',
      expected: 'Both reach the upstream.',
      why: 'One user gets the answer of another.',
    },
    plan: () => {
      const script = answerWith([['Cache-Control', 'max-age=60']])
      return sequence([
        { script, fields: [['Authorization', 'Bearer probe-a']] },
        { script, fields: [['Authorization', 'Bearer probe-b']] },
      ])
    },
    judge(evidence, { hasCredentials }) {
      return hasCredentials ? skip('requests carry credentials of your own') : neverReused(evidence)
    },
  }),
  cachingCheck({
    id: 'CCH-VARY',
    title: 'Vary is respected',
    level: 'must',
    impact: 'high',
    sources: rfc(9111, '4.1'),
    page: {
      sent: 'GET with X-Probe-Lang: a, then b; the answer says Vary: X-Probe-Lang.',
      expected: 'The second request does not get the answer to the first.',
      why: 'Users get a language, or a coding, that they cannot read.',
    },
    plan: () => {
      const script = answerWith([
        ['Cache-Control', 'max-age=60'],
        ['Vary', 'X-Probe-Lang'],
      ])
      return sequence([
        { script, fields: [['X-Probe-Lang', 'a']] },
        { script, fields: [['X-Probe-Lang', 'b']] },
      ])
    },
    judge: evidence => (isReused(evidence, '2') ? fail('the answer to "a" was given to "b"') : pass()),
  }),
  cachingCheck({
    id: 'CCH-AGE',
    title: 'Age is added',
    level: 'must',
    sources: rfc(9111, '4'),
    page: {
      sent: 'The same GET twice, 2.2 s apart; the answer says max-age=60 and Age: 10.',
      expected: 'A reused answer has an Age of at least 12.',
      why: 'The next cache keeps it for too long.',
    },
    plan: () => {
      const script = answerWith([
        ['Cache-Control', 'max-age=60'],
        ['Age', '10'],
      ])
      return sequence([{ script }, { script }], 2_200)
    },
    judge(evidence) {
      if (!isReused(evidence, '2')) return pass('not reused')
      const [age] = evidence.call('2').values('age')
      if (age === undefined) return fail('reused without Age')
      return Number(age) >= 12 ? pass() : warn(`reused with Age ${age} after 12 s`)
    },
  }),
  cachingCheck({
    id: 'CCH-INVALIDATE',
    title: 'PUT invalidates',
    level: 'must',
    sources: rfc(9111, '4.4'),
    page: {
      sent: 'GET, PUT (204), GET.',
      expected: 'The second GET reaches the upstream.',
      why: 'Users do not see what they have just changed.',
    },
    plan: () => {
      const script = answerWith([['Cache-Control', 'max-age=60']])
      return sequence([
        { script },
        {
          method: 'PUT',
          body: 'probe',
          // By the number of the arrival, since all three have one step.
          script,
        },
        { script },
      ])
    },
    judge: evidence => (isReused(evidence, '3') ? fail('reused after a PUT that succeeded') : pass()),
  }),
]

const JSON_TYPE: Field = ['Content-Type', 'application/json']
/** What a cache may not answer with the response to the first request, by its label. */
const OTHERS: readonly (readonly [label: string, what: string])[] = [
  ['3', 'other content'],
  ['4', 'the same content of another type'],
  ['5', 'a GET'],
]

/** Also where no reuse was seen: the gateway may reuse other answers. */
export const CCH_QUERY = defineCheck({
  id: 'CCH-QUERY',
  title: 'Answers to QUERY are reused by their content',
  group: 'caching',
  since: '2026.2',
  level: 'must',
  impact: 'high',
  sources: rfc(10_008, '2.7'),
  when: { counts: true },
  page: {
    sent: 'QUERY of one target with the same content twice, with other content, with the first content of another Content-Type, and a GET; the answer says max-age=60.',
    expected: 'If the second gets the answer to the first, none of the others does.',
    why: 'A cache that looks only at the target gives each client the result of another query.',
  },
  plan: () => {
    const script = answerWith([['Cache-Control', 'max-age=60']])
    const query = (body: string, type: Field = JSON_TYPE): RequestSpec => ({
      method: 'QUERY',
      fields: [type],
      body,
      script,
    })
    return sequence([
      query('{"find":"one"}'),
      query('{"find":"one"}'),
      query('{"find":"two"}'),
      query('{"find":"one"}', ['Content-Type', 'text/plain']),
      { script },
    ])
  },
  judge(evidence) {
    const wrong = OTHERS.filter(([label]) => isReused(evidence, label)).map(([, what]) => what)
    if (wrong.length > 0) return fail(`the answer to a QUERY was reused for ${wrong.join(' and ')}`)
    return isReused(evidence, '2') ? pass() : skip('no reuse seen')
  },
})

/** Also where no reuse was seen: the gateway may reuse other answers. */
export const CCH_POISON = defineCheck({
  id: 'CCH-POISON',
  title: 'Forwarded fields of one client do not reach another',
  group: 'caching',
  since: '2026.1',
  level: 'hazard',
  sources: [],
  page: {
    sent: 'GET with X-Forwarded-Host: evil.example, then the same GET without; the answer repeats what arrived.',
    expected: 'The second client does not get the name.',
    why: 'One request of an attacker changes the page of all.',
  },
  plan: () => {
    const script = (): Action[] => [
      RECEIVE,
      { do: 'reflect', field: 'x-forwarded-host', fields: `Content-Type: text/plain\r\nCache-Control: max-age=60\r\n` },
      KEEP,
    ]
    return sequence([{ script, fields: [['X-Forwarded-Host', 'evil.example']] }, { script }])
  },
  judge(evidence) {
    if (evidence.call('2').bodyText.includes('evil.example'))
      return warn('the second client gets the name that the first one sent')
    return evidence.call('1').bodyText.includes('evil.example') ? note('the name arrives, but is not reused') : pass()
  },
})
