/** Requests that the Messages API refuses, rule by rule. */
import { createEngine } from '../../../plugins/llm/registry/engine.ts'
import type { RuleCase } from '../strict.ts'

const { signThought } = createEngine()
export const user = { role: 'user', content: 'hello' }
export const hello = { model: 'claude-sonnet-4-5', max_tokens: 4096, messages: [user] }
const schema = { type: 'object', properties: {} }
export const tool = { name: 'look_up', input_schema: schema }
const use = { type: 'tool_use', id: 'toolu_1', name: 'look_up', input: {} }
export const asked = { role: 'assistant', content: [use] }
export const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'sunny' }
export const answered = { role: 'user', content: [result] }
export const withMessages = (...messages: object[]): object => ({ ...hello, messages })
const withContent = (...content: object[]): object => withMessages({ role: 'user', content })
const text = { type: 'text', text: 'hi' }
export const mark = (ttl?: string): object => ({
  cache_control: { type: 'ephemeral', ...(ttl === undefined ? {} : { ttl }) },
})
const image = (media_type: string, bytes: readonly number[], rest = 0): object => ({
  type: 'image',
  source: {
    type: 'base64',
    media_type,
    data: Buffer.concat([Buffer.from(bytes), Buffer.alloc(rest)]).toString('base64'),
  },
})
const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
export const thinking = { type: 'enabled', budget_tokens: 2048 }
const thought = (text: string, signature?: string): object => ({
  type: 'thinking',
  thinking: text,
  ...(signature === undefined ? {} : { signature }),
})
const thinks = (...blocks: object[]): object => ({
  ...withMessages(user, { role: 'assistant', content: [...blocks, use] }, answered),
  thinking,
})
export const error = (message: string | RegExp): object => ({
  type: 'error',
  error: { type: 'invalid_request_error', message },
  request_id: /^req_/,
})
export const version = { 'anthropic-version': '2023-06-01' }

