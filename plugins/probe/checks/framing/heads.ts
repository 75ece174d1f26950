/** Hostile: malformed heads. They are sent with --hostile only. */
import { fail, note, pass, warn, worst, type Verdict } from '../../catalog/check.ts'
import type { RequestSpec } from '../../client/request.ts'
import { chunk, each, one, rfc } from '../builders.ts'
import { hostile } from './lengths.ts'

const form = (label: string, request: RequestSpec): RequestSpec => ({
  label,
  isValid: false,
  timeoutMs: 4_000,
  ...request,
})
const TRAILERS: [string, string][] = [
  ['Content-Length', '9'],
  ['Host', 'evil.example'],
  ['Authorization', 'evil'],
  ['X-Probe-Trailer', '1'],
]

export const HEAD_CHECKS = [
  hostile({
    id: 'FRM-LF',
    title: 'Bare LF',
    level: 'observation',
    impact: 'high',
    sources: rfc(9112, '2.2'),
    page: {
      sent: 'A whole head with LF; one line with LF.',
      expected: 'Refused, or rewritten with CR LF.',
      why: 'A bare LF that arrives ends a line for one hop and not for the next.',
    },
    plan: () =>
      each([
        form('whole head', { lineEnd: '\n' }),
        form('one line', { rawFields: 'X-Probe-Lf: 1\nX-Probe-Next: 2\r\n' }),
      ]),
    judge(evidence) {
      const found: Verdict[] = []
      for (const { label, arrival } of evidence.calls) {
        if (arrival === null) continue
        found.push(
          /[^\r]\n/.test(arrival.head) ? fail(`a bare LF arrived: ${label}`) : note(`accepted and rewritten: ${label}`),
        )
      }
      return found.length === 0 ? pass() : worst(found)
    },
  }),
  hostile({
    id: 'FRM-CR-NUL',
    title: 'CR, NUL and controls in a value',
    level: 'must',
    sources: [...rfc(9112, '2.2'), ...rfc(9110, '5.5')],
    page: {
      sent: 'A bare CR, NUL, 01 and 7F in values.',
      expected: 'CR and NUL are refused or replaced.',
      why: 'They end lines or texts for some parsers.',
    },
    plan: () =>
      each(
        [
          ['CR', '\r'],
          ['NUL', '\u0000'],
          ['01', '\u0001'],
          ['7F', '\u007f'],
        ].map(([label, character]) => form(label!, { rawFields: `X-Probe-Control: a${character}b\r\n` })),
      ),
    judge(evidence) {
      const found: Verdict[] = []
      for (const { label, arrival } of evidence.calls) {
        if (arrival === null) continue
        const value = /x-probe-control:([^\n]*)/i.exec(arrival.head)?.[1] ?? ''
        // oxlint-disable-next-line no-control-regex
        if (/\u0000|\r./.test(value)) found.push(fail(`arrived: ${label}`))
        // oxlint-disable-next-line no-control-regex
        else if (/[\u0001\u007f]/.test(value)) found.push(note(`arrived: ${label}`))
      }
      return found.length === 0 ? pass() : worst(found)
    },
  }),
  hostile({
    id: 'FRM-FOLD',
    title: 'Folded line',
    level: 'must',
    sources: rfc(9112, '5.2'),
    page: {
      sent: 'X-Probe-Fold: a, CR LF, space, b.',
      expected: 'Refused with 400, or one line with spaces.',
      why: 'The second line becomes a field of its own for some parsers.',
    },
    plan: () => one(form('fold', { rawFields: 'X-Probe-Fold: a\r\n b\r\n' })),
    judge({ first: { arrival } }) {
      if (arrival === null) return pass()
      if (/\r\n[ \t]/.test(arrival.head)) return fail('the folded line arrived')
      const value = arrival.values('x-probe-fold').join()
      if (arrival.fields.some(([name]) => name === 'b')) return fail('the second line became a field')
      return value === 'a' ? fail('the value was cut') : pass()
    },
  }),
  hostile({
    id: 'FRM-LEAD-WS',
    title: 'Space before the first field',
    level: 'must',
    sources: rfc(9112, '2.2'),
    page: {
      sent: 'A first line of fields that begins with a space.',
      expected: 'Refused, or the line is ignored.',
      why: 'It hides a field from one of two hops.',
    },
    plan: () => one(form('lead', { lead: ' X-Probe-Lead: 1\r\n' })),
    judge({ first: { arrival } }) {
      return arrival !== null && /x-probe-lead/i.test(arrival.head) ? fail('the line arrived') : pass()
    },
  }),
  hostile({
    id: 'FRM-HOST',
    title: 'Host missing, twice or invalid',
    level: 'must',
    sources: rfc(9112, '3.2'),
    page: {
      sent: 'HTTP/1.1 without Host; two equal ones; two different ones; "a b", "a/@b" and "a,b".',
      expected: 'Refused with 400.',
      why: 'Routing by one host and serving another bypasses access rules.',
    },
    plan: () =>
      each([
        form('missing', { host: () => '' }),
        form('twice', { host: authority => `Host: ${authority}\r\nHost: ${authority}\r\n` }),
        form('two different', { host: authority => `Host: ${authority}\r\nHost: evil.example\r\n` }),
        form('with a space', { host: authority => `Host: ${authority} b\r\n` }),
        form('with a path', { host: authority => `Host: ${authority}/@evil.example\r\n` }),
        form('with a comma', { host: authority => `Host: ${authority.replace(/:\d+$/, '')}:80,evil.example\r\n` }),
      ]),
    judge(evidence) {
      const forwarded = evidence.calls.filter(({ count }) => count > 0).map(({ label }) => label)
      if (forwarded.length > 0) return fail(`forwarded: ${forwarded.join(', ')}`, { forwarded })
      const other = evidence.calls.filter(({ status }) => status !== 400)
      return other.length === 0
        ? pass()
        : warn(`not refused with 400: ${other.map(({ label, status }) => `${label} ${status ?? 'closed'}`).join(', ')}`)
    },
  }),
  hostile({
    id: 'FRM-REQLINE',
    title: 'Request line',
    level: 'hazard',
    impact: 'high',
    sources: rfc(9112, '3'),
    page: {
      sent: 'A tab for a space, two spaces, a space at the end, HTTP/1.10, http/1.1, HTTP/2.0, and the method GE(T.',
      expected: 'Refused, or rewritten.',
      why: 'A line that is not well formed is read differently by the upstream.',
    },
    plan: () =>
      each([
        form('tab', { line: target => `GET\t${target} HTTP/1.1` }),
        form('two spaces', { line: target => `GET  ${target} HTTP/1.1` }),
        form('trailing space', { line: target => `GET ${target} HTTP/1.1 ` }),
        form('HTTP/1.10', { line: target => `GET ${target} HTTP/1.10` }),
        form('http/1.1', { line: target => `GET ${target} http/1.1` }),
        form('HTTP/2.0', { line: target => `GET ${target} HTTP/2.0` }),
        form('GE(T', { line: target => `GE(T ${target} HTTP/1.1` }),
        form('space in the target', { line: target => `GET ${target}/a b HTTP/1.1` }),
      ]),
    judge(evidence) {
      const found: Verdict[] = []
      for (const { label, arrival } of evidence.calls) {
        if (arrival === null) continue
        if (!/^[!#$%&'*+.^_`|~\w-]+ \S+ HTTP\/1\.[01]$/.test(arrival.line))
          found.push(fail(`not well formed: ${label}`))
        else if (label === 'space in the target' && arrival.rest === '/ab')
          found.push(warn('a space vanished from the target'))
        else found.push(note(`accepted and rewritten: ${label}`))
      }
      return found.length === 0 ? pass() : worst(found)
    },
  }),
  hostile({
    id: 'FRM-TRAILER',
    title: 'Trailers do not become fields',
    level: 'must',
    sources: rfc(9110, '6.5.1'),
    page: {
      sent: 'A chunked body with the trailers Content-Length, Host, Authorization and X-Probe-Trailer.',
      expected: 'None of them is in the head of the request.',
      why: 'Trailers come after the gateway has decided.',
    },
    plan: () =>
      one(
        form('trailers', {
          method: 'POST',
          framing: 'raw',
          rawFields: 'Trailer: Content-Length, Host, Authorization, X-Probe-Trailer\r\nTransfer-Encoding: chunked\r\n',
          body: `${chunk('abc')}0\r\n${TRAILERS.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
        }),
      ),
    judge({ first }) {
      const { arrival } = first
      if (arrival === null) return note(`refused: ${first.status ?? 'closed'}`)
      const merged = TRAILERS.filter(([name, value]) => arrival.values(name).includes(value)).map(([name]) => name)
      if (merged.length > 0) return fail(`in the head: ${merged.join(', ')}`, { merged })
      const arrived = arrival.trailers.map(([name]) => name.toLowerCase())
      const passed = TRAILERS.map(([name]) => name).filter(name => arrived.includes(name.toLowerCase()))
      return passed.length === 0 ? note('dropped') : note(`forwarded as trailers: ${passed.join(', ')}`, { passed })
    },
  }),
]
