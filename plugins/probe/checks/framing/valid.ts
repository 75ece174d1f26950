/** Valid messages, whose bodies have to arrive unchanged. */
import { BOTH, defineCheck, fail, note, pass, warn, worst, type Verdict } from '../../catalog/check.ts'
import { sha256 } from '../../client/evidence.ts'
import type { RequestSpec } from '../../client/request.ts'
import {
  answers,
  bytes,
  each,
  onOne,
  probeBody,
  randomBytes,
  RECEIVE,
  KEEP,
  rfc,
  wait,
  answerBytes,
} from '../builders.ts'

const SIZES = [0, 1, 4_095, 65_536, 1_048_576]
const LONG_EXTENSION = `;x=${'y'.repeat(4_096)}`

/** A chunked body whose first chunk has an extension. */
const extended = (label: string, extension: string): RequestSpec => ({
  label,
  method: 'POST',
  framing: 'raw',
  rawFields: 'Transfer-Encoding: chunked\r\n',
  body: `3${extension}\r\nabc\r\n0\r\n\r\n`,
  isValid: label !== 'long',
})

export const VALID_FRAMING_CHECKS = [
  defineCheck({
    id: 'FRM-BODY',
    title: 'Bodies unchanged',
    group: 'framing',
    protocols: BOTH,
    since: '2026.1',
    level: 'integrity',
    sources: rfc(9112, '6'),
    when: { judgesRefusal: true },
    page: {
      sent: 'POST with 0 to 1,048,576 random bytes, by length and chunked; the same sizes in the answers.',
      expected: 'SHA-256 of the content is the same on both sides.',
      why: 'Anything else corrupts data.',
    },
    plan: () => ({
      connections: SIZES.flatMap((size, index) =>
        (['length', 'chunked'] as const).map(framing => ({
          requests: [
            {
              label: `${size} ${framing}`,
              method: 'POST',
              framing,
              chunkSize: 16_384,
              body: randomBytes(size, index + 1),
              timeoutMs: 20_000,
              script: () =>
                size === 1_048_576
                  ? [
                      RECEIVE,
                      bytes(
                        `HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nCache-Control: no-store\r\nContent-Length: ${size}\r\n\r\n`,
                      ),
                      { do: 'fill' as const, size, piece: 16_384 },
                      KEEP,
                    ]
                  : answers({
                      fields: [
                        ['Content-Type', 'application/octet-stream'],
                        ['Cache-Control', 'no-store'],
                      ],
                      body: randomBytes(size, index + 11).toString('latin1'),
                    }),
            },
          ],
        })),
      ),
    }),
    judge(evidence) {
      const found: Verdict[] = []
      for (const call of evidence.calls) {
        const sent = sha256(call.record.spec.body as Buffer)
        if (call.arrival === null) {
          found.push(
            call.status === 413
              ? note(`413 for ${call.label} bytes`)
              : warn(`${call.label} bytes are not forwarded: ${call.status ?? 'closed'}`),
          )
          continue
        }
        if (call.arrival.record.body_sha256 !== sent)
          found.push(fail(`the body of ${call.label} bytes arrived changed`))
        const answered = answeredBody(call.answered!.bytes, call.label)
        if (call.response === null || !call.response.isComplete)
          found.push(fail(`the answer of ${call.label} bytes did not come back`))
        else if (answered !== null && sha256(call.response.body) !== answered)
          found.push(fail(`the answer of ${call.label} bytes came back changed`))
        else if (answered === null && call.response.body.length !== SIZES[4])
          found.push(fail(`${call.response.body.length} of ${SIZES[4]} bytes came back`))
      }
      return found.length === 0 ? pass() : worst(found)
    },
  }),
  defineCheck({
    id: 'FRM-CL-SAME',
    title: 'Equal lengths',
    group: 'framing',
    since: '2026.1',
    level: 'must',
    sources: rfc(9110, '8.6'),
    when: { judgesRefusal: true },
    page: {
      sent: 'Two Content-Length lines 3 and 3; one line "3, 3".',
      expected: 'The request is refused, or arrives with one Content-Length: 3.',
      why: 'Two lengths, even equal ones, are how requests are smuggled.',
    },
    plan: () =>
      each([
        {
          label: 'two lines',
          method: 'POST',
          framing: 'raw',
          rawFields: 'Content-Length: 3\r\nContent-Length: 3\r\n',
          body: 'abc',
        },
        { label: 'one line', method: 'POST', framing: 'raw', rawFields: 'Content-Length: 3, 3\r\n', body: 'abc' },
      ]),
    judge(evidence) {
      const wrong = evidence.calls.filter(({ arrival }) => {
        if (arrival === null) return false
        const lengths = arrival.values('content-length')
        return (
          !(lengths.length === 1 && lengths[0] === '3') && !(lengths.length === 0 && arrival.has('transfer-encoding'))
        )
      })
      return wrong.length === 0 ? pass() : fail(`passed on: ${wrong.map(({ label }) => label).join(', ')}`)
    },
  }),
  defineCheck({
    id: 'FRM-CHUNK-EXT',
    title: 'Chunk extensions',
    group: 'framing',
    since: '2026.1',
    level: 'must',
    sources: rfc(9112, '7.1.1'),
    when: { judgesRefusal: true },
    page: {
      sent: '3;a=b, 3;q="x;y", and an extension of 4 KiB.',
      expected: 'Extensions that are not known are ignored; a long one may be refused.',
      why: 'A recipient must ignore them.',
    },
    plan: () => each([extended('a=b', ';a=b'), extended('quoted', ';q="x;y"'), extended('long', LONG_EXTENSION)]),
    judge(evidence) {
      const found: Verdict[] = []
      for (const { label, arrival, status, isRefused } of evidence.calls) {
        const isCut = arrival !== null && !arrival.isComplete && status !== 200
        if (isRefused || (label === 'long' && isCut))
          found.push(
            label === 'long'
              ? note(`4 KiB are refused: ${status ?? 'closed'}`)
              : fail(`a valid extension is refused: ${label}, ${status ?? 'closed'}`),
          )
        else if (arrival !== null && (!arrival.isComplete || arrival.record.body_sha256 !== sha256('abc')))
          found.push(fail(`the body with the extension ${label} arrived changed`))
      }
      return found.length === 0 ? pass() : worst(found)
    },
  }),
  defineCheck({
    id: 'FRM-PIPE',
    title: 'Pipelining',
    group: 'framing',
    since: '2026.1',
    level: 'must',
    sources: rfc(9112, '9.3.2'),
    when: { alone: true, judgesRefusal: true },
    page: {
      sent: 'Four GET in one write; the first takes 600 ms.',
      expected: 'The answers come in the order of the requests.',
      why: 'Mixed up, one user gets the answer of another.',
    },
    plan: () =>
      onOne(
        ['first', 'second', 'third', 'fourth'].map((label, index) => ({
          label,
          isPipelined: true,
          timeoutMs: 10_000,
          script: step => [
            RECEIVE,
            ...(index === 0 ? [wait(600)] : []),
            bytes(answerBytes({ body: probeBody(step) })),
            KEEP,
          ],
        })),
      ),
    judge(evidence) {
      const { calls } = evidence
      const mixed = calls.filter(call => call.response?.isComplete === true && call.status === 200 && !call.isOurs)
      if (mixed.length > 0)
        return fail('answers came back in another order', { mixed: mixed.map(({ label }) => label) })
      const missing = calls.filter(({ response }) => response === null || !response.isComplete)
      if (missing.length === 0) return pass()
      const text = `${missing.length} of 4 requests were not answered`
      return calls[0]!.exchange.ended === null
        ? warn(`${text}, and the connection stays open`)
        : note(`${text}; the connection was closed`)
    },
  }),
]

/** SHA-256 of the content that the upstream answered; null if not all of it was kept. */
function answeredBody(answered: string, label: string): string | null {
  if (label.startsWith('1048576') || label.startsWith('65536'))
    return label.startsWith('65536') ? sha256(randomBytes(65_536, 14)) : null
  return sha256(answered.slice(answered.indexOf('\r\n\r\n') + 4))
}
