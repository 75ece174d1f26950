/** Paths and queries, which have to arrive as they were sent. */
import {
  BOTH,
  defineCheck,
  fail,
  note,
  pass,
  skip,
  warn,
  worst,
  type CheckPage,
  type Level,
  type Protocol,
  type Source,
  type Verdict,
} from '../../catalog/check.ts'
import type { Call, Evidence } from '../../client/evidence.ts'
import { each, rfc, shown } from '../builders.ts'

/** What became of a target: `as sent`, `refused`, or what arrived behind the step. */
function outcome(call: Call): string {
  if (call.isRefused) return 'refused'
  if (call.arrival === null) return 'not forwarded'
  return call.arrival.rest === call.record.spec.rest ? 'as sent' : call.arrival.rest
}

function outcomes(evidence: Evidence): Record<string, string> {
  return Object.fromEntries(evidence.calls.map(call => [call.record.spec.rest!, outcome(call)]))
}

interface TargetCheck {
  id: string
  title: string
  level: Level
  sources: readonly Source[]
  protocols?: readonly Protocol[]
  page: CheckPage
  rests: readonly string[]
  judge(arrived: Record<string, string>, evidence: Evidence): Verdict
}

function targetCheck({
  id,
  title,
  level,
  sources,
  protocols = ['1.1'],
  page,
  rests,
  judge,
}: TargetCheck): ReturnType<typeof defineCheck> {
  return defineCheck({
    id,
    title,
    group: 'targets',
    since: '2026.1',
    level,
    sources,
    protocols,
    when: { judgesRefusal: true },
    page,
    plan: () => each(rests.map(rest => ({ rest }))),
    judge: evidence => {
      const arrived = outcomes(evidence)
      const verdict = judge(arrived, evidence)
      return { ...verdict, values: { arrived, ...verdict.values } }
    },
  })
}

const RFC_3986: Source[] = [{ spec: 'RFC 3986' }]
const isChanged = (text: string): boolean => !['as sent', 'refused', 'not forwarded'].includes(text)
const changes = (arrived: Record<string, string>): string =>
  Object.entries(arrived)
    .filter(([, text]) => text !== 'as sent')
    .map(([sent, text]) => `${sent} → ${text}`)
    .join(', ')

/** A note about everything that did not arrive as sent, otherwise a pass. */
function noted(arrived: Record<string, string>): Verdict {
  const text = changes(arrived)
  return text === '' ? pass() : note(text)
}

const QUERY = '?b=2&a=1&a=+&c=%20;d&e=%2B&&f'

