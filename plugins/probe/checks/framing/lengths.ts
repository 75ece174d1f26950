/** Hostile: messages whose length is ambiguous. They are sent with --hostile only. */
import { defineCheck, fail, note, pass, warn, worst, type Check, type Verdict } from '../../catalog/check.ts'
import { type Call, type Evidence, sha256 } from '../../client/evidence.ts'
import type { Part, RequestSpec } from '../../client/request.ts'
import { chunk, each, one, rfc } from '../builders.ts'

const WATCH_MS = 2_000
const BODY_WAIT_MS = 200
/** A complete request that must not arrive as one of its own. */
const SMUGGLED: RequestSpec = { label: 'smuggled' }
const CHUNKED_BODY = `${chunk('abc')}0\r\n\r\n`

export function hostile(check: Omit<Check, 'since' | 'hostile' | 'group'> & { group?: string }): Check {
  return defineCheck({ group: 'framing', ...check, since: '2026.1', hostile: true })
}

/** Whether the client connection was closed, or could not be used any more, after the answer. */
const isClosed = (call: Call): boolean => call.exchange.ended !== null
const statusText = (call: Call): string => String(call.status ?? 'closed')
const is4xx = ({ status }: Call): boolean => status !== null && status >= 400 && status < 500

/** Exactly one valid framing, and a body that agrees with the chunked reading of what was sent. */
function oneReading(call: Call, body: string): boolean {
  const arrival = call.arrival!
  const lengths = arrival.values('content-length')
  const codings = arrival.values('transfer-encoding')
  const isOneFraming = codings.length > 0 ? codings.length === 1 && lengths.length === 0 : lengths.length <= 1
  return isOneFraming && arrival.isComplete && arrival.record.body_sha256 === sha256(body)
}

function smuggledVerdict(evidence: Evidence): Verdict[] {
  return evidence.hasSmuggled ? [fail('the embedded request arrived as a request of its own')] : []
}

function post(
  label: string,
  rawFields: NonNullable<RequestSpec['rawFields']>,
  body: string,
  more: Partial<RequestSpec> = {},
): RequestSpec {
  return { label, method: 'POST', framing: 'raw', rawFields, body, isValid: false, ...more }
}

