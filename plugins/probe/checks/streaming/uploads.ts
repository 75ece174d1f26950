/** Uploads: streaming, framing, Expect, sizes, both ways at once. */
import { BOTH, defineCheck, fail, note, worst, type Verdict } from '../../catalog/check.ts'
import { sha256 } from '../../client/evidence.ts'
import type { Part } from '../../client/request.ts'
import {
  answerBytes,
  bytes,
  chunk,
  DEFAULT_FIELDS,
  each,
  END,
  headBytes,
  KEEP,
  one,
  probeBody,
  RECEIVE,
  rfc,
  script,
  wait,
} from '../builders.ts'

const KIB = 'x'.repeat(1_024)
const MIB = 1024 * 1024
const EXPECT_WAIT_MS = 5_000

function expecting(label: string, answer: ReturnType<typeof bytes>[]): Parameters<typeof each>[0][number] {
  return {
    label,
    method: 'POST',
    http11: true,
    framing: 'raw',
    rawFields: 'Expect: 100-continue\r\nContent-Length: 1024\r\n',
    timeoutMs: 5_000,
    parts: () => [{ untilAnswer: true, timeoutMs: EXPECT_WAIT_MS }, Buffer.from(KIB)],
    script: () => answer,
  }
}

export const UPLOAD_CHECKS = [
  defineCheck({
    id: 'STR-UPLOAD',
    title: 'Requests are streamed',
    group: 'streaming',
    protocols: BOTH,
    since: '2026.1',
    level: 'timing',
    sources: [],
    page: {
      sent: 'A chunked POST in two parts, a second apart.',
      expected: 'Whether the first part arrives before the last is sent is reported.',
      why: 'A gateway that holds uploads needs memory or disk for them, and delays them.',
    },
    plan: () =>
      one({
        method: 'POST',
        framing: 'raw',
        rawFields: 'Transfer-Encoding: chunked\r\n',
        parts: (): Part[] => [
          Buffer.from(chunk(KIB)),
          { waitMs: 1_000 },
          Buffer.from(chunk(KIB)),
          { waitMs: 1_000 },
          Buffer.from('0\r\n\r\n'),
        ],
      }),
    judge({ first }) {
      const { record } = first.arrival!
      const isStreamed = record.first_body_byte_ms !== null && record.first_body_byte_ms < first.record.sentEndMs - 200
      const delay = Math.round((record.first_body_byte_ms ?? record.last_byte_ms) - first.record.sentAtMs)
      return note(isStreamed ? `streamed, first byte after ${delay} ms` : 'held until complete', {
        streamed: isStreamed,
        first_byte_ms: delay,
      })
    },
  }),
  defineCheck({
    id: 'STR-FRAMING',
    title: 'Framing changes',
    group: 'streaming',
    since: '2026.1',
    level: 'observation',
    sources: [],
    page: {
      sent: 'POST of 6 bytes by length, and chunked; an answer of each kind.',
      expected: 'How the gateway frames it is reported.',
      why: 'An upstream that needs a length does not get one.',
    },
    plan: () =>
      each([
        { label: 'length', method: 'POST', body: 'probe!' },
        {
          label: 'chunked',
          method: 'POST',
          framing: 'chunked',
          body: 'probe!',
          http11: true,
          script: script(step => ({ fields: DEFAULT_FIELDS, framing: 'chunked', body: probeBody(step) })),
        },
      ]),
    judge(evidence) {
      const framing = (isChunked: boolean): string => (isChunked ? 'chunked' : 'length')
      const texts = evidence.calls.flatMap(call => {
        const up = framing(call.arrival!.has('transfer-encoding'))
        const back = call.response?.framing ?? 'none'
        const answered = /transfer-encoding/i.test(call.answered!.bytes) ? 'chunked' : 'length'
        return [`request ${call.label} → ${up}`, `answer ${answered} → ${back}`]
      })
      const changed = texts.filter(text => !text.endsWith('chunked → chunked') && !text.endsWith('length → length'))
      return note(changed.length === 0 ? 'kept' : changed.join(', '), { framing: texts })
    },
  }),
  defineCheck({
    id: 'STR-EXPECT',
    title: 'Expect: 100-continue',
    group: 'streaming',
    since: '2026.1',
    level: 'must',
    sources: rfc(9110, '10.1.1'),
    when: { http11: true, judgesRefusal: true },
    page: {
      sent: 'POST with Expect: 100-continue, whose body waits for 100 for up to 5 s; answered with 100 and 200, with 417, with 413.',
      expected: 'A 100 or a final status comes within 5 s.',
      why: 'Otherwise every upload of some clients is delayed.',
    },
    plan: () =>
      each([
        expecting('continue', [
          wait(400),
          bytes('HTTP/1.1 100 Continue\r\n\r\n'),
          RECEIVE,
          bytes(answerBytes({ body: 'done' })),
          KEEP,
        ] as never),
        expecting('417', [
          bytes(
            answerBytes({
              status: 417,
              reason: 'Expectation Failed',
              fields: [...DEFAULT_FIELDS, ['Connection', 'close']],
              body: 'no',
            }),
          ),
          wait(300),
          END,
        ] as never),
        expecting('413', [
          bytes(
            answerBytes({
              status: 413,
              reason: 'Content Too Large',
              fields: [...DEFAULT_FIELDS, ['Connection', 'close']],
              body: 'no',
            }),
          ),
          wait(300),
          END,
        ] as never),
      ]),
    judge(evidence) {
      const call = evidence.call('continue')
      const firstAt = call.exchange.received[0]?.atMs
      if (firstAt === undefined || firstAt - call.record.sentAtMs > EXPECT_WAIT_MS)
        return fail('neither an interim nor a final status came within 5 s')
      const found: Verdict[] = []
      for (const name of ['417', '413'])
        if (evidence.call(name).status !== Number(name)) found.push(note(`answers 100 itself: ${name} is lost`))
      if (found.length > 0) return worst(found)
      return note(call.arrival?.has('expect') === true ? 'forwards' : 'answers 100 itself')
    },
  }),
  defineCheck({
    id: 'STR-LIMIT',
    title: 'Sizes of uploads',
    group: 'streaming',
    since: '2026.1',
    level: 'observation',
    impact: 'high',
    sources: [],
    when: { judgesRefusal: true },
    page: {
      sent: 'POST of 1, 2, 8 and 16 MiB.',
      expected: 'The largest that passes is reported; none is cut.',
      why: 'Uploads fail with 413.',
      configure: { nginx: 'client_max_body_size 0;' },
    },
    plan: () => ({
      inOrder: true,
      connections: [1, 2, 8, 16].map(size => ({
        requests: [{ label: String(size), method: 'POST', body: Buffer.alloc(size * MIB, 'probe'), timeoutMs: 30_000 }],
      })),
    }),
    judge(evidence) {
      const limits: Record<string, string> = {}
      let largest = 0
      for (const call of evidence.calls) {
        const { arrival, label } = call
        const isWhole = arrival?.record.body_sha256 === sha256(call.record.spec.body as Buffer)
        if (arrival?.isComplete === true && !isWhole) return fail(`an upload of ${label} MiB arrived cut, and complete`)
        limits[`${label} MiB`] = isWhole ? 'passes' : String(call.status ?? 'closed')
        if (isWhole) largest = Number(label)
      }
      return note(`up to ${largest} MiB pass`, limits)
    },
  }),
  defineCheck({
    id: 'STR-BIDI',
    title: 'Both ways at once',
    group: 'streaming',
    protocols: BOTH,
    since: '2026.1',
    level: 'observation',
    sources: [],
    when: { http11: true, judgesRefusal: true },
    page: {
      sent: 'A chunked POST; each part is echoed before the next one is sent.',
      expected: 'Whether the echo comes before the request is complete is reported.',
      why: 'Protocols that talk both ways over one request need it.',
    },
    plan: () =>
      one({
        method: 'POST',
        http11: true,
        framing: 'raw',
        rawFields: 'Transfer-Encoding: chunked\r\n',
        parts: (): Part[] => [
          Buffer.from(chunk('one')),
          { untilAnswer: true, timeoutMs: 2_000 },
          Buffer.from(chunk('two')),
          { untilAnswer: true, timeoutMs: 2_000 },
          // What comes in this time was echoed before the request was complete.
          { waitMs: 300 },
          Buffer.from('0\r\n\r\n'),
        ],
        script: () => [bytes(headBytes([...DEFAULT_FIELDS, ['Transfer-Encoding', 'chunked']])), { do: 'echo' }, KEEP],
      }),
    judge({ first }) {
      const early = (first.response?.parts ?? []).filter(({ atMs }) => atMs < first.record.sentEndMs - 100)
      return note(early.length > 0 ? 'full duplex' : 'request first')
    },
  }),
]
