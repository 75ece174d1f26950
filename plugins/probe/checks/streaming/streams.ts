/** Streams: whether pieces come as they are sent, and what happens when nobody sends or reads. */
import { BOTH, defineCheck, fail, note, pass, skip, warn, worst, type Verdict } from '../../catalog/check.ts'
import type { Call } from '../../client/evidence.ts'
import { errorName } from '../../client/http2-form.ts'
import type { RequestSpec } from '../../client/request.ts'
import { bytes, chunk, each, END, headBytes, KEEP, one, RECEIVE, rfc, wait, type Action } from '../builders.ts'
import { decodedBody } from './coding.ts'

const SSE_SOURCE = [{ spec: 'WHATWG HTML', section: '9.2' }]
const EVENTS = 8
const EVENT_GAP_MS = 400

function streamHead(type: string, more: readonly (readonly [string, string])[] = []): Action {
  return bytes(
    headBytes([
      ['Date', new Date().toUTCString()],
      ['Content-Type', type],
      ['Cache-Control', 'no-store'],
      ...more,
      ['Transfer-Encoding', 'chunked'],
    ]),
  )
}

/** Writes pieces with a pause between them. */
function pieces(texts: readonly string[], gapMs: number): Action[] {
  return [
    ...texts.flatMap((text, index) => [...(index === 0 ? [] : [wait(gapMs)]), bytes(chunk(text))]),
    bytes('0\r\n\r\n'),
    KEEP,
  ]
}

const eventText = (number: number): string => `data: ${String(number).padStart(2, '0')} ${'x'.repeat(19)}\n\n`

function eventStream(more: Partial<RequestSpec> = {}): RequestSpec {
  return {
    fields: [['Accept', 'text/event-stream']],
    http11: true,
    silenceMs: 6_000,
    script: () => [
      RECEIVE,
      streamHead('text/event-stream'),
      ...pieces(
        Array.from({ length: EVENTS }, (_, index) => eventText(index)),
        EVENT_GAP_MS,
      ),
    ],
    ...more,
  }
}

