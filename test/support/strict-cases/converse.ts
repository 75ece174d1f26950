/** Requests that Converse refuses, rule by rule. */
import { createEngine } from '../../../plugins/llm/registry/engine.ts'
import type { RuleCase } from '../strict.ts'

const { signThought } = createEngine()
export const CLAUDE = '/ai/bedrock/model/us.anthropic.claude-sonnet-4-5-20250929-v1:0/converse'
const OPUS = '/ai/bedrock/model/anthropic.claude-opus-4-7-v1:0/converse'
const LLAMA = '/ai/bedrock/model/meta.llama3-3-70b-instruct-v1:0/converse'
export const user = { role: 'user', content: [{ text: 'hello' }] }
const spec = (name: string, json: object = { type: 'object' }): object => ({
  tools: [{ toolSpec: { name, inputSchema: { json } } }],
})
const toolConfig = spec('look_up')
const hello = { messages: [user] }
const use = (toolUseId = 't1'): object => ({ toolUse: { toolUseId, name: 'look_up', input: {} } })
const result = (toolUseId = 't1', more: object = {}): object => ({
  toolResult: { toolUseId, content: [{ text: 'sunny' }], ...more },
})
const asked = { role: 'assistant', content: [use()] }
const talk = (...messages: object[]): object => ({ messages, toolConfig })
const answered = talk(user, asked, { role: 'user', content: [result()] })
const thinking = { type: 'enabled', budget_tokens: 2048 }
const withThinking = (more: object): object => ({
  ...hello,
  inferenceConfig: { maxTokens: 4096 },
  additionalModelRequestFields: { thinking, ...more },
})
const thinks = (...blocks: object[]): object => ({
  ...talk(user, { role: 'assistant', content: [...blocks, use()] }, { role: 'user', content: [result()] }),
  additionalModelRequestFields: { thinking },
})
const thought = (text: string, signature?: string): object => ({
  reasoningContent: { reasoningText: { text, ...(signature === undefined ? {} : { signature }) } },
})
const says = (message: string | RegExp): object => ({ message })
const CONSTRAINT = /^1 validation error detected: Value /
const MODEL = /^The model returned the following errors: /