export const LENGTH_CHECKS = [
  hostile({
    id: 'FRM-CLTE',
    title: 'Content-Length and Transfer-Encoding',
    level: 'must',
    sources: rfc(9112, '6.1', '6.3'),
    page: {
      sent: 'Content-Length over everything, Transfer-Encoding: chunked, the last chunk, then a complete GET.',
      expected:
        'The request is refused; or it is forwarded by the chunked reading alone, and the connection is closed.',
      why: 'Two readings of one message let a client put a request into the connection of another user.',
    },
    plan: () => ({
      connections: [
        {
          watchMs: WATCH_MS,
          requests: [
            post('both', length => `Content-Length: ${length}\r\nTransfer-Encoding: chunked\r\n`, CHUNKED_BODY, {
              embedded: [SMUGGLED],
            }),
          ],
        },
      ],
    }),
    judge(evidence) {
      const { first } = evidence
      if (first.isRefused && !evidence.hasSmuggled) return pass(`refused: ${statusText(first)}`)
      const { arrival } = first
      const found = smuggledVerdict(evidence)
      if (arrival === null) return found[0] ?? pass(`not forwarded: ${statusText(first)}`)
      const lengths = arrival.values('content-length')
      if (lengths.length > 0 && arrival.has('transfer-encoding')) found.push(fail('both fields arrived'))
      else if (lengths.length > 0 && lengths.join() !== '3')
        found.push(fail(`arrived with Content-Length ${lengths.join()}, not that of the chunked body`))
      if (!isClosed(first)) found.push(fail('forwarded, and the connection of the client stays open'))
      return found.length === 0 ? pass('forwarded by the chunked reading, and closed') : worst(found)
    },
  }),
  hostile({
    id: 'FRM-TE-WS',
    title: 'Space before the colon',
    level: 'must',
    sources: rfc(9112, '5.1'),
    page: {
      sent: '"Transfer-Encoding : chunked" with a chunked body.',
      expected: 'Refused with 400.',
      why: 'One hop ignores the field and the next one does not.',
    },
    plan: () =>
      one(post('space', 'Transfer-Encoding : chunked\r\n', CHUNKED_BODY, { embedded: [SMUGGLED] }), {
        watchMs: WATCH_MS,
      }),
    judge(evidence) {
      const { first } = evidence
      if (evidence.hasSmuggled) return fail('the embedded request arrived as a request of its own')
      if (first.count > 0) return fail('the request was forwarded')
      return first.status === 400 || first.status === null
        ? pass()
        : warn(`refused with ${first.status} instead of 400`)
    },
  }),
  hostile({
    id: 'FRM-TE-UNKNOWN',
    title: 'Other transfer codings',
    level: 'must',
    sources: rfc(9112, '6.1', '6.3'),
    page: {
      sent: 'Transfer-Encoding: xchunked; chunked, identity; identity.',
      expected: 'Refused with 400 or 501.',
      why: 'A body whose length nobody knows is read differently by each hop.',
    },
    plan: () =>
      each(
        ['xchunked', 'chunked, identity', 'identity'].map(coding =>
          post(coding, `Transfer-Encoding: ${coding}\r\n`, CHUNKED_BODY, {
            embedded: [{ label: `smuggled by ${coding}` }],
          }),
        ),
        { watchMs: WATCH_MS },
      ),
    judge(evidence) {
      const found = smuggledVerdict(evidence)
      for (const call of evidence.calls) {
        if (call.arrival !== null) {
          const codings = call.arrival.values('transfer-encoding').join(', ')
          const isLast = codings === '' || /(?:^|,)\s*chunked$/i.test(codings)
          if (!isLast) found.push(fail(`passed on: ${call.label}`))
          else if (!oneReading(call, 'abc')) found.push(fail(`forwarded with another body: ${call.label}`))
        } else if (call.status !== null && !is4xx(call) && call.status !== 501)
          found.push(warn(`${call.label} is refused with ${call.status} instead of 400 or 501`))
      }
      return found.length === 0 ? pass() : worst(found)
    },
  }),
  hostile({
    id: 'FRM-TE-10',
    title: 'HTTP/1.0 with Transfer-Encoding',
    level: 'must',
    sources: rfc(9112, '6.1'),
    page: {
      sent: 'HTTP/1.0, keep-alive, a chunked body, then a complete GET.',
      expected: 'Refused, or the connection is closed after the answer.',
      why: 'HTTP/1.0 has no chunked coding, so its framing is faulty.',
    },
    plan: () =>
      one(
        post('1.0', 'Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n', CHUNKED_BODY, {
          version: '1.0',
          embedded: [SMUGGLED],
        }),
        { watchMs: WATCH_MS },
      ),
    judge(evidence) {
      const { first } = evidence
      if (evidence.hasSmuggled) return fail('the embedded request arrived as a request of its own')
      if (first.count === 0) return pass(`refused: ${statusText(first)}`)
      return isClosed(first) ? pass() : fail('the connection stays open after the answer')
    },
  }),
  hostile({
    id: 'FRM-TE-TWICE',
    title: 'Transfer-Encoding in odd forms',
    level: 'hazard',
    impact: 'high',
    sources: rfc(9112, '6.1'),
    page: {
      sent: 'Two lines chunked; Chunked; a tab in front; "chunked,"; the quoted word. The body follows after 200 ms.',
      expected: 'Each is read in one way by all, or refused.',
      why: 'Odd forms are how the same bytes are read differently by two hops.',
    },
    plan: () =>
      each(
        (
          [
            ['two lines', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n'],
            ['upper case', 'Transfer-Encoding: Chunked\r\n'],
            ['tab', 'Transfer-Encoding:\tchunked\r\n'],
            ['comma', 'Transfer-Encoding: chunked,\r\n'],
            ['quoted', 'Transfer-Encoding: "chunked"\r\n'],
          ] as const
        ).map(([label, fields]) => {
          const embedded = { label: `smuggled by ${label}`, isValid: false }
          // A gateway that sees no body has forwarded the head when the body comes, which it takes for the next request.
          const parts = (render: (spec: RequestSpec) => Buffer): Part[] => [
            { waitMs: BODY_WAIT_MS },
            Buffer.concat([Buffer.from(CHUNKED_BODY), render(embedded)]),
          ]
          return post(label, fields, '', { parts })
        }),
        { watchMs: WATCH_MS },
      ),
    judge(evidence) {
      const found: Verdict[] = []
      for (const call of evidence.calls) {
        if (call.arrival === null) continue
        // The embedded request is one of its own here if the chunked reading is right.
        if (!oneReading(call, 'abc')) found.push(fail(`arrived with another reading: ${call.label}`))
        else if (call.label === 'two lines') found.push(note('two lines are taken as one'))
      }
      return found.length === 0 ? pass() : worst(found)
    },
  }),
  hostile({
    id: 'FRM-CL-DIFF',
    title: 'Lengths that differ',
    level: 'must',
    sources: rfc(9112, '6.3'),
    page: {
      sent: 'Two Content-Length lines 3 and 40; one line "3, 40".',
      expected: 'Refused with 400, and the connection is closed.',
      why: 'Each hop may take another one.',
    },
    plan: () =>
      each(
        [
          post('two lines', 'Content-Length: 3\r\nContent-Length: 40\r\n', 'abc'),
          post('one line', 'Content-Length: 3, 40\r\n', 'abc'),
        ],
        { watchMs: WATCH_MS },
      ),
    judge(evidence) {
      const found: Verdict[] = []
      for (const call of evidence.calls) {
        if (call.count > 0) found.push(fail(`forwarded: ${call.label}`))
        else if (call.status !== null && !is4xx(call)) found.push(fail(`${call.label} is answered with ${call.status}`))
        else if (!isClosed(call)) found.push(fail(`the connection stays open: ${call.label}`))
        else if (call.status !== null && call.status !== 400)
          found.push(note(`${call.label} is refused with ${call.status}`))
      }
      return found.length === 0 ? pass() : worst(found)
    },
  }),
  hostile({
    id: 'FRM-CL-FORM',
    title: 'No valid length',
    level: 'must',
    sources: [...rfc(9112, '6.3'), ...rfc(9110, '8.6')],
    page: {
      sent: '+3, -1, 0x3, 3_0, "3 3", empty, 2^64+3, and 3 followed by NUL.',
      expected: 'Refused with 4xx.',
      why: 'Parsers disagree about what such a number is.',
    },
    plan: () =>
      each(
        ['+3', '-1', '0x3', '3_0', '3 3', '', '18446744073709551619', '3\u0000'].map(value =>
          post(value === '3\u0000' ? '3 NUL' : value === '' ? 'empty' : value, `Content-Length: ${value}\r\n`, 'abc', {
            timeoutMs: 3_000,
          }),
        ),
      ),
    judge(evidence) {
      const forwarded = evidence.calls.filter(({ count, arrival, label }) => {
        if (count === 0) return false
        // An empty value may be taken as no length.
        const isNone = ['', '0'].includes(arrival!.values('content-length').join())
        return !(label === 'empty' && isNone && arrival!.record.body_size === 0)
      })
      return forwarded.length === 0
        ? pass()
        : fail(`forwarded: ${forwarded.map(({ label }) => label).join(', ')}`, {
            forwarded: forwarded.map(({ label }) => label),
          })
    },
  }),
  hostile({
    id: 'FRM-BODY-GET',
    title: 'Body of GET, HEAD, DELETE and OPTIONS',
    level: 'must',
    sources: rfc(9112, '9.3'),
    page: {
      sent: 'GET, HEAD, DELETE and OPTIONS with a length; the body is a complete GET.',
      expected: 'The body is forwarded as a body, or the connection is closed.',
      why: 'A body that is left in the connection is read as the next request.',
    },
    plan: () =>
      each(
        ['GET', 'HEAD', 'DELETE', 'OPTIONS'].map(method => ({
          label: method,
          method,
          isValid: false,
          embedded: [{ label: `smuggled by ${method}` }],
        })),
        { watchMs: WATCH_MS },
      ),
    judge(evidence) {
      if (evidence.hasSmuggled) return fail('the body arrived as a request of its own')
      const dropped = evidence.calls.filter(
        call => call.arrival !== null && call.arrival.record.body_size === 0 && !isClosed(call),
      )
      return dropped.length === 0
        ? pass()
        : warn(`the body is dropped and the connection kept: ${dropped.map(({ label }) => label).join(', ')}`)
    },
  }),
  hostile({
    id: 'FRM-CHUNK-NUM',
    title: 'Chunk sizes',
    level: 'must',
    sources: rfc(9112, '7.1'),
    page: {
      sent: 'Seventeen f, 0x3, 0_3, +3, -1 and "3 " as chunk size.',
      expected: 'The upstream does not get a complete request.',
      why: 'Parsers disagree about what such a number is.',
    },
    plan: () =>
      each(
        ['f'.repeat(17), '0x3', '0_3', '+3', '-1', '3 '].map(size =>
          post(size, 'Transfer-Encoding: chunked\r\n', `${size}\r\nabc\r\n0\r\n\r\n`, { timeoutMs: 3_000 }),
        ),
      ),
    judge(evidence) {
      const complete = evidence.calls.filter(({ arrival }) => arrival?.isComplete === true).map(({ label }) => label)
      if (complete.length === 0) return pass()
      return complete.length === 1 && complete[0] === '3 '
        ? note('a space behind the size is accepted')
        : fail(`a complete request arrived for: ${complete.join(', ')}`, { complete })
    },
  }),
]
