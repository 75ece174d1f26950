/** Fields that the gateway writes: Host, Via, X-Forwarded-*, Forwarded, trace context, request ids, Max-Forwards. */
import { BOTH, defineCheck, fail, note, pass, skip, warn, worst, type Verdict } from '../../catalog/check.ts'
import { each, listMembers, one, rfc } from '../builders.ts'

const SPOOFED = '203.0.113.66'
const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT_ID = '00f067aa0ba902b7'
const INVALID_TRACE = `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01`

export const ADDED_CHECKS = [
  defineCheck({
    id: 'HDR-HOST',
    title: 'Host',
    group: 'headers',
    since: '2026.1',
    level: 'observation',
    sources: rfc(9110, '7.2'),
    page: {
      sent: 'Host as usual.',
      expected: 'One Host field. What it says is reported.',
      why: 'Upstreams build links and redirects from it.',
      configure: { nginx: 'proxy_set_header Host $http_host; keeps the port, $host loses it' },
    },
    plan: () => one(),
    judge({ first: { arrival } }, { gateway, upstreamOrigins }) {
      const values = arrival!.values('host')
      if (values.length > 1) return fail('two Host fields arrived', { arrived: values })
      const [host = ''] = values
      const isUpstream = upstreamOrigins.some(origin => origin === `http://${host}`)
      const how =
        host === gateway.authority
          ? 'kept'
          : host === gateway.host
            ? 'without port'
            : isUpstream
              ? "upstream's"
              : host === ''
                ? 'none'
                : host
      return note(how, { host })
    },
  }),
  defineCheck({
    id: 'HDR-VIA',
    title: 'Via',
    group: 'headers',
    protocols: BOTH,
    since: '2026.1',
    level: 'must',
    sources: rfc(9110, '7.6.3'),
    when: { first: true },
    page: {
      sent: 'An ordinary GET.',
      expected: 'The request has a Via field of the gateway.',
      why: 'Via shows the route of a message, and how loops are found.',
    },
    plan: () => one(),
    judge({ first }, { protocol }) {
      const members = listMembers(first.arrival!.values('via'))
      const last = members.at(-1)
      const values = { via: members.join(', ') || null, response: first.values('via').join(', ') || null }
      if (last === undefined) return fail('no Via field in the request', values)
      const match = /^(?:HTTP\/)?(\d(?:\.\d)?)\s+(\S+)/i.exec(last)
      const pseudonym = match?.[2] ?? null
      const versions = protocol === '2' ? ['2', '2.0'] : ['1.1']
      return versions.includes(match?.[1] ?? '')
        ? pass('', { ...values, pseudonym })
        : warn(`Via names another version than the client's: ${last}`, { ...values, pseudonym })
    },
  }),
  defineCheck({
    id: 'HDR-XFF',
    title: 'The address of the client cannot be spoofed',
    group: 'headers',
    since: '2026.1',
    level: 'hazard',
    sources: [{ spec: 'RFC 7239' }],
    page: {
      sent: `X-Forwarded-For and X-Real-IP with ${SPOOFED}.`,
      expected: 'The gateway replaces them, or appends the real address.',
      why: 'An upstream that believes them limits, logs and trusts the wrong client.',
      configure: { nginx: 'proxy_set_header X-Forwarded-For $remote_addr; proxy_set_header X-Real-IP $remote_addr;' },
    },
    plan: () =>
      one({
        fields: [
          ['X-Forwarded-For', SPOOFED],
          ['X-Real-IP', SPOOFED],
        ],
      }),
    judge({ first: { arrival } }) {
      const forwarded = listMembers(arrival!.values('x-forwarded-for'))
      const real = arrival!.values('x-real-ip')
      const values = { x_forwarded_for: forwarded, x_real_ip: real }
      const isAlone = (members: readonly string[]): boolean =>
        members.length > 0 && members.every(one => one === SPOOFED)
      const believed = [isAlone(forwarded) ? 'X-Forwarded-For' : '', isAlone(real) ? 'X-Real-IP' : ''].filter(
        name => name !== '',
      )
      if (believed.length > 0) return warn(`arrives as the client sent it: ${believed.join(', ')}`, values)
      if (forwarded[0] === SPOOFED) return note('appended (spoofed first)', values)
      return forwarded.length === 0 && real.length === 0 ? note('none', values) : pass('', values)
    },
  }),
  defineCheck({
    id: 'HDR-XFPROTO',
    title: 'Scheme and host cannot be spoofed',
    group: 'headers',
    since: '2026.1',
    level: 'hazard',
    sources: [{ spec: 'RFC 7239' }],
    page: {
      sent: 'X-Forwarded-Proto, -Host, -Port and -Prefix with false values.',
      expected: 'None of them arrives as sent.',
      why: 'An upstream that believes them sends users to a host of the attacker.',
    },
    plan: () =>
      one({
        fields: [
          ['X-Forwarded-Proto', 'gopher'],
          ['X-Forwarded-Host', 'evil.example'],
          ['X-Forwarded-Port', '1'],
          ['X-Forwarded-Prefix', '/evil'],
        ],
      }),
    judge({ first: { arrival } }) {
      const sent = {
        'X-Forwarded-Proto': 'gopher',
        'X-Forwarded-Host': 'evil.example',
        'X-Forwarded-Port': '1',
        'X-Forwarded-Prefix': '/evil',
      }
      const found = Object.entries(sent)
        .filter(([name, value]) => listMembers(arrival!.values(name)).includes(value))
        .map(([name]) => name)
      return found.length === 0
        ? pass()
        : warn(`arrives as the client sent it: ${found.join(', ')}`, { arrived: found })
    },
  }),
  defineCheck({
    id: 'HDR-FORWARDED',
    title: 'Forwarded does not contradict X-Forwarded-For',
    group: 'headers',
    since: '2026.1',
    level: 'hazard',
    sources: [{ spec: 'RFC 7239' }],
    page: {
      sent: `Forwarded: for=${SPOOFED};proto=gopher`,
      expected: 'The gateway replaces it, appends to it, or sets no address field at all.',
      why: 'With two different addresses, two applications believe different ones.',
    },
    plan: () => one({ fields: [['Forwarded', `for=${SPOOFED};proto=gopher`]] }),
    judge({ first: { arrival } }) {
      const members = listMembers(arrival!.values('forwarded'))
      const isAlone = members.length === 1 && members[0]!.includes(SPOOFED)
      if (isAlone && arrival!.has('x-forwarded-for'))
        return warn('Forwarded arrives as the client sent it, next to an X-Forwarded-For of the gateway', {
          forwarded: members,
        })
      return note(members.length === 0 ? 'removed' : isAlone ? 'passes' : 'replaced or appended', {
        forwarded: members,
      })
    },
  }),
  defineCheck({
    id: 'HDR-TRACE',
    title: 'Trace context',
    group: 'headers',
    since: '2026.1',
    level: 'other-spec',
    sources: [{ spec: 'W3C Trace Context' }],
    page: {
      sent: 'A valid traceparent with tracestate a=1,b=2; then an invalid traceparent.',
      expected: 'The trace id stays; tracestate changes only with the parent id.',
      why: 'Otherwise traces break at the gateway.',
    },
    plan: () =>
      each([
        {
          label: 'valid',
          fields: [
            ['traceparent', `00-${TRACE_ID}-${PARENT_ID}-01`],
            ['tracestate', 'a=1,b=2'],
          ],
        },
        { label: 'invalid', fields: [['traceparent', INVALID_TRACE]] },
      ]),
    judge(evidence) {
      const { arrival } = evidence.call('valid')
      const [parent] = arrival!.values('traceparent')
      const invalid = evidence.call('invalid').arrival!.values('traceparent')[0]
      const values = {
        traceparent: parent ?? null,
        tracestate: arrival!.values('tracestate').join(','),
        invalid: invalid ?? null,
      }
      if (parent === undefined) return note('removes', values)
      const [, trace, span] = parent.split('-')
      if (trace !== TRACE_ID) return warn('restarts: the trace id was changed', values)
      if (span !== PARENT_ID) return note('child span', values)
      const state = arrival!.values('tracestate').join(',').replaceAll(' ', '')
      return state === 'a=1,b=2'
        ? note('passes', values)
        : fail('tracestate was changed, but the parent id was not', values)
    },
  }),
  defineCheck({
    id: 'HDR-REQID',
    title: 'Request id',
    group: 'headers',
    since: '2026.1',
    level: 'observation',
    sources: [],
    page: {
      sent: 'A request with X-Request-Id, and one without.',
      expected: 'What the gateway does with it is reported.',
      why: 'One id through all logs makes a request findable.',
    },
    plan: () => each([{ label: 'with', fields: [['X-Request-Id', 'probe-id-1']] }, { label: 'without' }]),
    judge(evidence) {
      const kept = evidence.call('with').arrival!.values('x-request-id')[0]
      const made = evidence.call('without').arrival!.values('x-request-id')[0]
      const isReturned = evidence.call('with').values('x-request-id').length > 0
      const words = [
        kept === undefined ? 'removed' : kept === 'probe-id-1' ? 'kept' : 'replaced',
        made === undefined ? '' : 'made',
        isReturned ? 'returned' : '',
      ].filter(word => word !== '')
      return note(words.join(', '))
    },
  }),
  defineCheck({
    id: 'HDR-MAXFWD',
    title: 'Max-Forwards',
    group: 'headers',
    since: '2026.1',
    level: 'must',
    sources: rfc(9110, '7.6.2'),
    when: { judgesRefusal: true },
    page: {
      sent: 'OPTIONS with Max-Forwards: 0, and with 5.',
      expected: 'The first does not arrive; the second arrives with a smaller number.',
      why: 'It shows which hop answers.',
    },
    plan: () =>
      each([
        { label: 'zero', method: 'OPTIONS', fields: [['Max-Forwards', '0']] },
        { label: 'five', method: 'OPTIONS', fields: [['Max-Forwards', '5']] },
      ]),
    judge(evidence) {
      const five = evidence.call('five')
      const found: Verdict[] = []
      if (evidence.call('zero').count > 0) found.push(fail('OPTIONS with Max-Forwards: 0 was forwarded'))
      if (five.count === 0) return found[0] ?? skip(`OPTIONS is not forwarded: ${five.status ?? 'closed'}`)
      const values = five.arrival!.values('max-forwards')
      if (values.length > 0 && !/^[0-4]$/.test(values.join()))
        found.push(fail(`Max-Forwards: 5 arrived as ${values.join()}`))
      else if (values.length === 0) found.push(fail('Max-Forwards: 5 did not arrive'))
      return found.length === 0 ? pass() : worst(found)
    },
  }),
]