export const CONVERSE_CASES: RuleCase[] = [
  {
    rule: 'converse.content-empty',
    body: { messages: [user, { role: 'assistant', content: [] }, user] },
    error: says(/^The content field in the Message object at messages\.1 is empty\./),
    valid: hello,
  },
  {
    rule: 'converse.text-blank',
    path: LLAMA,
    body: { messages: [{ role: 'user', content: [{ text: ' ' }] }] },
    error: says(/^The text field in the ContentBlock object at messages\.0\.content\.0 is blank\./),
    valid: hello,
  },
  {
    rule: 'converse.tool-name',
    body: { ...hello, toolConfig: spec('look.up') },
    error: says(
      "1 validation error detected: Value 'look.up' at 'toolConfig.tools.1.member.toolSpec.name' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+",
    ),
    valid: { ...hello, toolConfig },
  },
  {
    rule: 'converse.tool-name',
    body: { ...hello, toolConfig: spec('x'.repeat(65)) },
    error: says(/length less than or equal to 64$/),
    valid: { ...hello, toolConfig: spec('x'.repeat(64)) },
  },
  {
    rule: 'converse.range',
    body: { ...hello, inferenceConfig: { temperature: 1.5 } },
    error: says(/^.* at 'inferenceConfig\.temperature' .* value less than or equal to 1$/),
    valid: { ...hello, inferenceConfig: { temperature: 1 } },
  },
  {
    rule: 'converse.schema-type',
    body: { ...hello, toolConfig: spec('look_up', {}) },
    error: says('The value at toolConfig.tools.0.toolSpec.inputSchema.json.type must be one of the following: object.'),
    valid: { ...hello, toolConfig },
  },
  {
    rule: 'converse.media',
    body: { messages: [{ role: 'user', content: [{ image: { format: 'tiff', source: { bytes: 'AAAA' } } }] }] },
    error: says(CONSTRAINT),
    valid: { messages: [{ role: 'user', content: [{ image: { format: 'png', source: { bytes: 'AAAA' } } }] }] },
  },
  {
    rule: 'converse.error-empty',
    body: talk(user, asked, { role: 'user', content: [result('t1', { status: 'error', content: [] })] }),
    error: says(/^The content field at messages\.2\.content\.0\.toolResult cannot be empty/),
    valid: talk(user, asked, { role: 'user', content: [result('t1', { status: 'error' })] }),
  },
  {
    rule: 'converse.tool-choice-type',
    body: { ...hello, toolConfig, additionalModelRequestFields: { tool_choice: { name: 'look_up' } } },
    error: says(MODEL),
    valid: { ...hello, toolConfig, additionalModelRequestFields: { tool_choice: { type: 'tool', name: 'look_up' } } },
  },
  {
    rule: 'converse.tool-config',
    body: { messages: [user, asked, { role: 'user', content: [result()] }] },
    error: says('The toolConfig field must be defined when using toolUse and toolResult content blocks.'),
    valid: answered,
  },
  {
    rule: 'converse.first-user',
    body: { messages: [{ role: 'assistant', content: [{ text: 'hi' }] }, user] },
    error: says(/^A conversation must start with a user message\./),
    valid: hello,
  },
  {
    rule: 'converse.alternate',
    body: { messages: [user, user] },
    error: says(/^A conversation must alternate between user and assistant roles\./),
    valid: { messages: [user, { role: 'assistant', content: [{ text: 'hi' }] }, user] },
  },
  {
    rule: 'converse.result-missing',
    body: talk(user, asked, user),
    error: says('Expected toolResult blocks at messages.2.content for the following Ids: t1'),
    valid: answered,
  },
  {
    rule: 'converse.result-excess',
    body: talk(user, asked, { role: 'user', content: [result(), result('t2')] }),
    error: says(/^The number of toolResult blocks at messages\.2\.content exceeds/),
    valid: answered,
  },
  {
    rule: 'converse.mixed',
    path: LLAMA,
    body: talk(user, asked, { role: 'user', content: [result(), { text: 'and?' }] }),
    error: says(/^messages\.2\.content: Conversation blocks and tool result blocks cannot be provided/),
    valid: answered,
  },
  {
    rule: 'anthropic.beta',
    body: { ...hello, additionalModelRequestFields: { anthropic_beta: ['files-api-2025-04-14'] } },
    error: says(MODEL),
    valid: { ...hello, additionalModelRequestFields: { anthropic_beta: ['context-1m-2025-08-07'] } },
  },
  {
    rule: 'anthropic.text-empty',
    body: { messages: [{ role: 'user', content: [{ text: '' }] }] },
    error: says('The model returned the following errors: messages: text content blocks must be non-empty'),
    valid: hello,
  },
  {
    rule: 'anthropic.text-blank',
    body: { messages: [{ role: 'user', content: [{ text: ' ' }] }] },
    error: says(MODEL),
    valid: hello,
  },
  {
    rule: 'anthropic.budget-min',
    body: { ...hello, additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 1 } } },
    error: says(MODEL),
    valid: withThinking({}),
  },
  {
    rule: 'anthropic.budget-max',
    body: { ...withThinking({}), inferenceConfig: { maxTokens: 2048 } },
    error: says(MODEL),
    valid: withThinking({}),
  },
  {
    rule: 'anthropic.thinking-enabled',
    path: OPUS,
    body: withThinking({}),
    error: says(MODEL),
    valid: { ...hello, additionalModelRequestFields: { thinking: { type: 'adaptive' } } },
  },
  {
    rule: 'anthropic.thinking-adaptive',
    body: { ...hello, additionalModelRequestFields: { thinking: { type: 'adaptive' } } },
    error: says(MODEL),
    valid: withThinking({}),
  },
  {
    rule: 'anthropic.thinking-sampling',
    body: { ...withThinking({}), inferenceConfig: { maxTokens: 4096, temperature: 0 } },
    error: says(MODEL),
    valid: { ...withThinking({}), inferenceConfig: { maxTokens: 4096, temperature: 1 } },
  },
  {
    rule: 'anthropic.thinking-forced',
    body: { ...withThinking({}), toolConfig: { ...toolConfig, toolChoice: { any: {} } } },
    error: says(MODEL),
    valid: { ...withThinking({}), toolConfig: { ...toolConfig, toolChoice: { auto: {} } } },
  },
  {
    rule: 'anthropic.sampling',
    path: OPUS,
    body: { ...hello, inferenceConfig: { temperature: 0 } },
    error: says('The model returned the following errors: `temperature` is deprecated for this model.'),
    valid: hello,
  },
  {
    rule: 'anthropic.prefill',
    path: OPUS,
    body: { messages: [user, { role: 'assistant', content: [{ text: 'Well,' }] }] },
    error: says(MODEL),
    valid: hello,
  },
  {
    rule: 'anthropic.signature-missing',
    body: thinks(thought('Hm.')),
    error: says(MODEL),
    valid: thinks(thought('Hm.', signThought('Hm.'))),
  },
  {
    rule: 'anthropic.signature',
    body: thinks(thought('Hm.', 'abc')),
    error: says(MODEL),
    valid: thinks({ reasoningContent: { redactedContent: signThought('Hm.') } }),
  },
  {
    rule: 'anthropic.thinking-modified',
    body: thinks(thought('Hmm.', signThought('Hm.'))),
    error: says(MODEL),
    valid: thinks(thought('Hm.', signThought('Hm.'))),
  },
  {
    rule: 'anthropic.thinking-first',
    body: thinks(),
    error: says(MODEL),
    valid: answered,
  },
]
