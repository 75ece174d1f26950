/** Shapes of OpenAI's chat chunks, which many providers share: the default of routes. */
import { isRecord } from 'svc/toolkit'
import type { ChatResult } from '../contract/neutral.ts'
import { changeCalls } from './openai-calls.ts'
import { nullWhole, withNulls } from './openai-nulls.ts'
import { tokensOf } from '../streaming/tokens-of.ts'
import type { StreamShapes, UsageMode, WireEvent } from '../contract/stream.ts'

export const openAiShapes: StreamShapes = {
  isEnd: ({ event }) => event.data === '[DONE]',
  isFinish: ({ data }) => isFinish(data),
  hasRole: true,
  idMember: 'id',
  usage: { modes: ['own', 'last', 'every', 'twice', 'none', 'beside'], rewrite, member: 'usage' },
  changes: {
    'empty-choices': { events: withEmptyChoices },
    tools: { events: changeCalls },
    null: { events: withNulls, whole: nullWhole },
  },
}

function choicesOf(data: Record<string, unknown> | null): unknown[] {
  return Array.isArray(data?.choices) ? data.choices : []
}

function isFinish(data: Record<string, unknown> | null): boolean {
  return choicesOf(data).some(choice => isRecord(choice) && typeof choice.finish_reason === 'string')
}

function usageOf(result: ChatResult, completion: number): object {
  return {
    prompt_tokens: result.promptTokens,
    completion_tokens: completion,
    total_tokens: result.promptTokens + completion,
    prompt_tokens_details: { cached_tokens: result.cachedTokens ?? 0, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: Math.min(result.reasoningTokens, completion),
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  }
}

/** Removes the usage of all chunks, and adds it where the mode says. */
function* rewrite(events: Iterable<WireEvent>, mode: UsageMode, result: ChatResult): Iterable<WireEvent> {
  let tokens = 0
  let finishes = 0
  let head: Record<string, unknown> = {}
  for (const item of events) {
    const { event, data } = item
    if (data === null) {
      const usage = usageOf(result, result.completionTokens)
      if (mode === 'own' || mode === 'twice') yield { event: { data: {} }, data: { ...head, choices: [], usage } }
      const choices = [{ index: 0, delta: {}, logprobs: null, finish_reason: null }]
      if (mode === 'beside') yield { event: { data: {} }, data: { ...head, choices, usage } }
      yield item
      continue
    }
    const hasOwnUsage = choicesOf(data).length === 0 && isRecord(data.usage)
    if (hasOwnUsage) continue
    tokens += tokensOf(event)
    const isLast = isFinish(data) && ++finishes === result.choices.length
    const { usage: _usage, ...plain } = data
    head = plain
    const completion = isLast ? result.completionTokens : tokens
    const hasUsage = mode === 'every' || (isLast && (mode === 'last' || mode === 'twice'))
    yield { event, data: hasUsage ? { ...plain, usage: usageOf(result, completion) } : plain }
  }
}

/** A chunk without choices first, and one before that with the finish reason. */
function* withEmptyChoices(events: Iterable<WireEvent>): Iterable<WireEvent> {
  let isFirst = true
  for (const item of events) {
    const empty = (): WireEvent => ({ event: { data: {} }, data: { ...item.data, choices: [] } })
    if (item.data !== null && (isFirst || isFinish(item.data))) yield empty()
    isFirst = false
    yield item
  }
}
