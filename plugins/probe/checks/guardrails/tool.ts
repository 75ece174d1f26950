/** Whether guardrails look into tool calls and their results. */
import { note, pass, skip, warn, type PairContext } from '../../catalog/check.ts'
import { replyStep, type ModelCall } from '../../pairs/model-calls.ts'
import type { Request, Tool } from '../../wires/types.ts'
import {
  ANSWER,
  arePromptsGuarded,
  areRepliesGuarded,
  cleanCall,
  fateInReply,
  fateInRequest,
  guardCheck,
  promptCall,
  question,
  QUESTION,
  replyCall,
  textPart,
  withValue,
} from './guarded.ts'

const TOOL: Tool = {
  name: 'save_note',
  description: 'Saves a note',
  schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
}
/** More characters than the arguments have: how deltas are cut is another check's. */
const ONE_DELTA = 20_000
const ASK: Request = question(QUESTION, { tools: [TOOL] })

function argumentsCall(context: PairContext, value: string, mode: 'plain' | 'stream'): ModelCall {
  const tool_calls = [{ name: TOOL.name, args: { text: withValue(value) } }]
  return {
    label: `arguments ${mode}`,
    context,
    request: ASK,
    mode,
    step: replyStep({ tool_calls, stream: { delta_chars: ONE_DELTA } }),
  }
}

function resultCall(context: PairContext, value: string): ModelCall {
  const call = { id: 'call_probe_guard_1', name: TOOL.name }
  const request: Request = {
    ...ASK,
    turns: [
      ...ASK.turns,
      { role: 'assistant', parts: [{ type: 'call', ...call, args: { text: 'The form.' } }] },
      { role: 'user', parts: [{ type: 'result', ...call, parts: [textPart(withValue(value))], error: false }] },
    ],
  }
  return { label: 'result', context, request, mode: 'plain', step: ANSWER, isLoop: true }
}

export const GRD_TOOL = guardCheck({
  id: 'GRD-TOOL',
  title: 'Values in tool calls',
  level: 'hazard',
  page: {
    sent: 'A reply that calls a tool with the value in its arguments, plain and streamed; a request with the value in the result of a tool.',
    expected: 'The value is stopped or masked, as it is in texts.',
    why: 'Agents write files and send messages by tool calls, and read what others wrote by their results.',
  },
  calls: ([context], value) => [
    cleanCall(context),
    promptCall(context, value),
    replyCall(context, value),
    argumentsCall(context, value, 'plain'),
    argumentsCall(context, value, 'stream'),
    resultCall(context, value),
  ],
  judge(evidence, [context], value) {
    const prompts = arePromptsGuarded(evidence, context, value)
    const replies = areRepliesGuarded(evidence, context, value)
    if (!prompts && !replies) return skip('neither prompts nor replies are guarded')
    const open: string[] = []
    if (replies)
      for (const mode of ['plain', 'stream'] as const)
        if (fateInReply(evidence, argumentsCall(context, value, mode), value) === 'passes')
          open.push(`arguments of a call (${mode}) reach the client`)
    if (prompts && fateInRequest(evidence, resultCall(context, value), value) === 'passes')
      open.push('a result reaches the upstream')
    const values = { prompts, replies, open }
    if (open.length > 0) return warn(open.join('; '), values)
    return prompts && replies ? pass('', values) : note(`only ${prompts ? 'prompts' : 'replies'} are guarded`, values)
  },
})
