/** Messages that ask to be forwarded as they arrive. */
import { defineCheck, note, pass, skip, warn, type Plan } from '../../catalog/check.ts'
import type { Call } from '../../client/evidence.ts'
import type { Part, RequestSpec } from '../../client/request.ts'
import { readItemList } from '../../client/structured-list.ts'
import { bytes, chunk, DEFAULT_FIELDS, each, headBytes, KEEP, RECEIVE, rfc, wait } from '../builders.ts'

const KIB = 'x'.repeat(1024)
const UPLOAD_GAP_MS = 1500
const PART_GAP_MS = 500
const PARTS = 4
/** A part that comes this long before the end was not held back. */
const EARLY_MS = 400
const REASONS = new Set(['incremental_refused', 'connection_limit_reached'])
const RECOMMENDED = new Set<number | null>([501, 429])

function exchange(label: string, isMarked: boolean): RequestSpec {
  const field = isMarked ? 'Incremental: ?1\r\n' : ''
  return {
    label,
    method: 'POST',
    http11: true,
    silenceMs: 4000,
    framing: 'raw',
    rawFields: `Transfer-Encoding: chunked\r\n${field}`,
    parts: (): Part[] => [Buffer.from(chunk(KIB)), { waitMs: UPLOAD_GAP_MS }, Buffer.from(`${chunk(KIB)}0\r\n\r\n`)],
    script: () => [
      RECEIVE,
      bytes(
        headBytes([
          ...DEFAULT_FIELDS,
          ...(isMarked ? [['Incremental', '?1'] as const] : []),
          ['Transfer-Encoding', 'chunked'],
        ]),
      ),
      ...Array.from({ length: PARTS }, (_, index) => [
        ...(index === 0 ? [] : [wait(PART_GAP_MS)]),
        bytes(chunk(`part ${index}\n`)),
      ]).flat(),
      bytes('0\r\n\r\n'),
      KEEP,
    ],
  }
}

/** Which of both messages was held back until it was complete. */
function heldOf({ arrival, record, response }: Call): string[] {
  const firstUp = arrival?.record.first_body_byte_ms ?? null
  const isUpHeld = firstUp === null || record.sentEndMs - firstUp < EARLY_MS
  const first = response?.parts[0]?.atMs
  const isDownHeld = first === undefined || response!.endAtMs - first < EARLY_MS
  return [...(isUpHeld ? ['the request'] : []), ...(isDownHeld ? ['the answer'] : [])]
}

const WITH =
  'A chunked POST with Incremental: ?1, of two parts 1.5 s apart; the answer has Incremental: ?1 and four parts, 500 ms apart'

export const INCREMENTAL_CHECKS = [
  defineCheck({
    id: 'INC-FORWARD',
    title: 'Incremental is honored',
    group: 'streaming',
    since: '2026.2',
    level: 'should',
    sources: rfc(10_036, '3'),
    when: { http11: true, judgesRefusal: true },
    page: {
      sent: `${WITH}. Then the same without the fields.`,
      expected: 'With the field, parts are forwarded as they arrive, and the field is kept on both sides.',
      why: 'Agents and models stream through gateways that otherwise hold messages back.',
    },
    plan: (): Plan => each([exchange('with', true), exchange('without', false)]),
    judge(evidence) {
      const marked = evidence.call('with')
      if (marked.count === 0) return skip(`refused: ${marked.status ?? 'closed'}; INC-REFUSE judges it`)
      const held = heldOf(marked)
      const lost = [
        ...(marked.arrival!.values('incremental').join() === '?1' ? [] : ['the request']),
        ...(marked.values('incremental').join() === '?1' ? [] : ['the answer']),
      ]
      const problems = [
        ...(held.length > 0 ? [`${held.join(' and ')} held back until complete`] : []),
        ...(lost.length > 0 ? [`Incremental missing in ${lost.join(' and ')}`] : []),
      ]
      const unmarked = evidence.call('without')
      const heldWithout = unmarked.count === 0 ? [] : heldOf(unmarked)
      const values = { held, held_without: heldWithout, lost }
      if (problems.length > 0) return warn(problems.join('; '), values)
      return heldWithout.length > 0
        ? note(`honors it: without the field, ${heldWithout.join(' and ')} held back`, values)
        : pass('', values)
    },
  }),
  defineCheck({
    id: 'INC-REFUSE',
    title: 'Incremental is refused rather than held back',
    group: 'streaming',
    since: '2026.2',
    level: 'should',
    sources: rfc(10_036, '3', '4.1'),
    when: { http11: true, judgesRefusal: true },
    page: {
      sent: `${WITH}.`,
      expected:
        'It is forwarded as it arrives, or refused with Proxy-Status and error=incremental_refused or connection_limit_reached.',
      why: 'A client that is refused can try another way; one whose message is held back waits without knowing.',
    },
    plan: (): Plan => each([exchange('with', true)]),
    judge({ first }) {
      if (first.count > 0) {
        const held = heldOf(first)
        return held.length === 0 ? pass() : warn(`${held.join(' and ')} held back instead of refused`, { held })
      }
      const { status } = first
      const members = readItemList(first.values('proxy-status').join(', ')) ?? []
      const reason = members
        .map(({ parameters }) => parameters.get('error')?.text)
        .find(text => REASONS.has(text ?? ''))
      const values = { status, reason: reason ?? null }
      if (reason === undefined)
        return warn(`refused with ${status ?? 'a close'}, without a reason in Proxy-Status`, values)
      return RECOMMENDED.has(status)
        ? pass(`refused: ${status}, ${reason}`, values)
        : note(`refused with ${status ?? 'a close'} and ${reason}; 501 and 429 are recommended`, values)
    },
  }),
]