/** When each piece came, in milliseconds after it was written. The pieces have equal sizes. */
function lags(call: Call, size: number, count: number): number[] {
  // The head is the first write, each piece another one.
  const written = call.answered!.chunks.slice(1).map(({ at_ms: at }) => at)
  const { parts } = call.response!
  const found: number[] = []
  let got = 0
  let part = 0
  for (let index = 0; index < count; index++) {
    while (part < parts.length && got < size * (index + 1)) got += parts[part++]!.bytes.length
    if (got < size * (index + 1)) break
    found.push(parts[part - 1]!.atMs - written[index]!)
  }
  return found
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

function judgeEvents(call: Call): Verdict {
  const coding = call.values('content-encoding').join()
  const found = lags(call, eventText(0).length, EVENTS)
  if (coding !== '') {
    const spread = (call.response!.parts.at(-1)?.atMs ?? 0) - (call.response!.parts[0]?.atMs ?? 0)
    return spread > EVENT_GAP_MS * 3
      ? note(`encoded with ${coding}, but flushed`)
      : warn(`buffered, encoded with ${coding}`)
  }
  const first = Math.round(found[0] ?? Number.POSITIVE_INFINITY)
  const middle = Math.round(median(found))
  const values = { first_ms: first, median_ms: middle, events: found.length }
  if (found.length < EVENTS) return warn(`only ${found.length} of ${EVENTS} events came back`, values)
  if (first > 1_500 || middle > 1_000)
    return warn(`buffered: the first event came after ${first} ms, the median one after ${middle} ms`, values)
  return middle > 100 || first > 100 ? note(`lag ${middle} ms, first event ${first} ms`, values) : pass('', values)
}

const PIECES = [1, 100, 1_024, 16_384, 65_536]
const EVENT_BYTES = [
  '\u00ef\u00bb\u00bf: comment\n\n',
  // A comment behind the BOM is one only for a reader that removes the BOM.
  ': keep-alive\n\n',
  ': in an event\ndata: with a comment\n\n',
  'id: 1\r\nevent: probe\r\ndata: crlf\r\n\r\n',
  'retry: 5000\n\ndata: lf\n\n',
  'data: cr\r\r',
  'data: \u00f0\u009f',
  '\u0098\u0080\n\n',
  `data: ${'l'.repeat(70_000)}\n\n`,
  'data:\n\n',
]

const idleSteps = (isSlow: boolean): number[] => [5_000, 14_000, ...(isSlow ? [35_000, 65_000, 125_000] : [])]

export const STREAM_CHECKS = [
  defineCheck({
    id: 'STR-BUFFER',
    title: 'Small pieces pass',
    group: 'streaming',
    protocols: BOTH,
    since: '2026.1',
    level: 'hazard',
    sources: [],
    when: { http11: true, measuresLag: true },
    page: {
      sent: 'GET requests that are answered with ten pieces of 1 byte to 64 KiB, 200 ms apart.',
      expected: 'Each piece comes back within a second.',
      why: 'Progress, logs and tokens appear only at the end.',
      configure: { nginx: 'proxy_buffering off;' },
    },
    plan: () =>
      each(
        PIECES.map(size => ({
          label: String(size),
          http11: true,
          silenceMs: 5_000,
          script: () => [
            RECEIVE,
            streamHead('text/plain'),
            ...Array.from({ length: 10 }, (): Action[] => [
              { do: 'fill', size, piece: size, chunked: true },
              wait(200),
            ]).flat(),
            bytes('0\r\n\r\n'),
            KEEP,
          ],
        })),
      ),
    judge(evidence) {
      const values: Record<string, number> = {}
      const buffered: string[] = []
      for (const call of evidence.calls) {
        const found = lags(call, Number(call.label), 10)
        const end = call.response?.endAtMs ?? 0
        const middle = Math.round(median(found))
        values[`${call.label} bytes`] = middle
        const isAtEnd = (call.response?.parts ?? []).every(({ atMs }) => end - atMs < 50)
        if (found.length < 10 || middle > 1_000 || isAtEnd) buffered.push(call.label)
      }
      if (buffered.length > 0) return warn(`held back: pieces of ${buffered.join(', ')} bytes`, values)
      const worstLag = Math.max(...Object.values(values))
      return worstLag > 100 ? note(`median lag up to ${worstLag} ms`, values) : pass('', values)
    },
  }),
  defineCheck({
    id: 'STR-SSE',
    title: 'Events come as they are sent',
    group: 'streaming',
    protocols: BOTH,
    since: '2026.1',
    level: 'hazard',
    sources: SSE_SOURCE,
    when: { http11: true, measuresLag: true },
    page: {
      sent: 'A GET that is answered with eight events, 400 ms apart.',
      expected: 'The first comes within 1.5 s, and the median lag is below a second.',
      why: 'A stream of events that comes at the end is not a stream.',
      configure: { nginx: 'proxy_buffering off;' },
    },
    plan: () => one(eventStream()),
    judge: ({ first }) => judgeEvents(first),
  }),
  defineCheck({
    id: 'STR-SSE-GZIP',
    title: 'Events come as they are sent to browsers',
    group: 'streaming',
    since: '2026.1',
    level: 'hazard',
    sources: SSE_SOURCE,
    when: { http11: true, measuresLag: true },
    page: {
      sent: 'The same with Accept-Encoding: gzip, br, zstd.',
      expected: 'The same, or encoded and flushed.',
      why: 'Compression holds events back until its buffer is full.',
    },
    plan: () =>
      one(
        eventStream({
          fields: [
            ['Accept', 'text/event-stream'],
            ['Accept-Encoding', 'gzip, br, zstd'],
          ],
        }),
      ),
    judge: ({ first }) => judgeEvents(first),
  }),
  defineCheck({
    id: 'STR-SSE-BYTES',
    title: 'Event bytes',
    group: 'streaming',
    protocols: BOTH,
    since: '2026.1',
    level: 'integrity',
    sources: SSE_SOURCE,
    when: { http11: true },
    page: {
      sent: 'A stream with BOM, comments alone and in an event, all line ends, a character split over two chunks, and an event of 70 KB.',
      expected: 'The bytes come back unchanged.',
      why: 'A changed line end splits or joins events, and a comment keeps a silent stream open.',
    },
    plan: () =>
      one({
        fields: [['Accept', 'text/event-stream']],
        http11: true,
        silenceMs: 5_000,
        script: () => [RECEIVE, streamHead('text/event-stream'), ...pieces(EVENT_BYTES, 50)],
      }),
    judge({ first }) {
      const body = decodedBody(first)
      if (body === null)
        return skip(`encoded with ${first.values('content-encoding').join()}, which this version of Node cannot decode`)
      if (!first.response!.isComplete) return fail('the stream broke off')
      return body.toString('latin1') === EVENT_BYTES.join('') ? pass() : fail('the bytes of the stream were changed')
    },
  }),
  defineCheck({
    id: 'STR-IDLE',
    title: 'Silence is endured',
    group: 'streaming',
    since: '2026.1',
    level: 'timing',
    impact: 'high',
    sources: rfc(9112, '8'),
    when: { http11: true, waits: true },
    page: {
      sent: 'An event, 5 s of silence, an event, 14 s of silence, an event; with --slow also 35, 65 and 125 s.',
      expected: 'The stream goes on. If it is cut, the client can tell.',
      why: 'Agents and models are silent while they think.',
    },
    plan: ({ isSlow }) =>
      one({
        fields: [['Accept', 'text/event-stream']],
        http11: true,
        silenceMs: isSlow ? 130_000 : 20_000,
        script: () => [
          RECEIVE,
          streamHead('text/event-stream'),
          bytes(chunk(eventText(0))),
          ...idleSteps(isSlow).flatMap((ms, index) => [wait(ms), bytes(chunk(eventText(index + 1)))]),
          bytes('0\r\n\r\n'),
          KEEP,
        ],
      }),
    judge({ first }, { isSlow }) {
      const steps = idleSteps(isSlow)
      const events = Math.floor((first.response?.body.length ?? 0) / eventText(0).length)
      const endured = steps.slice(0, Math.max(0, events - 1))
      const values = { endured_ms: endured.at(-1) ?? 0, ended: first.exchange.ended }
      if (events > steps.length) return note(`${steps.at(-1)! / 1000} s of silence endured`, values)
      if (first.response?.isComplete === true) return fail('the stream was cut so that it looks complete', values)
      return note(
        `cut after ${(endured.at(-1) ?? 0) / 1000} s of silence endured (${first.exchange.ended ?? 'still open'})`,
        values,
      )
    },
  }),
  defineCheck({
    id: 'STR-ABORT',
    title: 'Clients that disconnect',
    group: 'streaming',
    protocols: BOTH,
    since: '2026.1',
    level: 'hazard',
    sources: [],
    when: { http11: true, waits: true },
    page: {
      sent: 'A GET of a stream, and one that is not answered; the client leaves each after 500 ms.',
      expected: 'The upstream sees it, within 5 s of a stream and 10 s of silence.',
      why: 'Otherwise work, such as that of a model, goes on for nobody.',
    },
    plan: () => ({
      connections: [
        {
          leaveAfterMs: 500,
          requests: [
            {
              label: 'stream',
              http11: true,
              script: () => [
                RECEIVE,
                streamHead('text/event-stream'),
                ...pieces(
                  Array.from({ length: 60 }, (_, index) => eventText(index)),
                  200,
                ),
              ],
            },
          ],
        },
        {
          leaveAfterMs: 500,
          requests: [{ label: 'silent', http11: true, script: () => [RECEIVE, wait(11_000), END] }],
        },
        // The evidence is collected when this one has been answered.
        {
          requests: [
            {
              label: 'later',
              timeoutMs: 15_000,
              script: () => [RECEIVE, wait(11_500), bytes(`${headBytes([['Content-Length', '2']])}ok`), KEEP],
              isValid: false,
            },
          ],
        },
      ],
    }),
    judge(evidence) {
      const found: Verdict[] = []
      const values: Record<string, number | string | null> = {}
      for (const [label, bound] of [
        ['stream', 5_000],
        ['silent', 10_000],
      ] as const) {
        const call = evidence.call(label)
        if (call.arrival === null) return skip('the request had not arrived when the client left')
        const { ended, ended_ms: at, reset_code: resetCode } = call.arrival.record
        const left = call.record.sentEndMs + 500
        const after = ended === null || ended === 'kept' || at === null ? null : Math.max(0, Math.round(at - left))
        values[`${label}_ms`] = after
        if (resetCode !== null) values[`${label}_reset`] = errorName(resetCode)
        if (after === null || after > bound)
          found.push(
            warn(
              `the upstream of a ${label === 'silent' ? 'silent answer' : 'stream'} did not see it within ${bound / 1000} s`,
            ),
          )
      }
      return found.length === 0
        ? note(`seen after ${values.stream_ms} ms of a stream, ${values.silent_ms} ms of silence`, values)
        : { ...worst(found), values }
    },
  }),
  defineCheck({
    id: 'STR-SLOW-READER',
    title: 'Back pressure',
    group: 'streaming',
    since: '2026.1',
    level: 'timing',
    sources: [],
    when: { alone: true, http11: true },
    page: {
      sent: 'A GET of 64 MiB of which the client reads nothing for 3 s.',
      expected: 'The gateway stops reading from the upstream.',
      why: 'A slow client fills the memory or the disk of the gateway.',
    },
    plan: () => ({
      connections: [
        {
          pauseReadingMs: 3_000,
          leaveAfterMs: 0,
          requests: [
            {
              http11: true,
              script: () => [
                RECEIVE,
                streamHead('application/octet-stream'),
                { do: 'fill' as const, size: 64 * 1024 * 1024, piece: 65_536, chunked: true },
                bytes('0\r\n\r\n'),
                KEEP,
              ],
            },
          ],
        },
      ],
    }),
    judge({ first, through }) {
      if (first.answered === null) return skip('the request had not arrived when the client left')
      const taken = first.answered.size
      const mebibytes = (taken / 1024 / 1024).toFixed(1)
      return taken > 64 * 1024 * 1024 && through === 'gateway'
        ? warn('swallows without limit: all of 64 MiB were taken', { bytes: taken })
        : note(`${mebibytes} MiB were taken`, { bytes: taken })
    },
  }),
]
