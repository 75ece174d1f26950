/** Fields of requests that have to arrive, and those that have to stop. */
import { BOTH, defineCheck, fail, note, pass, skip, warn, worst, type Verdict } from '../../catalog/check.ts'
import type { Field } from '../../client/response-parser.ts'
import { answers, dateField, DEFAULT_FIELDS, each, listMembers, one, probeBody, rfc } from '../builders.ts'

const UNKNOWN: Field[] = [
  ['X-Probe-Alpha', 'one two'],
  ['Probe-Beta', '"q,1"; a=b'],
  ['X-Probe-Number9', '9'],
]
const MULTI: Field[] = [
  ['X-Probe-Multi', 'one'],
  ['X-Probe-Between', '1'],
  ['X-Probe-Multi', 'two'],
  ['X-Probe-Multi', 'three'],
]
const withFields = (fields: readonly Field[]) => (step: number) =>
  answers({ fields: [dateField(), ...DEFAULT_FIELDS, ...fields], body: probeBody(step) })

function positions(values: readonly string[]): number[] {
  const members = listMembers(values)
  return ['one', 'two', 'three'].map(word => members.indexOf(word))
}

const OBS = '\u0080caf\u00c3\u00a9\u00ff'

export const FORWARDING_CHECKS = [
  defineCheck({
    id: 'HDR-UNKNOWN',
    title: 'Unknown fields arrive',
    group: 'headers',
    protocols: BOTH,
    since: '2026.1',
    level: 'proxy-only',
    sources: rfc(9110, '5.1'),
    page: {
      sent: 'X-Probe-Alpha, Probe-Beta and X-Probe-Number9; three like them in the answer.',
      expected: 'All of them arrive unchanged, in both directions.',
      why: 'Applications depend on fields that the gateway does not know.',
    },
    plan: () => one({ fields: UNKNOWN, script: withFields(UNKNOWN) }),
    judge({ first }) {
      const lost = (valuesOf: (name: string) => string[], side: string): Verdict[] =>
        UNKNOWN.filter(([name, value]) => valuesOf(name).join('|') !== value).map(([name]) =>
          warn(`${name} is ${valuesOf(name).length === 0 ? 'missing' : 'changed'} in the ${side}`),
        )
      const found = [
        ...lost(name => first.arrival!.values(name), 'request'),
        ...lost(name => first.values(name), 'response'),
      ]
      return found.length === 0 ? pass() : worst(found)
    },
  }),
  defineCheck({
    id: 'HDR-CONN',
    title: 'Fields named by Connection stop here',
    group: 'headers',
    since: '2026.1',
    level: 'must',
    sources: rfc(9110, '7.6.1'),
    page: {
      sent: 'Connection: x-probe-hop, and the field X-Probe-Hop that it names.',
      expected: 'The upstream gets neither the field nor its name in Connection.',
      why: 'Such fields are meant for the gateway; passed on, they change what the next hop does.',
    },
    plan: () =>
      one({
        fields: [
          ['Connection', 'x-probe-hop'],
          ['X-Probe-Hop', '1'],
        ],
      }),
    judge({ first: { arrival } }) {
      const arrived = arrival!.values('x-probe-hop')
      if (arrived.length > 0) return fail('X-Probe-Hop arrived although Connection names it', { arrived })
      const named = listMembers(arrival!.values('connection')).some(member => member.toLowerCase() === 'x-probe-hop')
      return named ? fail('Connection arrived with the name x-probe-hop') : pass()
    },
  }),
  defineCheck({
    id: 'HDR-HOP',
    title: 'Other hop-by-hop fields stop here',
    group: 'headers',
    since: '2026.1',
    level: 'should',
    sources: rfc(9110, '7.6.1'),
    page: {
      sent: 'Keep-Alive, Proxy-Connection, and TE with Connection: TE.',
      expected: 'None of them arrives as sent. A gateway may send TE: trailers itself.',
      why: 'They describe the connection of the client, not that of the gateway.',
    },
    plan: () =>
      one({
        fields: [
          ['Keep-Alive', 'timeout=77'],
          ['Proxy-Connection', 'keep-alive'],
          ['TE', 'trailers, deflate;q=0.1'],
          ['Connection', 'TE'],
        ],
      }),
    judge({ first: { arrival } }) {
      const found = [
        arrival!.values('keep-alive').some(value => value.includes('77')) ? 'Keep-Alive' : '',
        arrival!.has('proxy-connection') ? 'Proxy-Connection' : '',
        arrival!.values('te').some(value => value.includes('deflate')) ? 'TE' : '',
      ].filter(name => name !== '')
      return found.length === 0 ? pass() : warn(`arrived: ${found.join(', ')}`, { arrived: found })
    },
  }),
  defineCheck({
    id: 'HDR-CONN-ABUSE',
    title: 'Connection cannot remove what matters',
    group: 'headers',
    since: '2026.1',
    level: 'hazard',
    sources: rfc(9110, '7.6.1'),
    when: { judgesRefusal: true },
    page: {
      sent: 'A request without, then one with Connection: authorization, x-probe-end, x-forwarded-for, x-forwarded-proto, x-real-ip.',
      expected: 'Fields that the gateway itself adds are in both.',
      why: 'Otherwise a client can hide its address from the upstream.',
    },
    plan: () =>
      each([
        { label: 'without', fields: [['X-Probe-End', '1']] },
        {
          label: 'with',
          fields: [
            ['Connection', 'authorization, x-probe-end, x-forwarded-for, x-forwarded-proto, x-real-ip'],
            ['X-Probe-End', '1'],
          ],
        },
      ]),
    judge(evidence) {
      const { status, count } = evidence.call('with')
      if (evidence.call('without').count === 0) return skip('an ordinary request was not forwarded')
      if (count === 0) return pass(`refused: ${status ?? 'closed'}`)
      const names = (label: string): Set<string> =>
        new Set(evidence.call(label).arrival!.fields.map(([name]) => name.toLowerCase()))
      const added = ['x-forwarded-for', 'x-forwarded-proto', 'x-real-ip'].filter(name => names('without').has(name))
      const missing = added.filter(name => !names('with').has(name))
      return missing.length === 0
        ? pass('', { added })
        : warn(`a client can remove ${missing.join(', ')}, which the gateway adds`, { added, missing })
    },
  }),
  defineCheck({
    id: 'HDR-DUP-ORDER',
    title: 'Repeated fields keep their order',
    group: 'headers',
    protocols: BOTH,
    since: '2026.1',
    level: 'proxy-only',
    sources: rfc(9110, '5.3'),
    page: {
      sent: 'X-Probe-Multi three times, with another field in between.',
      expected: 'The values arrive in the order one, two, three.',
      why: 'The order of values of one field can have a meaning.',
    },
    plan: () => one({ fields: MULTI }),
    judge({ first: { arrival } }) {
      const values = arrival!.values('x-probe-multi')
      const [a, b, c] = positions(values)
      if (a === -1 || b === -1 || c === -1) return note('values are missing: see HDR-DUP-LOSS', { arrived: values })
      return a! < b! && b! < c! ? pass() : warn('the values arrived in another order', { arrived: values })
    },
  }),
  defineCheck({
    id: 'HDR-DUP-LOSS',
    title: 'Repeated fields keep all values',
    group: 'headers',
    protocols: BOTH,
    since: '2026.1',
    level: 'integrity',
    sources: rfc(9110, '5.3'),
    page: {
      sent: 'X-Probe-Multi three times; three times in the answer too.',
      expected: 'All three values arrive, in both directions.',
      why: 'A lost value changes the meaning of a message.',
    },
    plan: () => one({ fields: MULTI, script: withFields(MULTI) }),
    judge({ first }) {
      const sides = [
        ['request', first.arrival!.values('x-probe-multi')],
        ['response', first.values('x-probe-multi')],
      ] as const
      const lossy = sides.filter(([, values]) => positions(values).includes(-1))
      return lossy.length === 0
        ? pass()
        : fail(`values are missing in the ${lossy.map(([side]) => side).join(' and the ')}`, Object.fromEntries(lossy))
    },
  }),
  defineCheck({
    id: 'HDR-COOKIE',
    title: 'Cookies survive',
    group: 'headers',
    protocols: BOTH,
    since: '2026.1',
    level: 'must',
    impact: 'medium',
    sources: rfc(9113, '8.2.3'),
    page: {
      sent: 'One Cookie line with three cookies. In HTTP/2: three Cookie fields.',
      expected: 'The line arrives unchanged. Fields of HTTP/2 arrive as one line in HTTP/1.1.',
      why: 'A changed cookie logs users out, or in as somebody else.',
    },
    plan: ({ protocol }) =>
      one({
        fields:
          protocol === '2'
            ? [
                ['Cookie', 'a=1'],
                ['Cookie', 'b=2'],
                ['Cookie', 'c=3'],
              ]
            : [['Cookie', 'a=1; b=2; c="x y"']],
      }),
    judge({ first: { arrival } }, { protocol }) {
      const values = arrival!.values('cookie')
      const sent = protocol === '2' ? 'a=1; b=2; c=3' : 'a=1; b=2; c="x y"'
      const arrived = arrival!.record.protocol === '2' ? [values.join('; ')] : values
      if (arrived.length === 1 && arrived[0] === sent) return pass()
      return fail(protocol === '2' ? 'the Cookie fields did not arrive as one line' : 'the Cookie field was changed', {
        arrived: values,
      })
    },
  }),
  defineCheck({
    id: 'HDR-CASE',
    title: 'Case of field names',
    group: 'headers',
    since: '2026.1',
    level: 'observation',
    sources: [],
    page: {
      sent: 'X-pRoBe-CaSe: v',
      expected: 'The name as it is written upstream is reported.',
      why: 'Names are compared without case, but some old applications do not.',
    },
    plan: () => one({ fields: [['X-pRoBe-CaSe', 'v']] }),
    judge({ first: { arrival } }) {
      const name = arrival!.fields.find(([found]) => found.toLowerCase() === 'x-probe-case')?.[0]
      const how =
        name === undefined
          ? 'dropped'
          : name === 'X-pRoBe-CaSe'
            ? 'kept'
            : name === name.toLowerCase()
              ? 'lower'
              : 'title'
      return note(how, { case: how, arrived: name ?? null })
    },
  }),
  defineCheck({
    id: 'HDR-OBS',
    title: 'Bytes above 7F stay',
    group: 'headers',
    protocols: BOTH,
    since: '2026.1',
    level: 'should',
    sources: rfc(9110, '5.5'),
    when: { judgesRefusal: true },
    page: {
      sent: 'A value with the bytes 80 63 61 66 C3 A9 FF; the same in the answer.',
      expected: 'They arrive as they are, or the request is refused.',
      why: 'Decoded and encoded again, names of people are garbled.',
    },
    plan: () => one({ fields: [['X-Probe-Obs', OBS]], script: withFields([['X-Probe-Obs', OBS]]) }),
    judge({ first }) {
      if (first.isRefused) return note(`refused: ${first.status ?? 'closed'}`)
      const found = [
        first.arrival?.values('x-probe-obs')[0] === OBS ? '' : 'request',
        first.values('x-probe-obs')[0] === OBS ? '' : 'response',
      ].filter(side => side !== '')
      return found.length === 0 ? pass() : warn(`changed in the ${found.join(' and the ')}`)
    },
  }),
  defineCheck({
    id: 'HDR-EMPTY',
    title: 'Empty values',
    group: 'headers',
    since: '2026.1',
    level: 'observation',
    sources: [],
    page: {
      sent: 'X-Probe-Empty without a value.',
      expected: 'Whether it arrives is reported.',
      why: 'Present and empty is not the same as absent for every application.',
    },
    plan: () => one({ fields: [['X-Probe-Empty', '']] }),
    judge: ({ first: { arrival } }) => note(arrival!.has('x-probe-empty') ? 'kept' : 'dropped'),
  }),
  defineCheck({
    id: 'HDR-NAMES',
    title: 'Odd names are not mistaken for others',
    group: 'headers',
    since: '2026.1',
    level: 'hazard',
    sources: rfc(9110, '5.1', '5.6.2'),
    page: {
      sent: 'X_Probe_Under next to X-Probe-Under; X.Probe.Dot and X!Probe#$.',
      expected: 'Each arrives under its own name, or not at all.',
      why: 'A name that arrives as another one lets a client set fields that the gateway guards.',
    },
    plan: () =>
      one({
        fields: [
          ['X_Probe_Under', 'evil'],
          ['X-Probe-Under', 'good'],
          ['X.Probe.Dot', '1'],
          ['X!Probe#$', '1'],
        ],
      }),
    judge({ first: { arrival } }) {
      const plain = arrival!.values('x-probe-under').join(', ')
      if (plain.includes('evil')) return warn('X_Probe_Under arrives as X-Probe-Under', { arrived: plain })
      const dropped = ['X_Probe_Under', 'X.Probe.Dot', 'X!Probe#$'].filter(name => !arrival!.has(name))
      return dropped.length === 0 ? pass() : note(`dropped: ${dropped.join(', ')}`, { dropped })
    },
  }),
  defineCheck({
    id: 'HDR-COND',
    title: 'Conditions are forwarded',
    group: 'headers',
    protocols: BOTH,
    since: '2026.1',
    level: 'must',
    sources: rfc(9110, '13.2.1'),
    page: {
      sent: 'If-None-Match and If-Modified-Since; then If-Match; then Range with If-Range.',
      expected: 'They arrive, because only the upstream can evaluate them.',
      why: 'A lost If-Match lets two clients overwrite each other.',
    },
    plan: () =>
      each([
        {
          label: 'cached',
          fields: [
            ['If-None-Match', '"probe-1"'],
            ['If-Modified-Since', 'Wed, 21 Oct 2015 07:28:00 GMT'],
          ],
        },
        { label: 'match', method: 'PUT', body: 'probe', fields: [['If-Match', '"probe-1"']] },
        {
          label: 'range',
          fields: [
            ['Range', 'bytes=0-3'],
            ['If-Range', '"probe-1"'],
          ],
        },
      ]),
    judge(evidence, facts) {
      const wanted = {
        cached: ['If-None-Match', 'If-Modified-Since'],
        match: ['If-Match'],
        range: ['Range', 'If-Range'],
      }
      const missing = Object.entries(wanted).flatMap(([label, names]) =>
        names.filter(name => !evidence.call(label).arrival!.has(name)),
      )
      if (missing.length === 0) return pass()
      const text = `missing: ${missing.join(', ')}`
      return facts.reuses === true
        ? note(`${text} (a cache evaluates them itself)`, { missing })
        : fail(text, { missing })
    },
  }),
  defineCheck({
    id: 'HDR-AUTH',
    title: 'Authorization arrives',
    group: 'headers',
    protocols: BOTH,
    since: '2026.1',
    level: 'proxy-only',
    sources: rfc(9110, '11.6.2'),
    page: {
      sent: 'Authorization: Bearer probe.TOKEN+/=',
      expected: 'It arrives unchanged, or the gateway consumes it.',
      why: 'A changed token is an invalid token.',
    },
    plan: () => one({ fields: [['Authorization', 'Bearer probe.TOKEN+/=']] }),
    judge({ first: { arrival } }, facts) {
      if (facts.hasCredentials) return skip('requests carry credentials of your own')
      const [value] = arrival!.values('authorization')
      if (value === undefined) return note('consumed or dropped')
      return value === 'Bearer probe.TOKEN+/=' ? pass() : warn('the value was changed')
    },
  }),
]
