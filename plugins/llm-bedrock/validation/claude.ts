/** What Claude refuses of a Converse request: rules of the Messages API, in the words of Bedrock. */
import { isRecord } from 'svc/toolkit'
import type { CheckedRequest, Report, RouteValidation, ValidationRule, ViolationError } from '../../llm/types.ts'

type Body = Readonly<Record<string, unknown>>

const PREFIX = 'The model returned the following errors: '
/** What Converse does not check itself. */
const RULES: ReadonlySet<string> = new Set(
  [
    'beta',
    'text-empty',
    'text-blank',
    'budget-min',
    'budget-max',
    'thinking-enabled',
    'thinking-adaptive',
    'thinking-sampling',
    'thinking-forced',
    'sampling',
    'prefill',
    'signature-missing',
    'signature',
    'thinking-modified',
    'thinking-first',
  ].map(name => `anthropic.${name}`),
)

export function isClaude(model: string): boolean {
  return model.includes('claude')
}

/** `messages`: the checks of the Messages API. */
export function claudeRules(messages: RouteValidation): readonly ValidationRule[] {
  return messages.rules.filter(({ rule }) => RULES.has(rule)).map(withPrefix)
}

function withPrefix(rule: ValidationRule): ValidationRule {
  const { forms } = rule
  const prefixed: ValidationRule = { ...rule, message: PREFIX + rule.message }
  if (forms === undefined) return prefixed
  return {
    ...prefixed,
    forms: Object.fromEntries(
      Object.entries(forms).map(([name, form]): [string, ViolationError] => [
        name,
        { ...form, message: PREFIX + form.message },
      ]),
    ),
  }
}

export function checkClaude(messages: RouteValidation, request: CheckedRequest, report: Report): void {
  const body = asMessages(request.body)
  messages.check({ ...request, body }, (rule, at, values) => {
    if (RULES.has(rule)) report(rule, at, values)
  })
}

/** The parts of the request that these rules look at, as the Messages API has them. Blocks keep their places. */
function asMessages(body: Body): Body {
  const config = isRecord(body.inferenceConfig) ? body.inferenceConfig : {}
  const more = isRecord(body.additionalModelRequestFields) ? body.additionalModelRequestFields : {}
  const choice = isRecord(body.toolConfig) ? body.toolConfig.toolChoice : undefined
  return {
    ...more,
    max_tokens: config.maxTokens,
    ...(config.temperature === undefined ? {} : { temperature: config.temperature }),
    ...(config.topP === undefined ? {} : { top_p: config.topP }),
    ...(isRecord(choice) ? { tool_choice: { type: Object.keys(choice)[0] } } : {}),
    messages: Array.isArray(body.messages) ? body.messages.map(asMessage) : undefined,
  }
}

function asMessage(message: unknown): unknown {
  if (!isRecord(message) || !Array.isArray(message.content)) return message
  return { role: message.role, content: message.content.map(asBlock) }
}

function asBlock(block: unknown): unknown {
  if (!isRecord(block)) return block
  if (typeof block.text === 'string') return { type: 'text', text: block.text }
  if (isRecord(block.toolUse)) return { type: 'tool_use', id: block.toolUse.toolUseId, input: block.toolUse.input }
  if (isRecord(block.toolResult)) return { type: 'tool_result', tool_use_id: block.toolResult.toolUseId }
  if (!isRecord(block.reasoningContent)) return { type: 'document' }
  const { reasoningText: text, redactedContent: data } = block.reasoningContent
  return isRecord(text)
    ? { type: 'thinking', thinking: text.text, signature: text.signature }
    : { type: 'redacted_thinking', data }
}
