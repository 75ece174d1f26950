/** Members of OpenAI's chat replies that are null (`null=<member>`). */
import { isRecord } from 'svc/toolkit'
import type { WireEvent } from '../contract/stream.ts'

type Body = Record<string, unknown>

/** A text or calls in the same place stay: in a stream, a member is null where it has nothing to say. */
export function* withNulls(events: Iterable<WireEvent>, values: readonly string[]): Iterable<WireEvent> {
  for (const item of events) {
    if (item.data !== null) {
      nullUsage(item.data, values)
      for (const choice of choicesOf(item.data)) nullDelta(choice, values)
    }
    yield item
  }
}

function nullDelta(choice: Body, values: readonly string[]): void {
  const isEnd = typeof choice.finish_reason === 'string'
  const { delta } = choice
  if (isRecord(delta)) {
    if (values.includes('content') && !(typeof delta.content === 'string' && delta.content !== '')) delta.content = null
    if (values.includes('tool_calls') && delta.tool_calls === undefined) delta.tool_calls = null
  }
  if (values.includes('delta') && isEnd) choice.delta = null
  if (values.includes('finish') && isEnd) choice.finish_reason = null
  if (values.includes('logprobs')) choice.logprobs = null
}

/** Of a complete reply the members are null whatever they say; calls only if there are none. */
export function nullWhole(body: Body, values: readonly string[]): void {
  nullUsage(body, values)
  for (const choice of choicesOf(body)) {
    const { message } = choice
    if (isRecord(message)) {
      if (values.includes('content')) message.content = null
      if (values.includes('tool_calls')) message.tool_calls ??= null
    }
    if (values.includes('message')) choice.message = null
    if (values.includes('finish')) choice.finish_reason = null
    if (values.includes('logprobs')) choice.logprobs = null
  }
}

function nullUsage({ usage }: Body, values: readonly string[]): void {
  if (!values.includes('details') || !isRecord(usage)) return
  for (const name of Object.keys(usage)) if (name.endsWith('_details')) usage[name] = null
}

function choicesOf({ choices }: Body): Body[] {
  return Array.isArray(choices) ? choices.filter(isRecord) : []
}
