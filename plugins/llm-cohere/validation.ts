/** What Cohere's chat probably refuses: the texts are not confirmed, so these rules warn only. */
import { isRecord } from 'svc/toolkit'
import type { RouteValidation, RuleSource } from '../llm/types.ts'

const SOURCES: readonly RuleSource[] = [
  {
    title: 'Guide: tool use, the state of a conversation',
    url: 'https://docs.cohere.com/docs/tool-use-overview',
    kind: 'reference',
    read: '2026-11-27',
  },
]

export const COHERE_CHAT: RouteValidation = {
  flavour: 'cohere',
  rules: [
    {
      rule: 'cohere.tool-orphan',
      phase: 'conversation',
      confidence: 'assumed',
      condition: 'A tool message without a call before it.',
      message: 'invalid request: a tool message must follow the tool call with the id {id}.',
      wording: 'assumed',
      sources: SOURCES,
    },
    {
      rule: 'cohere.tool-unanswered',
      phase: 'conversation',
      confidence: 'assumed',
      condition: 'A call without a tool message after it.',
      message: 'invalid request: the tool call with the id {id} has no tool message.',
      wording: 'assumed',
      sources: SOURCES,
    },
  ],
  check({ body }, report) {
    const messages: unknown[] = Array.isArray(body.messages) ? body.messages : []
    const open = new Map<string, number>()
    messages.forEach((message, index) => {
      if (!isRecord(message)) return
      for (const call of Array.isArray(message.tool_calls) ? message.tool_calls : [])
        if (isRecord(call) && typeof call.id === 'string') open.set(call.id, index)
      if (message.role !== 'tool') return
      const id = typeof message.tool_call_id === 'string' ? message.tool_call_id : ''
      if (!open.delete(id)) report('cohere.tool-orphan', `messages.${index}`, { id })
    })
    for (const [id, index] of open) report('cohere.tool-unanswered', `messages.${index}`, { id })
  },
}
