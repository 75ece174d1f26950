/** Bodies, streams and usage of models arrive as they were sent. */
import { fail, note, pass, worst, type Verdict } from '../../catalog/check.ts'
import type { Call } from '../../client/evidence.ts'
import type { RequestSpec } from '../../client/request.ts'
import { each, one, RECEIVE, type Action } from '../builders.ts'
import {
  answerOf,
  chat,
  completion,
  delta,
  DONE,
  event,
  jsonAnswer,
  piece,
  readStream,
  streamAnswer,
  streamHead,
  USAGE,
  usageEvent,
  WORDS,
  STREAM_END,
} from './chat.ts'
import { jsonDifferences } from './json-values.ts'
import { llmCheck, stream } from './llm-check.ts'

const SSE_SOURCE = [{ spec: 'WHATWG HTML', section: '9.2' }]
const CONTENT = WORDS.join('')
const ODD_REQUEST = (marker: string, model: string): string =>
  `{"model":${JSON.stringify(model)},"x_probe_unknown":{"b":1,"a":[]},"temperature":1.0,"max_tokens":1e2,"seed":12345678901234567890,"stop":[],"messages":[{"role":"user","content":"caf\\u00e9 ${marker}"},{"role":"user","content":"${'t'.repeat(60_000)}"}]}`
const ODD_ANSWER = `{ "id": "chatcmpl-probe", "object": "chat.completion", "created": 1790000000, "model": "gpt-4o-mini", "x_probe_unknown": {"b": 1.0, "a": []}, "system_fingerprint": "caf\\u00e9", "choices": [{"index": 0, "message": {"role": "assistant", "content": "${CONTENT}", "x_probe": 12345678901234567890}, "finish_reason": "stop", "logprobs": null}], "usage": ${JSON.stringify(USAGE)} }`
/** Members of a message that may be dropped: one that nobody knows, and one that is null. */
const DISPENSABLE = /\/(?:x_probe|logprobs)$/

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

export const LLM_BODY = llmCheck({
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
})

export const LLM_SHAPES = llmCheck({
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
})

export const LLM_USAGE = llmCheck({
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
})

function chatUsage(hasUsage: boolean): Partial<RequestSpec> {
  return { content: chat('', { isStream: true, hasUsage, script: undefined }).content! }
}
