/** How fast tokens come, and what happens when nothing comes or the client leaves. */
import { note, pass, skip, warn, worst, type Verdict } from '../../catalog/check.ts'
import type { Evidence } from '../../client/evidence.ts'
import type { RequestSpec } from '../../client/request.ts'
import { END, each, RECEIVE, wait, type Action } from '../builders.ts'
import {
  chat,
  completion,
  delta,
  DONE,
  event,
  piece,
  readStream,
  streamAnswer,
  streamHead,
  WORDS,
  STREAM_END,
  jsonAnswer,
} from './chat.ts'
import { llmCheck, stream } from './llm-check.ts'

const RUNS = 20

const quantile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)
}
const firstTokens = ({ calls }: Evidence): number[] =>
  calls.flatMap(call =>
    readStream(call)
      .times.slice(0, 1)
      .map(at => at - call.record.sentAtMs),
  )
const gapsOf = ({ calls }: Evidence): number[] =>
  calls.flatMap(call => {
    const { times } = readStream(call)
    return times.slice(1).map((at, index) => at - times[index]!)
  })
/** Streams that begin one after the other, so that they do not disturb each other. */
const timedStreams = (): RequestSpec[] =>
  Array.from({ length: RUNS }, (_, index) => stream(String(index), () => streamAnswer({ firstMs: 500, gapMs: 100 })))

const words = (count: number): Action[] => WORDS.slice(0, count).map(word => piece(event(delta({ content: word }))))
const stalls = (isSlow: boolean): number => (isSlow ? 65_000 : 14_000)

export const LLM_TTFT = llmCheck({
  id: 'LLM-TTFT',
  title: 'First token',
  level: 'timing',
  sources: [],
  when: { alone: true, comparesDirect: true },
  page: {
    sent: `${RUNS} streams whose first token comes after 500 ms.`,
    expected: 'What the gateway adds is reported; more than a second is buffering.',
    why: 'The first token is what the user waits for.',
  },
  plan: () => ({
    connections: timedStreams().map((request, index) => ({ requests: [request], delayMs: index * 60 })),
  }),
  judge(evidence, _facts, direct) {
    const through = firstTokens(evidence)
    const straight = direct === null ? [] : firstTokens(direct)
    if (through.length === 0 || straight.length === 0) return skip('no token came')
    const added = (share: number): number => quantile(through, share) - quantile(straight, share)
    const values = { p50_added_ms: added(0.5), p99_added_ms: added(0.99) }
    const summary = `adds ${values.p50_added_ms} ms (p50), ${values.p99_added_ms} ms (p99)`
    return values.p50_added_ms > 1_000 ? warn(`buffered: ${summary}`, values) : note(summary, values)
  },
})

export const LLM_GAP = llmCheck({
  id: 'LLM-GAP',
  title: 'Gaps between tokens',
  level: 'timing',
  sources: [],
  when: { alone: true, comparesDirect: true },
  page: {
    sent: `${RUNS} streams with ten tokens a second.`,
    expected: 'What the gateway adds to the gaps is reported, and events that it merges.',
    why: 'Tokens that come in bursts are hard to read.',
  },
  plan: () => ({
    connections: timedStreams().map((request, index) => ({ requests: [request], delayMs: index * 60 })),
  }),
  judge(evidence, _facts, direct) {
    const through = gapsOf(evidence)
    const straight = direct === null ? [] : gapsOf(direct)
    if (through.length === 0 || straight.length === 0) return skip('no tokens came')
    const added = (share: number): number => quantile(through, share) - quantile(straight, share)
    const merged = through.filter(gap => gap < 5).length
    const values = { p50_added_ms: added(0.5), p99_added_ms: added(0.99), merged }
    return note(`adds ${values.p50_added_ms} ms (p50), ${values.p99_added_ms} ms (p99); ${merged} merged`, values)
  },
})

export const LLM_STALL = llmCheck({
  id: 'LLM-STALL',
  title: 'Silence of a model',
  level: 'timing',
  sources: [],
  when: { waits: true },
  page: {
    sent: 'Streams with 14 s of silence before the first token, and after it (with --slow 65 s).',
    expected: 'What the gateway does, and when, is reported.',
    why: 'Models are silent while they think.',
  },
  plan: ({ isSlow }) => {
    const ms = stalls(isSlow)
    const patience = { silenceMs: ms + 6_000, timeoutMs: ms + 6_000, isValid: false }
    return each([
      stream('before', () => [RECEIVE, streamHead(), wait(ms), ...words(2), piece(DONE), ...STREAM_END], patience),
      stream(
        'after',
        () => [RECEIVE, streamHead(), ...words(1), wait(ms), ...words(2).slice(1), piece(DONE), ...STREAM_END],
        patience,
      ),
    ])
  },
  judge(evidence, { isSlow }) {
    const texts = ['before', 'after'].map(label => {
      const call = evidence.call(label)
      const { dones } = readStream(call)
      if (dones > 0) return `${stalls(isSlow) / 1000} s ${label} the first token endured`
      const endMs = call.response?.endAtMs ?? call.exchange.endedMs ?? call.record.sentAtMs
      return `${label} the first token: ${call.status ?? 'closed'}, cut after ${Math.round((endMs - call.record.sentAtMs) / 1000)} s`
    })
    return note(texts.join('; '))
  },
})

export const LLM_CANCEL = llmCheck({
  id: 'LLM-CANCEL',
  title: 'Clients that disconnect',
  level: 'hazard',
  sources: [],
  when: { waits: true },
  page: {
    sent: 'A stream and a completion of 10 s; the client leaves each after 1 s.',
    expected: 'The upstream sees it within 5 s.',
    why: 'Otherwise tokens are made and paid for that nobody reads.',
  },
  plan: () => ({
    connections: [
      {
        leaveAfterMs: 1_000,
        requests: [
          stream('stream', () => [
            RECEIVE,
            streamHead(),
            ...Array.from({ length: 40 }, () => [...words(1), wait(250)]).flat(),
            ...STREAM_END,
          ]),
        ],
      },
      { leaveAfterMs: 1_000, requests: [chat('plain', { script: () => [RECEIVE, wait(10_000), END] })] },
      // The evidence is collected when this one has been answered.
      {
        requests: [
          chat('later', {
            isValid: false,
            timeoutMs: 15_000,
            script: () => [RECEIVE, wait(7_000), ...jsonAnswer(completion()).slice(1)],
          }),
        ],
      },
    ],
  }),
  judge(evidence) {
    const found: Verdict[] = []
    const values: Record<string, number | null> = {}
    for (const label of ['stream', 'plain']) {
      const call = evidence.call(label)
      if (call.arrival === null) continue
      const { ended, ended_ms: at } = call.arrival.record
      const after =
        ended === null || ended === 'kept' || at === null
          ? null
          : Math.max(0, Math.round(at - call.record.sentEndMs - 1_000))
      values[`${label}_ms`] = after
      if (after === null || after > 5_000)
        found.push(warn(`the upstream of a ${label === 'plain' ? 'completion' : 'stream'} does not see it within 5 s`))
    }
    return found.length === 0 ? pass('', values) : { ...worst(found), values }
  },
})
