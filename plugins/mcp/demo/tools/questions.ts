/** Owns the tools that ask the client: for a confirmation by its user, and for a text from its model. */
import { isRecord, shownText } from 'svc/toolkit'
import { CAPABILITY } from '../../protocol/questions.ts'
import type { CallContext, JsonObject, QuestionMethod, ToolDefinition, ToolResult } from '../../types.ts'
import { STATELESS } from '../../protocol/versions.ts'
import { defineTool, textContent, textResult } from './define.ts'

const elicitConfirmation = defineTool<{ action: string; require?: boolean }>({
  name: 'elicit_confirmation',
  title: 'Ask for confirmation',
  description: "Asks the client's user to confirm an action.",
  input: {
    action: { type: 'string', maxLength: 200, default: 'deploy to production' },
    require: { type: 'boolean', description: 'Fail if the client does not support elicitation' },
  },
  async call({ action, require }, context) {
    if (!canAsk('elicitation/create', context, require)) return unsupported('elicitation/create', require)
    const { confirm } = await context.ask({ confirm: { method: 'elicitation/create', params: confirmation(action) } })
    return textResult(describeAnswer(confirm, action))
  },
})

const sampleLlm = defineTool<{ prompt: string; max_tokens: number; require?: boolean }>({
  name: 'sample_llm',
  title: "Sample the client's model",
  description: "Sends a prompt to the client's model and returns its text.",
  input: {
    'prompt*': { type: 'string', maxLength: 4000 },
    max_tokens: { type: 'integer', minimum: 1, maximum: 4096, default: 200 },
    require: { type: 'boolean', description: 'Fail if the client does not support sampling' },
  },
  annotations: { idempotentHint: false, openWorldHint: true },
  async call({ prompt, max_tokens, require }, context) {
    if (!canAsk('sampling/createMessage', context, require)) return unsupported('sampling/createMessage', require)
    const params = {
      messages: [{ role: 'user', content: textContent(prompt) }],
      systemPrompt: 'Answer briefly.',
      maxTokens: max_tokens,
    }
    const { sample } = await context.ask({ sample: { method: 'sampling/createMessage', params } })
    return textResult(`Client LLM (${shownText(sample.model)}) answered: ${firstText(sample.content)}`)
  },
})

export const questionTools: ToolDefinition[] = [elicitConfirmation, sampleLlm]

/** The first text in a sampling result; its content is one block or an array of blocks. */
export function firstText(content: unknown): string {
  const blocks: unknown[] = Array.isArray(content) ? content : [content]
  const block = blocks.find(
    (candidate): candidate is { text: string } => isRecord(candidate) && typeof candidate.text === 'string',
  )
  return block?.text ?? ''
}

/** With `require`, a stateless call asks anyway, so that the client gets the protocol's error. */
function canAsk(method: QuestionMethod, context: CallContext, require: boolean | undefined): boolean {
  return context.supports(method) || (require === true && context.version === STATELESS.name)
}

function unsupported(method: QuestionMethod, require: boolean | undefined): ToolResult {
  return {
    content: [textContent(`The client did not declare the capability ${CAPABILITY[method]}.`)],
    isError: require === true,
  }
}

function confirmation(action: string): JsonObject {
  return {
    message: `Please confirm: ${action}?`,
    requestedSchema: {
      type: 'object',
      properties: {
        confirm: { type: 'boolean', title: 'Confirm' },
        comment: { type: 'string', title: 'Comment', maxLength: 200 },
      },
      required: ['confirm'],
    },
  }
}

function describeAnswer({ action: answer, content }: JsonObject, action: string): string {
  const form = isRecord(content) ? content : {}
  const comment =
    typeof form.comment === 'string' && form.comment !== '' ? ` Comment: ${form.comment.slice(0, 200)}` : ''
  if (answer === 'decline') return `User declined: ${action}.${comment}`
  if (answer === 'cancel') return `User cancelled the confirmation for: ${action}.${comment}`
  return form.confirm === true
    ? `User confirmed: ${action}.${comment}`
    : `User did not tick confirm for: ${action}.${comment}`
}
