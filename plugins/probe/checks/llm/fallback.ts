/** Models with two deployments, the second of which is used when the first one fails. */
import { fail, note, pass, skip, type PairContext } from '../../catalog/check.ts'
import { connectionOf, exchangeOf, replyStep, textOfReply, type ModelCall } from '../../pairs/model-calls.ts'
import { modelsCheck, type Models } from '../../pairs/models-check.ts'
import type { Tool } from '../../wires/types.ts'
import type { RuleStep } from '../translate/types.ts'
import { question } from './model-scenes.ts'

const PATIENCE_MS = 25_000
const FIRST = 'The first deployment speaks at length of one thing and of another thing.'
const SECOND = 'A second deployment replies.'

/** The client wire with the model that has two deployments. */
function contextOf({ clients: [context], settings: { fallback } }: Models): PairContext {
  return { ...context, pair: { ...context.pair, model: fallback ?? context.pair.model } }
}
const reasonWithout = ({ settings: { fallback } }: Models): string | null =>
  fallback === null ? 'not in --routes: llm.fallback' : null

type Kind = '503' | '429' | 'closed' | 'silent'
const KINDS: readonly Kind[] = ['503', '429', 'closed', 'silent']

function failure(kind: Kind, timeoutMs: number): RuleStep {
  if (kind === 'closed') return { abort: 'close' }
  if (kind === 'silent') return { delay: timeoutMs, ...replyStep({ text: FIRST }) }
  return { fail: Number(kind), message: 'The first deployment fails.' }
}

function failureCall(models: Models, kind: Kind, timeoutMs: number): ModelCall {
  return {
    label: kind,
    context: contextOf(models),
    request: question('Say which deployment you are.'),
    mode: 'plain',
    step: [failure(kind, timeoutMs), replyStep({ text: SECOND })],
    more: { timeoutMs: timeoutMs + PATIENCE_MS, silenceMs: timeoutMs + PATIENCE_MS, isValid: false },
  }
}

export const LLM_FALLBACK = modelsCheck({
  id: 'LLM-FALLBACK',
  title: 'Fallback before the first token',
  group: 'llm',
  level: 'integrity',
  when: { breaks: true, noDirect: true },
  reasonWithout,
  page: {
    sent: 'Requests whose first deployment answers 503 or 429, closes the connection, or is silent; the second one answers.',
    expected:
      'The reply of the second deployment, or the error of the first one; which of them, and when, is reported.',
    why: 'Users who configured a fallback rely on it, and find out in an outage whether it works.',
  },
  plan: (models, { timeoutMs }) => ({
    inOrder: true,
    waitsForService: true,
    connections: KINDS.map(kind => connectionOf(failureCall(models, kind, timeoutMs))),
  }),
  judge(evidence, models) {
    const found = KINDS.map(kind => {
      const { arrivals, received } = exchangeOf(evidence, failureCall(models, kind, 0))
      const { record } = evidence.call(kind)
      const text = received?.reply == null ? '' : textOfReply(received.reply)
      const outcome =
        arrivals.length === 0
          ? 'not forwarded'
          : text === SECOND
            ? 'the second answers'
            : text === FIRST
              ? 'waits for the first'
              : received === null
                ? 'closed'
                : received.error === null
                  ? 'other'
                  : `error ${received.native.status}`
      const endMs = record.response?.endAtMs ?? null
      return {
        kind,
        outcome,
        arrivals: arrivals.length,
        ms: endMs === null ? null : Math.round(endMs - record.sentAtMs),
      }
    })
    if (found.every(({ outcome }) => outcome === 'not forwarded'))
      return skip(`not routed: ${evidence.first.status ?? 'closed'}`)
    const values = { kinds: found }
    const wrong = found.filter(({ outcome }) => outcome === 'other')
    if (wrong.length > 0)
      return fail(`neither a reply nor an error: ${wrong.map(({ kind }) => kind).join(', ')}`, values)
    return note(
      found.map(({ kind, outcome, arrivals }) => `${kind}: ${outcome} (${arrivals} arrived)`).join('; '),
      values,
    )
  },
})

const TOOL: Tool = {
  name: 'save_note',
  description: 'Saves a note',
  schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
}
/** Deltas before the break. */
const BREAK = 'disconnect@5'
const PARTS = ['text', 'arguments'] as const

function brokenCall(models: Models, part: (typeof PARTS)[number]): ModelCall {
  const own = (text: string): RuleStep =>
    part === 'text' ? { text } : { tool_calls: [{ name: TOOL.name, args: { text } }] }
  return {
    label: part,
    context: contextOf(models),
    request: question('Say which deployment you are.', part === 'text' ? {} : { tools: [TOOL] }),
    mode: 'stream',
    step: [
      replyStep({ ...own(FIRST), stream: { delta_chars: 6, break: BREAK } }),
      replyStep({ ...own(SECOND), stream: { delta_chars: 6 } }),
    ],
    more: { timeoutMs: PATIENCE_MS, isValid: false },
  }
}

export const LLM_FB_MID = modelsCheck({
  id: 'LLM-FB-MID',
  title: 'Fallback in mid-stream',
  group: 'llm',
  level: 'integrity',
  when: { breaks: true, noDirect: true },
  reasonWithout,
  page: {
    sent: 'Streams of text and of arguments whose first deployment breaks off after five deltas; the second one replies with other words.',
    expected: 'An error, a broken connection, or the second reply alone.',
    why: 'Two beginnings in one reply are a text that no model wrote, or arguments that are not JSON.',
    seen: ['BerriAI/litellm#38610', 'BerriAI/litellm#32835'],
  },
  plan: models => ({
    inOrder: true,
    waitsForService: true,
    connections: PARTS.map(part => connectionOf(brokenCall(models, part))),
  }),
  judge(evidence, models) {
    const exchanges = PARTS.map(part => ({ part, ...exchangeOf(evidence, brokenCall(models, part)) }))
    if (exchanges.every(({ arrivals }) => arrivals.length === 0))
      return skip(`not routed: ${evidence.first.status ?? 'closed'}`)
    const wrong = exchanges.flatMap(({ part, arrivals, received }): string[] => {
      const stream = received?.stream ?? null
      if (arrivals.length === 0 || stream === null) return []
      const text = textOfReply(stream.reply)
      const hasFirst = text.includes(FIRST.slice(0, 12))
      const hasSecond = text.includes(SECOND.slice(0, 12))
      if (hasFirst && hasSecond) return [`${part}: the beginnings of both replies come in one`]
      const twice = stream.grammar.find(({ isNote }) => !isNote)
      if (arrivals.length > 1 && hasSecond && twice !== undefined) return [`${part}: ${twice.text}`]
      return hasFirst && stream.isEnded && stream.error === null && stream.reply.finish !== null
        ? [`${part}: the first part ends like a complete reply`]
        : []
    })
    const values = { arrivals: Object.fromEntries(exchanges.map(({ part, arrivals }) => [part, arrivals.length])) }
    return wrong.length > 0 ? fail(wrong.join('; '), values) : pass('', values)
  },
})