export const TARGET_CHECKS = [
  targetCheck({
    id: 'TGT-DOT',
    title: 'Dot segments',
    level: 'hazard',
    sources: RFC_3986,
    page: {
      sent: 'Paths with /../, /./, /%2e%2e/ and /..%2f.',
      expected: 'Encoded and raw dots are treated alike.',
      why: 'A filter that reads the path before dots are resolved is bypassed.',
    },
    rests: ['/a/../b', '/a/./b', '/a/%2e%2e/b', '/a/..%2fb'],
    judge(arrived) {
      const found: Verdict[] = []
      const isRawResolved = arrived['/a/../b'] === '/b'
      if (isRawResolved && arrived['/a/%2e%2e/b'] === 'as sent')
        found.push(warn('raw dots are resolved, but encoded ones pass as sent'))
      if (isChanged(arrived['/a/..%2fb']!) && !/\.\.%2fb$/i.test(arrived['/a/..%2fb']!))
        found.push(warn('..%2f is resolved'))
      return found.length > 0 ? worst(found) : noted(arrived)
    },
  }),
  targetCheck({
    id: 'TGT-ENCSLASH',
    title: 'Encoded slash and backslash',
    level: 'hazard',
    sources: RFC_3986,
    page: {
      sent: '/a%2Fb and /a%5Cb',
      expected: 'They arrive encoded, or are refused.',
      why: 'Decoded, one segment becomes two: another route answers than the one that was checked.',
    },
    rests: ['/a%2Fb', '/a%5Cb'],
    judge(arrived) {
      const decoded = Object.entries(arrived).filter(
        ([sent, text]) => isChanged(text) && text.toLowerCase() !== sent.toLowerCase(),
      )
      return decoded.length > 0
        ? warn(`decoded: ${decoded.map(([sent, text]) => `${sent} → ${text}`).join(', ')}`)
        : noted(arrived)
    },
  }),
  targetCheck({
    id: 'TGT-MERGE',
    title: 'Double slash',
    level: 'proxy-only',
    sources: rfc(9110, '7.7'),
    page: { sent: '/a//b and //a', expected: 'Both slashes arrive.', why: 'An empty segment is not the same path.' },
    rests: ['/a//b', '//a'],
    judge: noted,
  }),
  targetCheck({
    id: 'TGT-DOUBLE',
    title: 'Double encoding',
    level: 'hazard',
    sources: [],
    page: {
      sent: '/a%252eb, /a%2525b and /a%25zzb',
      expected: 'They arrive as sent.',
      why: 'Decoded once by each hop, a path means something else for each of them.',
    },
    rests: ['/a%252eb', '/a%2525b', '/a%25zzb'],
    judge(arrived) {
      const decoded = Object.entries(arrived).filter(([, text]) => isChanged(text))
      return decoded.length > 0
        ? warn(`decoded: ${decoded.map(([sent, text]) => `${sent} → ${text}`).join(', ')}`)
        : noted(arrived)
    },
  }),
  targetCheck({
    id: 'TGT-UNRES',
    title: 'Unreserved characters and case of hex digits',
    level: 'observation',
    sources: RFC_3986,
    page: {
      sent: '/%7E, /%41, /%3a and /~',
      expected: 'What is normalized is reported.',
      why: 'Signatures over the path fail if it is normalized.',
    },
    rests: ['/%7E', '/%41', '/%3a', '/~'],
    judge: noted,
  }),
  targetCheck({
    id: 'TGT-PARAM',
    title: 'Path parameters',
    level: 'hazard',
    sources: [],
    page: {
      sent: '/a;v=1/b, /..;/x and /a%3Bv',
      expected: 'Nothing is cut, and ..; is not a dot segment.',
      why: 'Some upstreams remove parameters: a gateway that does not see the same path is bypassed.',
    },
    rests: ['/a;v=1/b', '/..;/x', '/a%3Bv'],
    judge(arrived) {
      const cut = Object.entries(arrived).filter(([sent, text]) => isChanged(text) && text !== sent.replace('%3B', ';'))
      return cut.length > 0
        ? warn(`cut or resolved: ${cut.map(([sent, text]) => `${sent} → ${text}`).join(', ')}`)
        : noted(arrived)
    },
  }),
  targetCheck({
    id: 'TGT-CTL',
    title: 'Encoded control characters and spaces',
    level: 'hazard',
    sources: RFC_3986,
    page: {
      sent: '/%00, /%0d%0aX-Probe-Inj:1, /%09 and /%20',
      expected: 'They arrive encoded, or are refused.',
      why: 'A decoded line break lets a client write fields of the request.',
    },
    rests: ['/a%00b', '/a%0d%0aX-Probe-Inj:1', '/a%09b', '/a%20b'],
    judge(_arrived, evidence) {
      const found: Verdict[] = []
      for (const call of evidence.calls) {
        const { arrival } = call
        if (arrival === null) continue
        const sent = call.record.spec.rest!
        if (arrival.has('x-probe-inj')) found.push(fail('X-Probe-Inj of the path became a field'))
        // oxlint-disable-next-line no-control-regex
        else if (/[\u0000-\u0020]/.test(arrival.target))
          found.push(warn(`a raw control character or space arrives for ${sent}`))
        else if (sent.includes('%00') && !arrival.rest.includes('b')) found.push(warn('the path is cut at %00'))
      }
      return found.length === 0 ? pass() : worst(found)
    },
  }),
  targetCheck({
    id: 'TGT-RAW',
    title: 'Bytes that must be encoded',
    level: 'hazard',
    sources: rfc(9112, '3.2'),
    page: {
      sent: 'Raw C3 A9, {a|b}, "<>^`, and %zz.',
      expected: 'They are refused, encoded, or arrive as sent, but never as spaces.',
      why: 'A space in the target ends it for some parsers.',
    },
    rests: ['/\u00c3\u00a9', '/{a|b}', '/"<>^`', '/%zz'],
    judge(arrived, evidence) {
      const space = evidence.calls.find(({ arrival }) => arrival !== null && arrival.target.includes(' '))
      if (space !== undefined) return warn(`a space arrives for ${shown(space.record.spec.rest!)}`)
      const encoded = Object.entries(arrived).filter(([, text]) => isChanged(text))
      return encoded.length === 0
        ? pass()
        : note(`encoded: ${encoded.map(([sent, text]) => `${shown(sent)} → ${text}`).join(', ')}`)
    },
  }),
  targetCheck({
    id: 'TGT-QUERY',
    title: 'Query bytes',
    protocols: BOTH,
    level: 'proxy-only',
    sources: rfc(9110, '7.7'),
    page: {
      sent: `${QUERY}, an empty query, and ?a?b/c.`,
      expected: 'Order, number and bytes of the members stay.',
      why: 'Signatures and caches depend on every byte of the query.',
    },
    rests: [QUERY, '?', '?a?b/c'],
    judge(arrived) {
      const changed = [QUERY, '?a?b/c'].filter(sent => isChanged(arrived[sent]!))
      if (changed.length > 0) return warn(`changed: ${changed.map(sent => `${sent} → ${arrived[sent]}`).join(', ')}`)
      return noted(arrived)
    },
  }),
  targetCheck({
    id: 'TGT-FRAGMENT',
    title: 'Fragment in the target',
    level: 'should',
    sources: rfc(9112, '3.2'),
    page: {
      sent: '/f#frag',
      expected: 'It is refused, cut, or encoded.',
      why: 'A fragment is not part of a request target; parsers disagree about what follows it.',
    },
    rests: ['/f#frag'],
    judge(arrived, evidence) {
      const [text] = Object.values(arrived)
      if (text === 'refused') return pass()
      return evidence.first.arrival?.target.includes('#') === true
        ? warn('a raw # arrives')
        : note(`arrives as ${text}`)
    },
  }),
  defineCheck({
    id: 'TGT-ABS',
    title: 'Absolute form',
    group: 'targets',
    since: '2026.1',
    level: 'must',
    sources: rfc(9112, '3.2.2'),
    when: { judgesRefusal: true },
    page: {
      sent: 'GET http://other.example/… with Host of the gateway, then GET with its own address and the same Host.',
      expected:
        'The host of the target replaces the Host field, or no such virtual host exists. A client must not send two names, so 400 is allowed for the first form, and not for the second.',
      why: 'A gateway that routes by one and forwards the other is bypassed.',
    },
    plan: () =>
      each([
        { label: 'other name', targetPrefix: () => 'http://other.example' },
        { label: 'same name', targetPrefix: authority => `http://${authority}` },
      ]),
    judge(evidence, { gateway }) {
      if (evidence.call('same name').status === 400)
        return fail('refused with 400, but a server must accept the absolute form')
      const { count, status, arrival } = evidence.call('other name')
      if (count === 0)
        return status === 400
          ? note('refused with 400 if target and Host name two hosts')
          : skip(`no such virtual host: ${status ?? 'closed'}`)
      const host = arrival!.values('host').join()
      const named = /^https?:\/\/([^/]+)/i.exec(arrival!.target)?.[1]
      if (named !== undefined && named !== host)
        return fail(`the target names ${named}, Host names ${host}`, { host, target: named })
      return host === gateway.authority
        ? fail('Host arrives as it was sent, although the target names another host', { host })
        : pass('', { host })
    },
  }),
  defineCheck({
    id: 'TGT-LONG',
    title: 'Long targets',
    group: 'targets',
    since: '2026.1',
    level: 'should',
    sources: rfc(9112, '3'),
    when: { judgesRefusal: true },
    page: {
      sent: 'Targets of 8,000 bytes, then 16, 32 and 60 KiB.',
      expected: '8,000 bytes are forwarded; above, a status says no.',
      why: 'Signed URLs and filters are long.',
    },
    plan: () =>
      each([8_000, 16_384, 32_768, 60_000].map(size => ({ label: String(size), rest: `/${'a'.repeat(size - 120)}` }))),
    judge(evidence) {
      const limits: Record<string, string> = {}
      const found: Verdict[] = []
      for (const call of evidence.calls) {
        const { label, arrival } = call
        limits[label] = arrival === null ? String(call.status ?? 'closed') : 'forwarded'
        if (arrival !== null && arrival.rest !== call.record.spec.rest)
          found.push(fail(`a target of ${label} bytes was cut`))
        else if (label === '8000' && arrival === null) found.push(warn(`8,000 bytes are refused: ${limits[label]}`))
        else if (arrival === null && call.status === null) found.push(warn(`closed without a status at ${label} bytes`))
      }
      const largest = evidence.calls.findLast(({ count }) => count > 0)?.label ?? 'none'
      return found.length > 0 ? { ...worst(found), values: limits } : note(`forwarded up to ${largest} bytes`, limits)
    },
  }),
]
