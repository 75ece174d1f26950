/** Models behind the gateway, in the format of OpenAI: bodies, streams, usage and errors. */
import { defineCheck, fail, note, pass, skip, warn, worst } from '../../catalog/check.ts'
import type { Check, Verdict } from '../../catalog/check.ts'
import type { Call, Evidence } from '../../client/evidence.ts'
import type { RequestSpec } from '../../client/request.ts'
import type { Field } from '../../client/response-parser.ts'
import { END, each, one, RECEIVE, wait } from '../builders.ts'
import type { Action } from '../builders.ts'
import {
  answerOf,
  chat,
  completion,
  delta,
  DONE,
  errorAnswer,
  errorType,
  event,
  jsonAnswer,
  piece,
  readStream,
  STREAM_END,
  streamAnswer,
  streamHead,
  USAGE,
  usageEvent,
  WORDS,
} from './chat.ts'
import { jsonDifferences } from './json-values.ts'

const SSE_SOURCE = [{ spec: 'WHATWG HTML', section: '9.2' }]
const CLIENT_KEY = 'Bearer probe-client-key'
const CONTENT = WORDS.join('')
const ODD_REQUEST = (marker: string, model: string): string =>
  `{"model":${JSON.stringify(model)},"x_probe_unknown":{"b":1,"a":[]},"temperature":1.0,"max_tokens":1e2,"seed":12345678901234567890,"stop":[],"messages":[{"role":"user","content":"caf\\u00e9 ${marker}"},{"role":"user","content":"${'t'.repeat(60_000)}"}]}`
const ODD_ANSWER = `{ "id": "chatcmpl-probe", "object": "chat.completion", "created": 1790000000, "model": "gpt-4o-mini", "x_probe_unknown": {"b": 1.0, "a": []}, "system_fingerprint": "caf\\u00e9", "choices": [{"index": 0, "message": {"role": "assistant", "content": "${CONTENT}", "x_probe": 12345678901234567890}, "finish_reason": "stop", "logprobs": null}], "usage": ${JSON.stringify(USAGE)} }`
/** Members of a message that may be dropped: one that nobody knows, and one that is null. */
const DISPENSABLE = /\/(?:x_probe|logprobs)$/
const RUNS = 20

type LlmCheck = Omit<Check, 'group' | 'since'>

/** Judges only what reached the upstream in its own format. */
function llmCheck({ judge, when, ...check }: LlmCheck): Check {
  return defineCheck({
    ...check,
    group: 'llm',
    since: '2026.1',
    when: { ...when, judgesRefusal: true, http11: true },
    judge(evidence, facts, direct) {
      const [first] = evidence.calls
      if (evidence.calls.every(({ count }) => count === 0)) return skip(`not routed: ${first?.status ?? 'closed'}`)
      const isOther = evidence.calls.some(
        ({ arrival }) => arrival !== null && !arrival.target.includes('/chat/completions'),
      )
      if (isOther) return skip('the gateway speaks another format with the upstream')
      return judge(evidence, facts, direct)
    },
  })
}

const bodyOf = ({ record }: Call): string => {
  const text = record.sent.toString('utf8')
  return text.slice(text.indexOf('\r\n\r\n') + 4)
}

/** How a JSON text changed on its way. */
function judgeBody(way: string, before: string, after: string): Verdict {
  if (before === after) return pass()
  const found = jsonDifferences(before, after)
  if (found === null) return fail(`${way}: what arrived is not JSON`)
  const isModel = (path: string): boolean => path === '/model'
  const isMessage = (path: string): boolean => /^\/(?:messages|choices|usage)\//.test(path)
  const changed = found.changed.filter(path => !isModel(path))
  const lost = found.missing.filter(path => isMessage(path) && !DISPENSABLE.test(path))
  if (changed.length > 0) return fail(`${way}: reads otherwise: ${changed.slice(0, 5).join(', ')}`)
  if (lost.length > 0) return fail(`${way}: lost: ${lost.slice(0, 5).join(', ')}`)
  const texts = [
    ['dropped', found.missing],
    ['added', found.added],
    ['mapped', found.changed.filter(isModel)],
    ['written otherwise', found.rewritten],
  ].flatMap(([word, paths]) =>
    paths!.length === 0 ? [] : [`${String(word)} ${(paths as string[]).slice(0, 5).join(', ')}`],
  )
  return note(`${way}: ${texts.length === 0 ? 'other spaces or order' : texts.join('; ')}`)
}