export const MESSAGES_CASES: RuleCase[] = [
  {
    rule: 'anthropic.beta',
    body: hello,
    headers: { 'anthropic-beta': 'prompt-caching-2024-07-31, tomorrow-2031-01-01' },
    error: error(/^Unexpected value\(s\) `tomorrow-2031-01-01` for the `anthropic-beta` header\./),
    valid: hello,
    validHeaders: { 'anthropic-beta': 'prompt-caching-2024-07-31' },
  },
  {
    rule: 'anthropic.unknown-field',
    body: { ...hello, n: 2 },
    error: error('n: Extra inputs are not permitted'),
    valid: { ...hello, stop_sequences: ['x'] },
  },
  {
    rule: 'anthropic.unknown-field',
    body: withContent({ ...text, index: 0 }),
    error: error('messages.0.content.0.text.index: Extra inputs are not permitted'),
    valid: withContent(text),
  },
  {
    rule: 'anthropic.unknown-field',
    body: { ...hello, tools: [{ ...tool, parameters: {} }] },
    error: error('tools.0.custom.parameters: Extra inputs are not permitted'),
    valid: { ...hello, tools: [{ ...tool, description: 'looks up' }] },
  },
  {
    rule: 'anthropic.block-type',
    body: withContent({ type: 'image_url', image_url: {} }, text),
    error: error(/^messages\.0\.content\.0: Input tag 'image_url' found using 'type'/),
    valid: withContent({ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' } }, text),
  },
  {
    rule: 'anthropic.tool-name',
    body: { ...hello, tools: [{ ...tool, name: 'look.up' }] },
    error: error("tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"),
    valid: { ...hello, tools: [{ ...tool, name: 'x'.repeat(128) }] },
  },
  {
    rule: 'anthropic.tool-duplicate',
    body: { ...hello, tools: [tool, tool] },
    error: error('tools: Tool names must be unique.'),
    valid: { ...hello, tools: [tool, { ...tool, name: 'other' }] },
  },
  {
    rule: 'anthropic.tool-schema',
    body: { ...hello, tools: [{ name: 'look_up' }] },
    error: error('tools.0.custom.input_schema: Field required'),
    valid: { ...hello, tools: [{ name: 'bash', type: 'bash_20250124' }] },
  },
  {
    rule: 'anthropic.tool-schema',
    body: { ...hello, tools: [{ ...tool, input_schema: { ...schema, anyOf: [] } }] },
    error: error(/does not support oneOf, allOf, or anyOf at the top level$/),
    valid: { ...hello, tools: [{ ...tool, input_schema: { ...schema, properties: { a: { anyOf: [] } } } }] },
  },
  {
    rule: 'anthropic.use-input',
    body: withMessages(user, { role: 'assistant', content: [{ ...use, input: '{}' }] }, answered),
    error: error('messages.1.content.0.tool_use.input: Input should be a valid dictionary'),
    valid: withMessages(user, asked, answered),
  },
  {
    rule: 'anthropic.text-empty',
    body: withContent({ type: 'text', text: '' }, text),
    error: error('messages: text content blocks must be non-empty'),
    valid: withContent(text),
  },
  {
    rule: 'anthropic.text-blank',
    body: withContent({ type: 'text', text: ' \n' }),
    error: error('messages: text content blocks must contain non-whitespace text'),
    valid: withContent({ type: 'text', text: ' x' }),
  },
  {
    rule: 'anthropic.content-empty',
    body: withMessages(user, { role: 'assistant', content: [] }, user),
    error: error(
      'messages.1: all messages must have non-empty content except for the optional final assistant message',
    ),
    valid: withMessages(user, { role: 'assistant', content: '' }),
  },
  {
    rule: 'anthropic.cache-count',
    body: withContent(...Array.from({ length: 5 }, () => ({ ...text, ...mark() }))),
    error: error('A maximum of 4 blocks with cache_control may be provided. Found 5.'),
    valid: withContent(...Array.from({ length: 4 }, () => ({ ...text, ...mark() })), text),
  },
  {
    rule: 'anthropic.cache-order',
    body: { ...withContent({ ...text, ...mark('1h') }), system: [{ ...text, ...mark('5m') }] },
    error: error(/^messages\.0\.content\.0\.cache_control\.ttl: a ttl='1h'/),
    valid: { ...withContent({ ...text, ...mark('5m') }), system: [{ ...text, ...mark('1h') }] },
  },
  {
    rule: 'anthropic.cache-place',
    body: withContent(text, { type: 'text', text: '', ...mark() }),
    error: error('messages.0.content.1.text: cache_control cannot be set for empty text blocks'),
    valid: withContent(text, { type: 'text', text: 'x', ...mark() }),
  },
  {
    rule: 'anthropic.image-media',
    body: withContent(image('image/tiff', [])),
    error: error(/Input should be 'image\/jpeg', 'image\/png', 'image\/gif' or 'image\/webp'$/),
    valid: withContent(image('image/png', PNG)),
  },
  {
    rule: 'anthropic.image-mismatch',
    body: withContent(image('image/jpeg', PNG)),
    error: error(/specified using the image\/jpeg media type, but the image appears to be a image\/png image$/),
    valid: withContent(image('image/png', PNG)),
  },
  {
    rule: 'anthropic.image-size',
    body: withContent(image('image/png', PNG, 10 * 1024 * 1024)),
    error: error(/image exceeds 10 MB maximum: \d+ bytes > 10485760 bytes$/),
    valid: withContent(image('image/png', PNG, 1000)),
  },
  {
    rule: 'anthropic.budget-min',
    body: { ...hello, thinking: { type: 'enabled', budget_tokens: 512 } },
    error: error('thinking.enabled.budget_tokens: Input should be greater than or equal to 1024'),
    valid: { ...hello, thinking: { type: 'enabled', budget_tokens: 1024 } },
  },
  {
    rule: 'anthropic.budget-max',
    body: { ...hello, max_tokens: 2048, thinking },
    error: error('`max_tokens` must be greater than `thinking.budget_tokens`.'),
    valid: { ...hello, max_tokens: 2048, thinking },
    validHeaders: { 'anthropic-beta': 'interleaved-thinking-2025-05-14' },
  },
  {
    rule: 'anthropic.thinking-enabled',
    body: { ...hello, model: 'claude-opus-4-7', thinking },
    error: error(/^"thinking\.type\.enabled" is not supported for this model\./),
    valid: { ...hello, model: 'claude-opus-4-7', thinking: { type: 'adaptive' } },
  },
  {
    rule: 'anthropic.thinking-adaptive',
    body: { ...hello, thinking: { type: 'adaptive' } },
    error: error('adaptive thinking is not supported on this model'),
    valid: { ...hello, model: 'claude-sonnet-4-6', thinking: { type: 'adaptive' } },
  },
  {
    rule: 'anthropic.thinking-sampling',
    body: { ...hello, thinking, temperature: 0.5 },
    error: error('`temperature` may only be set to 1 when thinking is enabled.'),
    valid: { ...hello, thinking, temperature: 1, top_p: 0.95 },
  },
  {
    rule: 'anthropic.thinking-sampling',
    body: { ...hello, thinking, top_k: 5 },
    error: error('`top_k` must be unset when thinking is enabled.'),
    valid: { ...hello, top_k: 5 },
  },
  {
    rule: 'anthropic.thinking-forced',
    body: { ...hello, thinking, tools: [tool], tool_choice: { type: 'any' } },
    error: error('Thinking may not be enabled when tool_choice forces tool use.'),
    valid: { ...hello, thinking, tools: [tool], tool_choice: { type: 'auto' } },
  },
  {
    rule: 'anthropic.sampling',
    body: { ...hello, model: 'anthropic/claude-opus-5-5', temperature: 0 },
    error: error('`temperature` is deprecated for this model.'),
    valid: { ...hello, temperature: 0 },
  },
  {
    rule: 'anthropic.prefill',
    body: { ...withMessages(user, { role: 'assistant', content: 'Well,' }), model: 'claude-sonnet-4-6' },
    error: error(/does not support assistant message prefill/),
    // A turn that the vendor paused is sent back as it came.
    valid: {
      ...withMessages(user, {
        role: 'assistant',
        content: [{ type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } }],
      }),
      model: 'claude-sonnet-4-6',
    },
  },
  {
    rule: 'anthropic.use-unanswered',
    body: withMessages(user, asked, user),
    error: error(/^messages\.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1\./),
    valid: withMessages(user, asked, answered, user),
  },
  {
    rule: 'anthropic.result-orphan',
    body: withMessages(answered),
    error: error(/^messages\.0\.content\.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1\./),
    valid: withMessages(user, asked, user, answered),
  },
  {
    rule: 'anthropic.result-twice',
    body: withMessages(user, asked, { role: 'user', content: [result, result] }),
    error: error(/^messages\.2\.content\.1: each tool_use must have a single result\./),
    valid: withMessages(user, asked, answered),
  },
  {
    rule: 'anthropic.use-duplicate',
    body: withMessages(user, asked, answered, asked, answered),
    error: error('messages.3.content.0: `tool_use` ids must be unique'),
    valid: withMessages(user, asked, answered),
  },
  {
    rule: 'anthropic.signature-missing',
    body: thinks(thought('Hm.')),
    error: error('messages.1.content.0.thinking.signature: Field required'),
    valid: thinks(thought('Hm.', signThought('Hm.'))),
  },
  {
    rule: 'anthropic.signature',
    body: thinks(thought('Hm.', 'ErcBCkgIBBABGAIi')),
    error: error('messages.1.content.0: Invalid `signature` in `thinking` block'),
    valid: thinks(thought('', signThought('Hm.', { isOmitted: true }))),
  },
  {
    rule: 'anthropic.signature',
    body: thinks({ type: 'redacted_thinking', data: 'abc' }),
    error: error('messages.1.content.0: Invalid `data` in `redacted_thinking` block'),
    valid: thinks({ type: 'redacted_thinking', data: signThought('Hm.') }),
  },
  {
    rule: 'anthropic.thinking-modified',
    body: thinks(thought('Hmm.', signThought('Hm.'))),
    error: error(/^messages\.1\.content\.0: `thinking` or `redacted_thinking` blocks .* cannot be modified\./),
    valid: thinks(thought('Hm.', signThought('Hm.'))),
  },
  {
    rule: 'anthropic.thinking-first',
    body: thinks(),
    error: error(/^messages\.1\.content\.0\.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`\./),
    valid: { ...thinks(), thinking: { type: 'disabled' } },
  },
]
