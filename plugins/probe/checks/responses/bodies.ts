/** Ends of answers: broken ones, additional bytes, folded lines, trailers, early refusals. */
import { BOTH, defineCheck, fail, note, pass, warn, worst, type Verdict } from '../../catalog/check.ts'
import {
  answerBytes,
  bytes,
  chunk,
  DEFAULT_FIELDS,
  END,
  headBytes,
  KEEP,
  one,
  probeBody,
  RECEIVE,
  RESET,
  rfc,
  script,
  wait,
} from '../builders.ts'

const LONG_WAIT_MS = 10_000
const INJECTED = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 6\r\n\r\nINJECT'

export const RESPONSE_BODY_CHECKS = [
  defineCheck({
    id: 'RSP-CL-BAD',
    title: 'Two lengths',
    group: 'responses',
    since: '2026.1',
    level: 'must',
    sources: rfc(9112, '6.3'),
    when: { breaks: true, judgesRefusal: true },
    page: {
      sent: 'GET requests that are answered with two lengths 2 and 5, with "2, 5", and with "abc".',
      expected: '502, or a connection that is closed before the answer is complete.',
      why: 'What is behind the shorter length is read as the answer to somebody else.',
    },
    plan: () => ({
      inOrder: true,
      connections: [
        'Content-Length: 2\r\nContent-Length: 5\r\n',
        'Content-Length: 2, 5\r\n',
        'Content-Length: abc\r\n',
      ].map((lines, index) => ({
        requests: [
          {
            label: ['two lines', 'one line', 'no number'][index]!,
            timeoutMs: 4_000,
            script: () => [
              RECEIVE,
              bytes(`HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n${lines}\r\nhello`),
              { do: 'end' as const },
            ],
          },
        ],
      })),
    }),
    judge(evidence) {
      const wrong = evidence.calls.filter(
        ({ response, status }) => response?.isComplete === true && response.framing !== 'close' && status! < 300,
      )
      return wrong.length === 0
        ? pass()
        : fail(`came back as a complete answer: ${wrong.map(({ label }) => label).join(', ')}`)
    },
  }),
  defineCheck({
    id: 'RSP-TRUNC',
    title: 'What breaks off is seen to',
    group: 'responses',
    protocols: BOTH,
    since: '2026.1',
    level: 'must',
    sources: rfc(9112, '8', '6.3'),
    when: { breaks: true, http11: true, judgesRefusal: true },
    page: {
      sent: 'GET requests whose answers break off: 40 of 100 bytes, chunks without the last one, then a reset.',
      expected: 'The client can tell that the answer is not complete.',
      why: 'Half a document is stored and used as if it were whole.',
    },
    plan: () => ({
      inOrder: true,
      connections: [
        {
          label: 'length',
          text: `${headBytes([...DEFAULT_FIELDS, ['Content-Length', '100']])}${'x'.repeat(40)}`,
          end: END,
        },
        {
          label: 'chunks',
          text: `${headBytes([...DEFAULT_FIELDS, ['Transfer-Encoding', 'chunked']])}${chunk('x'.repeat(40))}`,
          end: END,
        },
        {
          label: 'reset',
          text: `${headBytes([...DEFAULT_FIELDS, ['Transfer-Encoding', 'chunked']])}${chunk('x'.repeat(40))}`,
          end: RESET,
        },
      ].map(({ label, text, end }) => ({
        requests: [
          { label, http11: true, silenceMs: LONG_WAIT_MS, script: () => [RECEIVE, bytes(text), wait(100), end] },
        ],
      })),
    }),
    judge(evidence) {
      const found: Verdict[] = []
      for (const { label, response, status, exchange } of evidence.calls) {
        if (status !== 200) continue
        if (response!.isComplete && response!.framing !== 'close') found.push(fail(`looks complete: ${label}`))
        else if (response!.isComplete && exchange.ended === 'fin')
          found.push(fail(`ends cleanly without a length: ${label}`))
        else if (exchange.ended === null) found.push(warn(`the client was still waiting after 10 s: ${label}`))
      }
      return found.length === 0 ? pass() : worst(found)
    },
  }),
  defineCheck({
    id: 'RSP-EXTRA',
    title: 'Bytes after the end',
    group: 'responses',
    since: '2026.1',
    level: 'must',
    sources: rfc(9112, '9.2'),
    when: { alone: true, breaks: true },
    page: {
      sent: 'A GET that is answered with two complete answers; 200 ms later a GET on the same connection, and one on a new one.',
      expected: 'The second answer goes to nobody.',
      why: 'One user gets what was meant for another.',
    },
    plan: () => ({
      connections: [
        {
          gapMs: 200,
          // So that all of it comes in the direct run.
          watchMs: 300,
          requests: [
            {
              label: 'first',
              script: step => [RECEIVE, bytes(`${answerBytes({ body: probeBody(step) })}${INJECTED}`), KEEP],
            },
            { label: 'same connection' },
          ],
        },
        { delayMs: 700, requests: [{ label: 'new connection' }] },
      ],
    }),
    judge(evidence) {
      const hit = evidence.calls.filter(call => call.bodyText.includes('INJECT'))
      return hit.length === 0
        ? pass()
        : fail(`the injected answer came back: ${hit.map(({ label }) => label).join(', ')}`)
    },
  }),
  defineCheck({
    id: 'RSP-FOLD',
    title: 'Folded answer line',
    group: 'responses',
    since: '2026.1',
    level: 'must',
    sources: rfc(9112, '5.2'),
    when: { breaks: true, judgesRefusal: true },
    page: {
      sent: 'A GET that is answered with X-Probe-Fold in two lines.',
      expected: '502, or one line.',
      why: 'The second line becomes a field of its own for some parsers.',
    },
    plan: () =>
      one({
        script: script(step => ({
          fields: [...DEFAULT_FIELDS, ['X-Probe-Fold', 'one\r\n two']],
          body: probeBody(step),
        })),
      }),
    judge({ first }) {
      if (first.response === null || first.status !== 200) return pass()
      if (/\r\n[ \t]/.test(first.response.head.toString('latin1'))) return fail('the folded line came back')
      return first.values('x-probe-fold').join() === 'one' ? fail('the value was cut') : pass()
    },
  }),
  defineCheck({
    id: 'RSP-TRAILERS',
    title: 'Trailers',
    group: 'responses',
    since: '2026.1',
    level: 'must',
    sources: rfc(9110, '6.5.1'),
    when: { http11: true },
    page: {
      sent: 'A GET with TE: trailers that is answered with three trailers, one of them Content-Type.',
      expected: 'They come back as trailers, or not at all.',
      why: 'A trailer in the head changes how the content is understood.',
    },
    plan: () =>
      one({
        fields: [
          ['TE', 'trailers'],
          ['Connection', 'TE'],
        ],
        http11: true,
        script: step => [
          RECEIVE,
          bytes(
            `${headBytes([...DEFAULT_FIELDS, ['Trailer', 'X-Probe-Check'], ['Transfer-Encoding', 'chunked']])}${chunk(probeBody(step))}0\r\nX-Probe-Check: ok\r\nX-Probe-Late: 1\r\nContent-Type: evil/x\r\n\r\n`,
          ),
          KEEP,
        ],
      }),
    judge({ first }) {
      const merged = (['X-Probe-Check', 'X-Probe-Late', 'Content-Type'] as const).filter(name =>
        first.values(name).some(value => ['ok', '1', 'evil/x'].includes(value)),
      )
      if (merged.length > 0) return fail(`in the head: ${merged.join(', ')}`, { merged })
      if (first.response!.trailers.length > 0) return note('passed on')
      return note(first.values('trailer').length > 0 ? 'dropped, but Trailer stays' : 'dropped')
    },
  }),
  defineCheck({
    id: 'RSP-EARLY',
    title: 'Early refusal',
    group: 'responses',
    since: '2026.1',
    level: 'hazard',
    sources: rfc(9110, '15.5.2'),
    when: { judgesRefusal: true },
    page: {
      sent: 'POST of 1 MiB, of which 1,000 bytes are sent at first; it is answered with 401 at once.',
      expected: 'The 401 comes back before everything was sent.',
      why: 'Clients send megabytes that are thrown away.',
    },
    plan: () =>
      one({
        method: 'POST',
        framing: 'raw',
        rawFields: 'Content-Length: 1048576\r\n',
        timeoutMs: 4_000,
        parts: () => [Buffer.alloc(1_000, 'x'), { untilAnswer: true, timeoutMs: 2_000 }],
        script: () => [
          bytes(
            `${answerBytes({ status: 401, reason: 'Unauthorized', fields: [...DEFAULT_FIELDS, ['WWW-Authenticate', 'Bearer'], ['Connection', 'close']], body: 'early' })}`,
          ),
          wait(1_500),
          END,
        ],
      }),
    judge({ first }) {
      if (first.count === 0) return note('not forwarded until all of it has been read')
      if (first.status === null) return note('reads everything first')
      return first.status === 401 ? pass() : warn(`${first.status} came back instead of 401`)
    },
  }),
]