const stream = (label: string, script: () => Action[], more: Partial<RequestSpec> = {}): RequestSpec =>
  chat(label, { isStream: true, script, ...more })

/** Streams in forms that are legal and not usual. */
const SHAPES: Record<string, { pieces: string[]; content: string; toolArguments?: string; hasUsage?: boolean }> = {
  'split inside a character': {
    pieces: splitAt(event(delta({ content: 'caf\u00e9' })), '\u00c3'),
    content: 'caf\u00e9',
  },
  'three events in one write': {
    pieces: [
      WORDS.slice(0, 3)
        .map(word => event(delta({ content: word })))
        .join(''),
    ],
    content: WORDS.slice(0, 3).join(''),
  },
  'writes of one byte': { pieces: [...event(delta({ content: 'One' }))], content: 'One' },
  'CR LF and comments': {
    pieces: [`: comment\r\n\r\ndata: ${delta({ content: 'One' })}\r\n\r\n`],
    content: 'One',
  },
  'no space behind data:': { pieces: [`data:${delta({ content: 'One' })}\n\n`], content: 'One' },
  'an event of 70 KB': { pieces: [event(delta({ content: 'l'.repeat(70_000) }))], content: 'l'.repeat(70_000) },
  'role only in the first, usage only in the last': {
    pieces: [event(delta({ role: 'assistant', content: '' })), event(delta({ content: 'One' }))],
    content: 'One',
    hasUsage: true,
  },
  'arguments of a tool in pieces': {
    pieces: ['{"city"', ':"K\u00f6', 'ln"}'].map((text, index) =>
      event(
        delta({
          tool_calls: [
            {
              index: 0,
              ...(index === 0 ? { id: 'call_probe', type: 'function' } : {}),
              function: { ...(index === 0 ? { name: 'weather' } : {}), arguments: text },
            },
          ],
        }),
      ),
    ),
    content: '',
    toolArguments: '{"city":"K\u00f6ln"}',
  },
}

/** Cuts the text behind the first byte of a character. */
function splitAt(text: string, first: string): string[] {
  const at = text.indexOf(first) + 1
  return [text.slice(0, at), text.slice(at)]
}

function shapeScript({ pieces, toolArguments, hasUsage }: (typeof SHAPES)[string]): Action[] {
  const finish = toolArguments === undefined ? 'stop' : 'tool_calls'
  return [
    RECEIVE,
    streamHead(),
    ...pieces.map(piece),
    piece(event(delta({}, finish))),
    ...(hasUsage === true ? [piece(usageEvent())] : []),
    piece(DONE),
    ...STREAM_END,
  ]
}

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

const FIRST_ERRORS: [status: number, reason: string, type: string][] = [
  [429, 'Too Many Requests', 'rate_limit_exceeded'],
  [500, 'Internal Server Error', 'server_error'],
  [529, 'Overloaded', 'overloaded_error'],
]
const RETRIED: Record<string, () => Action[]> = {
  500: () => errorAnswer(500, 'Internal Server Error', 'server_error'),
  503: () => errorAnswer(503, 'Service Unavailable', 'service_unavailable'),
  429: () => errorAnswer(429, 'Too Many Requests', 'rate_limit_exceeded'),
  closed: () => [RECEIVE, END],
}
const words = (count: number): Action[] => WORDS.slice(0, count).map(word => piece(event(delta({ content: word }))))
const stalls = (isSlow: boolean): number => (isSlow ? 65_000 : 14_000)

export const LLM_CHECKS: Check[] = [
  llmCheck({
    id: 'LLM-BODY',
    title: 'Bodies unchanged',
    level: 'integrity',
    sources: [],
    page: {
      sent: 'A chat completion with an unknown member, 1.0, 1e2, a number of 20 digits, an escaped character, empty lists and 60 KB of text; the like in the answer.',
      expected: 'All values read the same on the other side.',
      why: 'A gateway that reads and writes JSON rounds numbers and drops what it does not know.',
    },
    plan: () =>
      one(
        chat('body', {
          content: (marker, { model }) => ODD_REQUEST(marker, model),
          script: () => jsonAnswer(ODD_ANSWER),
        }),
      ),
    judge({ first }) {
      if (first.status !== 200) return fail(`the answer came back as ${first.status ?? 'nothing'}`)
      return worst([
        judgeBody('request', bodyOf(first), first.arrival!.content.toString('utf8')),
        judgeBody('answer', ODD_ANSWER, first.response!.body.toString('utf8')),
      ])
    },
  }),
  llmCheck({
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
  }),
  llmCheck({
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
  }),
  llmCheck({
    id: 'LLM-SHAPES',
    title: 'Legal streams arrive',
    level: 'integrity',
    sources: SSE_SOURCE,
    page: {
      sent: `Streams with: ${Object.keys(SHAPES).join(', ')}.`,
      expected: 'Content, finish reason, arguments, ids and usage are the same; [DONE] comes once.',
      why: 'Other servers than those that the gateway was tried with write streams differently.',
    },
    plan: () =>
      each(
        Object.entries(SHAPES).map(([label, shape]) =>
          stream(label, () => shapeScript(shape), { ...chatUsage(shape.hasUsage === true) }),
        ),
      ),
    judge(evidence) {
      const found: Verdict[] = []
      for (const [label, shape] of Object.entries(SHAPES)) {
        const call = evidence.call(label)
        const seen = readStream(call)
        const wrong = [
          seen.content === shape.content ? '' : 'content',
          seen.toolArguments === (shape.toolArguments ?? '') ? '' : 'arguments',
          seen.finish === (shape.toolArguments === undefined ? 'stop' : 'tool_calls') ? '' : 'finish reason',
          seen.ids.length === 1 ? '' : 'id',
          shape.hasUsage === true && seen.usage?.total_tokens !== USAGE.total_tokens ? 'usage' : '',
          seen.dones === 1 ? '' : `[DONE] ${seen.dones} times`,
        ].filter(text => text !== '')
        if (wrong.length > 0) found.push(fail(`${label}: ${wrong.join(', ')}`))
        else if (seen.ids[0] !== 'chatcmpl-probe') found.push(note('ids are replaced'))
      }
      return found.length === 0 ? pass() : worst(found)
    },
  }),
  llmCheck({
    id: 'LLM-USAGE',
    title: 'Usage is true',
    level: 'integrity',
    sources: [],
    page: {
      sent: 'A completion, a stream with include_usage, and one without.',
      expected: 'The numbers are those of the upstream, and come where they were requested.',
      why: 'They are what users pay for.',
    },
    plan: () =>
      each([
        chat('plain', { script: () => jsonAnswer(completion()) }),
        stream('with usage', () => streamAnswer({ hasUsage: true }), chatUsage(true)),
        stream('without usage', () => streamAnswer()),
      ]),
    judge(evidence) {
      const plain = answerOf(evidence.call('plain'))?.usage as Record<string, unknown> | undefined
      const streamed = readStream(evidence.call('with usage')).usage
      const isTrue = (usage: Record<string, unknown> | null | undefined): boolean =>
        Object.entries(USAGE).every(([name, value]) => usage?.[name] === value)
      const found: Verdict[] = []
      if (!isTrue(plain)) found.push(fail('the usage of a completion is not that of the upstream'))
      if (streamed === null) found.push(fail('usage was requested for a stream, and does not come'))
      else if (!isTrue(streamed)) found.push(fail('the usage of a stream is not that of the upstream'))
      if (readStream(evidence.call('without usage')).usage !== null)
        found.push(note('usage comes in a stream although it was not requested'))
      return found.length === 0 ? pass() : worst(found)
    },
  }),
  llmCheck({
    id: 'LLM-ERR-FIRST',
    title: 'Error before a token',
    level: 'hazard',
    sources: [],
    when: { breaks: true },
    page: {
      sent: 'Streams that are answered with 429, 500 and 529, and one whose first event is an error.',
      expected: 'Status and type of the error come back.',
      why: 'Clients decide by them whether to try again.',
    },
    plan: () => ({
      inOrder: true,
      connections: [
        ...FIRST_ERRORS.map(([status, reason, type]) =>
          stream(String(status), () => errorAnswer(status, reason, type)),
        ),
        stream('error event', () => [
          RECEIVE,
          streamHead(),
          piece(event('{"error":{"message":"The probe asked for it.","type":"server_error","code":null}}')),
          ...STREAM_END,
        ]),
      ].map(request => ({ requests: [{ ...request, isValid: false, timeoutMs: 15_000 }] })),
    }),
    judge(evidence) {
      const found: Verdict[] = []
      for (const [status, , type] of FIRST_ERRORS) {
        const call = evidence.call(String(status))
        if (call.status === 200 && readStream(call).content !== '') found.push(fail(`${status} came back as text`))
        else if (call.status !== status) found.push(warn(`${status} came back as ${call.status ?? 'nothing'}`))
        else if (errorType(call) !== type) found.push(warn(`${status}: the type of the error is lost`))
      }
      const last = evidence.call('error event')
      const seen = readStream(last)
      if (seen.content !== '') found.push(fail('an error event came back as text'))
      else if (last.status === 200 && seen.errors === 0) found.push(warn('an error event is lost'))
      return found.length === 0 ? pass() : worst(found)
    },
  }),
  llmCheck({
    id: 'LLM-ERR-MID',
    title: 'Error in mid-stream',
    level: 'integrity',
    sources: [],
    when: { breaks: true },
    page: {
      sent: 'Five tokens, then the connection is closed; five tokens, then an error event.',
      expected: 'The client can tell that the answer is not complete.',
      why: 'Half an answer is used as if it were whole.',
    },
    plan: () => ({
      inOrder: true,
      connections: [
        stream('closed', () => [RECEIVE, streamHead(), ...words(5), wait(200), END]),
        stream('error', () => [
          RECEIVE,
          streamHead(),
          ...words(5),
          piece(event('{"error":{"message":"The probe asked for it.","type":"server_error","code":null}}')),
          ...STREAM_END,
        ]),
      ].map(request => ({ requests: [{ ...request, isValid: false }] })),
    }),
    judge(evidence) {
      const found: Verdict[] = []
      for (const label of ['closed', 'error']) {
        const call = evidence.call(label)
        const { content, finish, errors, dones } = readStream(call)
        const isWhole = call.response?.isComplete === true
        if (errors === 0 && finish !== null && (dones > 0 || isWhole))
          found.push(fail(`${label}: ends like a complete answer`))
        else if (content.split('One').length > 2) found.push(fail(`${label}: the content begins a second time`))
        else if (errors === 0 && isWhole && dones > 0) found.push(fail(`${label}: ends with [DONE]`))
        else if (label === 'error' && errors === 0 && isWhole) found.push(fail('the error event is lost'))
      }
      return found.length === 0 ? pass() : worst(found)
    },
  }),
  llmCheck({
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
  }),
  llmCheck({
    id: 'LLM-429',
    title: 'Limits come through',
    level: 'hazard',
    sources: [],
    when: { breaks: true },
    page: {
      sent: 'A completion that is answered with 429, Retry-After: 7 and x-ratelimit fields.',
      expected: 'All of it comes back.',
      why: 'Clients wait as long as they are asked to.',
    },
    plan: () =>
      one({
        ...chat('429', {
          script: () =>
            errorAnswer(429, 'Too Many Requests', 'rate_limit_exceeded', [
              ['Retry-After', '7'],
              ['x-ratelimit-limit-requests', '60'],
              ['x-ratelimit-remaining-requests', '0'],
            ]),
        }),
        isValid: false,
        timeoutMs: 30_000,
      }),
    judge({ first }) {
      if (first.status !== 429) return warn(`429 came back as ${first.status ?? 'nothing'}`)
      if (first.values('retry-after').join() !== '7') return warn('Retry-After is missing or changed')
      if (errorType(first) !== 'rate_limit_exceeded') return warn('the type of the error is lost')
      return first.values('x-ratelimit-limit-requests').join() === '60'
        ? pass()
        : note('x-ratelimit fields are missing')
    },
  }),
  llmCheck({
    id: 'LLM-CRED',
    title: 'Credentials',
    level: 'hazard',
    sources: [],
    page: {
      sent: 'A completion with a key of the client, answered with an error.',
      expected: 'A gateway with a key of its own replaces it; no key of the upstream comes back.',
      why: 'A key that leaks is used by others, on the bill of its owner.',
    },
    plan: ({ hasCredentials }) => {
      const fields: Field[] = hasCredentials ? [] : [['Authorization', CLIENT_KEY]]
      return one({
        ...chat('key', { fields, script: () => errorAnswer(400, 'Bad Request', 'invalid_request_error') }),
        isValid: false,
      })
    },
    judge({ first }, { hasOwnLlmCredential }) {
      const line = first.record.sent
        .toString('latin1')
        .split('\r\n')
        .find(one => /^authorization:/i.test(one))
      const sent = line?.slice(line.indexOf(':') + 1).trim() ?? ''
      const arrived = first.arrival!.values('authorization').join()
      const key = arrived.replace(/^Bearer /i, '')
      const back = `${first.response?.head.toString('latin1') ?? ''}${first.bodyText}`
      if (arrived !== '' && arrived !== sent && key.length > 3 && back.includes(key))
        return fail("the upstream's credential is in the answer")
      if (arrived === sent && hasOwnLlmCredential) return warn("the client's key arrives at the provider")
      return note(arrived === '' ? 'removed' : arrived === sent ? 'passed on' : 'replaced')
    },
  }),
  llmCheck({
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
          found.push(
            warn(`the upstream of a ${label === 'plain' ? 'completion' : 'stream'} does not see it within 5 s`),
          )
      }
      return found.length === 0 ? pass('', values) : { ...worst(found), values }
    },
  }),
  llmCheck({
    id: 'LLM-RETRY',
    title: 'Repeats that are paid for',
    level: 'hazard',
    impact: 'high',
    sources: [],
    when: { alone: true, breaks: true, counts: true },
    page: {
      sent: 'Completions and streams that are answered with 500, 503, 429, a closed connection, and one that breaks off after three tokens.',
      expected: 'Nothing is repeated once tokens have come.',
      why: 'Each attempt is paid for.',
    },
    plan: () => ({
      inOrder: true,
      connections: [
        ...Object.entries(RETRIED).flatMap(([failure, script]) => [
          chat(`plain ${failure}`, { script }),
          stream(`stream ${failure}`, script),
        ]),
        // Not a reset, which discards what a busy gateway has not read.
        stream('stream tokens', () => [RECEIVE, streamHead(), ...words(3), wait(300), END]),
      ].map(request => ({ requests: [{ ...request, isValid: false, timeoutMs: 30_000 }] })),
    }),
    judge(evidence) {
      const arrivals = Object.fromEntries(evidence.calls.map(({ label, count }) => [label, count]))
      if ((arrivals['stream tokens'] ?? 0) > 1) return fail('repeated after tokens had come', { arrivals })
      const repeated = Object.entries(arrivals).filter(([, count]) => count > 1)
      const text = repeated.map(([label, count]) => `${label} (${count} times)`).join(', ')
      if (repeated.some(([, count]) => count > 3)) return warn(`repeated often: ${text}`, { arrivals })
      return repeated.length > 0 ? note(`repeated: ${text}`, { arrivals }) : pass('', { arrivals })
    },
  }),
]

function chatUsage(hasUsage: boolean): Partial<RequestSpec> {
  return { content: chat('', { isStream: true, hasUsage, script: undefined }).content! }
}
