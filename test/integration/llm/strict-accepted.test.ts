/** Requests that vendors document or take, at the level `enforce`: a false refusal is worse than a missed one. */
import t from 'tap'
import { createEngine } from '../../../plugins/llm/registry/engine.ts'
import { serveLlm } from '../../support/llm-formats.ts'

const server = await serveLlm(t, { env: { SVC_AI_VALIDATION: 'enforce', SVC_BODY_LIMIT: '16777216' } })
const { signThought } = createEngine()
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const OBJECT = { type: 'object', properties: { city: { type: 'string' } } }
const user = { role: 'user', content: 'hello' }

interface Accepted {
  path: string
  headers?: Record<string, string>
  /** By what is special about it. */
  bodies: Readonly<Record<string, object>>
}

const chat = (more: object, ...messages: object[]): object => ({
  model: 'gpt-4.1',
  messages: messages.length === 0 ? [user] : messages,
  ...more,
})
const call = (id: string, more: object = {}): object => ({
  id,
  type: 'function',
  function: { name: 'look_up', arguments: '{}' },
  ...more,
})
const chatTool = (more: object = {}): object => ({ type: 'function', function: { name: 'look_up', ...more } })
const result = (id: string, content: unknown = 'sunny'): object => ({ role: 'tool', tool_call_id: id, content })

const CHAT: Accepted['bodies'] = {
  'null for parameters that are not set': chat({
    temperature: null,
    top_p: null,
    stop: null,
    n: null,
    tools: null,
    tool_choice: null,
    parallel_tool_calls: null,
    response_format: null,
    stream_options: null,
    metadata: null,
    max_tokens: null,
    logit_bias: null,
    user: null,
  }),
  'members of an earlier reply': chat(
    {},
    user,
    { role: 'assistant', content: 'hi', refusal: null, annotations: [], audio: null, function_call: null },
    user,
  ),
  'calls without content': chat(
    { tools: [chatTool()] },
    user,
    { role: 'assistant', tool_calls: [call('a')] },
    result('a'),
  ),
  'calls with empty content': chat(
    { tools: [chatTool()] },
    user,
    { role: 'assistant', content: '', tool_calls: [call('a', { index: 0 }), call('b', { index: 1 })] },
    result('b', [{ type: 'text', text: 'rainy' }]),
    result('a', ''),
    { role: 'assistant', content: 'done' },
    user,
  ),
  'a custom tool': chat(
    { tools: [{ type: 'custom', custom: { name: 'run', format: { type: 'text' } } }] },
    user,
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'custom', custom: { name: 'run', input: 'ls' } }],
    },
    result('a'),
  ),
  'functions instead of tools': chat(
    { functions: [{ name: 'look_up', parameters: OBJECT }], function_call: 'auto' },
    user,
    { role: 'assistant', content: null, function_call: { name: 'look_up', arguments: '{}' } },
    { role: 'function', name: 'look_up', content: 'sunny' },
  ),
  'roles in a row, and a system message at the end': chat(
    {},
    { role: 'system', content: 'Be brief.' },
    { role: 'developer', content: [{ type: 'text', text: 'Be kind.' }] },
    user,
    user,
    { role: 'assistant', content: 'hi' },
    { role: 'assistant', content: [{ type: 'text', text: 'again' }] },
    { role: 'system', content: 'Go on.' },
  ),
  'an assistant first, and an empty text': chat(
    {},
    { role: 'assistant', content: 'hi' },
    { role: 'user', content: '' },
  ),
  images: chat(
    {},
    {
      role: 'user',
      content: [
        { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'high' } },
        { type: 'image_url', image_url: { url: `data:image/jpg;base64,${PNG}` } },
      ],
    },
  ),
  'a file and audio': chat(
    { modalities: ['text'], model: 'gpt-4o-audio-preview' },
    {
      role: 'user',
      content: [
        { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
        { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
      ],
    },
  ),
  'documented parameters': chat({
    store: true,
    metadata: { run: '1' },
    service_tier: 'auto',
    seed: 1,
    logprobs: true,
    top_logprobs: 20,
    logit_bias: { '50256': -100 },
    prediction: { type: 'content', content: 'hi' },
    prompt_cache_key: 'k',
    prompt_cache_retention: '24h',
    safety_identifier: 's',
    user: 'u',
    stream: true,
    stream_options: { include_usage: true, include_obfuscation: false },
  }),
  'the edges of ranges': chat({
    temperature: 2,
    top_p: 1,
    frequency_penalty: -2,
    presence_penalty: 2,
    n: 1,
    max_tokens: 1,
  }),
  'a reasoning model with its defaults': chat({
    model: 'o3',
    temperature: 1,
    top_p: 1,
    presence_penalty: 0,
    frequency_penalty: 0,
    max_completion_tokens: 99,
    reasoning_effort: 'low',
  }),
  'sampling without reasoning': chat({
    model: 'gpt-5.1',
    temperature: 0.2,
    reasoning_effort: 'none',
    verbosity: 'low',
  }),
  'a chat model among those that reason': chat({ model: 'gpt-5-chat-latest', temperature: 0, max_tokens: 9 }),
  'schemas that are not strict': chat({
    tools: [
      chatTool({
        description: 'looks up',
        parameters: {
          $schema: 'http://json-schema.org/draft-07/schema#',
          type: 'object',
          properties: {
            list: { type: 'array', prefixItems: [{ type: 'string' }] },
            any: { oneOf: [{ type: 'string' }, { type: 'array', items: {} }] },
            open: { type: 'object', additionalProperties: true, patternProperties: { '^x': {} } },
          },
        },
      }),
      chatTool({ name: 'none' }),
      chatTool({ name: 'empty', parameters: {} }),
    ],
    tool_choice: { type: 'function', function: { name: 'look_up' } },
    parallel_tool_calls: false,
  }),
  'a strict schema with references': chat({
    response_format: {
      type: 'json_schema',
      json_schema: {
        name: 'tree',
        strict: true,
        schema: {
          type: 'object',
          properties: {
            not: { type: 'string', pattern: '^a', minLength: 1 },
            children: { type: ['array', 'null'], items: { $ref: '#/$defs/node' }, maxItems: 3 },
          },
          required: ['not', 'children'],
          additionalProperties: false,
          $defs: {
            node: {
              type: 'object',
              properties: { value: { anyOf: [{ type: 'number' }, { type: 'null' }] } },
              required: ['value'],
              additionalProperties: false,
            },
          },
        },
      },
    },
  }),
  'no choice without tools': chat({ tool_choice: 'none' }),
}

const respond = (more: object, ...input: unknown[]): object => ({
  model: 'gpt-5',
  input: input.length === 0 ? 'hello' : input,
  ...more,
})
const RESPONSES: Accepted['bodies'] = {
  'null for parameters that are not set': respond({
    instructions: null,
    previous_response_id: null,
    max_output_tokens: null,
    metadata: null,
    reasoning: null,
    temperature: null,
    text: null,
    tools: null,
    truncation: null,
    response_format: null,
  }),
  'short and typed messages': respond(
    {},
    { role: 'developer', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'hi' },
        { type: 'input_image', image_url: 'https://example.com/a.png', detail: 'auto' },
      ],
    },
    {
      type: 'message',
      role: 'assistant',
      id: 'msg_1',
      status: 'completed',
      content: [{ type: 'output_text', text: 'hi', annotations: [] }],
    },
    { role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] },
    { role: 'user', content: 'again' },
  ),
  'parallel calls': respond(
    { store: false, include: ['reasoning.encrypted_content'] },
    { role: 'user', content: 'hi' },
    { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
    { type: 'function_call', call_id: 'b', name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: 'b', output: [{ type: 'input_text', text: 'x' }] },
    { type: 'function_call_output', call_id: 'a', output: '' },
  ),
  'items of hosted tools': respond(
    {
      tools: [
        { type: 'web_search' },
        { type: 'code_interpreter', container: { type: 'auto' } },
        { type: 'mcp', server_label: 'docs', server_url: 'https://example.com/mcp', require_approval: 'never' },
        { type: 'image_generation' },
        { type: 'file_search', vector_store_ids: ['vs_1'] },
      ],
    },
    { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'x' } },
    { type: 'mcp_list_tools', id: 'mcpl_1', server_label: 'docs', tools: [] },
    { type: 'custom_tool_call', id: 'ctc_1', call_id: 'c', name: 'run', input: 'ls' },
    { type: 'custom_tool_call_output', call_id: 'c', output: 'a' },
    { role: 'user', content: 'hi' },
  ),
  'reasoning without an id': respond({}, { type: 'reasoning', summary: [] }, { role: 'user', content: 'hi' }),
  'documented parameters': respond({
    background: false,
    max_tool_calls: 3,
    parallel_tool_calls: true,
    prompt_cache_key: 'k',
    safety_identifier: 's',
    service_tier: 'auto',
    stream: true,
    stream_options: { include_obfuscation: false },
    text: { verbosity: 'low', format: { type: 'text' } },
    reasoning: { effort: 'low', summary: 'auto' },
    truncation: 'auto',
    max_output_tokens: 16,
  }),
  'a function that the vendor makes strict': respond({
    tools: [
      { type: 'function', name: 'f', parameters: OBJECT },
      { type: 'function', name: 'g', parameters: null, strict: true },
    ],
    tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'f' }] },
  }),
}

const message = (more: object, ...messages: object[]): object => ({
  model: 'claude-sonnet-4-5',
  max_tokens: 4096,
  messages: messages.length === 0 ? [user] : messages,
  ...more,
})
const text = { type: 'text', text: 'x' }
const ephemeral = { type: 'ephemeral' }
const use = (id: string): object => ({ type: 'tool_use', id, name: 'look_up', input: {} })
const answer = (id: string, more: object = {}): object => ({ type: 'tool_result', tool_use_id: id, ...more })
const thought = (words: string): object => ({ type: 'thinking', thinking: words, signature: signThought(words) })
const tool = { name: 'look_up', input_schema: { ...OBJECT, additionalProperties: false } }
const enabled = { type: 'enabled', budget_tokens: 2048 }

const MESSAGES: Accepted['bodies'] = {
  'roles in a row': message(
    {},
    user,
    user,
    { role: 'assistant', content: 'hi' },
    { role: 'assistant', content: [text] },
    user,
  ),
  'a prefill': message({}, user, { role: 'assistant', content: [{ type: 'text', text: 'Well,' }] }),
  'an empty last message of the assistant': message({}, user, { role: 'assistant', content: [] }),
  'results without content': message(
    { tools: [tool] },
    user,
    { role: 'assistant', content: [use('a'), use('b'), use('c')] },
    {
      role: 'user',
      content: [answer('b'), answer('a', { content: '' }), answer('c', { content: [], is_error: true }), text],
    },
  ),
  'results in several messages': message(
    { tools: [tool] },
    user,
    { role: 'assistant', content: [use('a'), use('b')] },
    { role: 'user', content: [answer('a', { content: 'x' })] },
    {
      role: 'user',
      content: [
        answer('b', { content: [text, { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }] }),
      ],
    },
  ),
  'thinking, tools and marks of the cache': message(
    {
      thinking: enabled,
      tools: [{ ...tool, cache_control: ephemeral }],
      system: [{ ...text, cache_control: { type: 'ephemeral', ttl: '1h' } }].map(block => ({
        ...block,
        cache_control: ephemeral,
      })),
    },
    user,
    { role: 'assistant', content: [thought('Hm.'), text, { ...use('a'), cache_control: ephemeral }] },
    { role: 'user', content: [answer('a', { content: 'x', cache_control: ephemeral })] },
  ),
  'thinking that begins in the middle of a turn': message(
    { thinking: enabled, tools: [tool] },
    user,
    { role: 'assistant', content: [use('a')] },
    { role: 'user', content: [answer('a', { content: 'x' })] },
  ),
  'thinking of earlier turns without thinking': message(
    { thinking: { type: 'disabled' } },
    user,
    { role: 'assistant', content: [thought('Hm.'), { type: 'redacted_thinking', data: signThought('x') }, text] },
    user,
  ),
  'thinking with usual sampling': message({
    thinking: enabled,
    temperature: 1,
    top_p: 0.97,
    tools: [tool],
    tool_choice: { type: 'none' },
  }),
  'another type of thinking': message({ model: 'claude-sonnet-5-5', thinking: { type: 'between_tools' } }),
  'images of several sources': message(
    {},
    {
      role: 'user',
      content: [
        { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
        {
          type: 'document',
          source: { type: 'url', url: 'https://example.com/a.pdf' },
          title: 't',
          context: 'c',
          citations: { enabled: true },
        },
        { type: 'document', source: { type: 'content', content: [text] } },
        { type: 'search_result', source: 's', title: 't', content: [text], citations: { enabled: true } },
      ],
    },
  ),
  'an image of 6 MiB': message(
    {},
    {
      role: 'user',
      content: [
        {
          type: 'image',
          source: { type: 'base64', media_type: 'image/png', data: PNG.slice(0, 44) + 'A'.repeat(8 * 1024 * 1024) },
        },
      ],
    },
  ),
  'tools of the vendor': message(
    {
      tools: [
        { type: 'web_search_20250305', name: 'web_search', max_uses: 3, allowed_domains: ['example.com'] },
        { type: 'bash_20250124', name: 'bash' },
        { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool', max_characters: 99 },
        { type: 'computer_20250124', name: 'computer', display_width_px: 1, display_height_px: 1 },
        {
          type: 'custom',
          ...tool,
          eager_input_streaming: true,
          defer_loading: true,
          strict: true,
          input_examples: [{}],
        },
      ],
      mcp_servers: [
        { type: 'url', url: 'https://example.com/mcp', name: 'docs', tool_configuration: { enabled: true } },
      ],
    },
    user,
    {
      role: 'assistant',
      content: [
        { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } },
        { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
        { type: 'mcp_tool_use', id: 'mcptoolu_1', name: 'read', server_name: 'docs', input: {} },
        { type: 'mcp_tool_result', tool_use_id: 'mcptoolu_1', is_error: false, content: [text] },
        { ...text, citations: null },
      ],
    },
    user,
  ),
  'a turn that the vendor paused after a summary': message(
    { model: 'claude-opus-5-5' },
    { role: 'user', content: [answer('gone', { content: 'x' })] },
    { role: 'assistant', content: [{ type: 'compaction', content: 'They said hello.' }] },
  ),
  'a system message in the conversation': message(
    { model: 'claude-opus-5-5', tools: [tool] },
    user,
    { role: 'assistant', content: [use('a')] },
    { role: 'user', content: [answer('a', { content: 'x' })] },
    { role: 'system', content: 'The date is another one.' },
  ),
  'a name of 128 characters': message({ tools: [{ ...tool, name: 'n'.repeat(128) }] }),
  'documented parameters': message({
    cache_control: ephemeral,
    container: null,
    context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
    inference_geo: 'us',
    metadata: { user_id: null },
    output_config: { format: { type: 'json_schema', schema: OBJECT } },
    service_tier: 'auto',
    stop_sequences: ['x'],
    stream: false,
    system: '',
    temperature: 0,
    top_k: 5,
  }),
  'adaptive thinking with its options': message({
    model: 'claude-opus-5-5',
    thinking: { type: 'adaptive', display: 'summarized', block_binding: { prefix_mismatch_behavior: 'error' } },
    output_config: { effort: 'xhigh' },
    temperature: 1,
    speed: 'fast',
    fallbacks: 'default',
  }),
}
const CODE_BETAS =
  'claude-code-20250219,oauth-2025-04-20,interleaved-thinking-2025-05-14,redact-thinking-2026-02-12,' +
  'thinking-token-count-2026-05-13,context-management-2025-06-27,prompt-caching-scope-2026-01-05,' +
  'mid-conversation-system-2026-04-07,advisor-tool-2026-03-01,advanced-tool-use-2025-11-20,effort-2025-11-24,' +
  'extended-cache-ttl-2025-04-11,cache-diagnosis-2026-04-07'

const generate = (more: object, ...contents: object[]): object => ({
  contents: contents.length === 0 ? [{ role: 'user', parts: [{ text: 'hello' }] }] : contents,
  ...more,
})
const asks = { role: 'user', parts: [{ text: 'hello' }] }
const calls = (...names: string[]): object => ({
  role: 'model',
  parts: names.map(name => ({ functionCall: { name, args: {}, id: name } })),
})
const responses = (role: string, ...names: string[]): object => ({
  role,
  parts: names.map(name => ({ functionResponse: { name, id: name, response: { output: 'x' } } })),
})
const declare = (parameters: object): object => ({ tools: [{ functionDeclarations: [{ name: 'f', parameters }] }] })
const GEMINI: Accepted['bodies'] = {
  'no role, and snake case': {
    contents: [{ parts: [{ text: 'hi' }, { inline_data: { mime_type: 'image/png', data: PNG } }] }],
    generation_config: { max_output_tokens: 9 },
  },
  'an empty text, and roles in a row': generate(
    {},
    { role: 'user', parts: [{ text: '' }] },
    asks,
    { role: 'model', parts: [{ text: 'hi' }] },
    asks,
  ),
  'parallel calls, with the older role of responses': generate(
    {},
    asks,
    calls('f', 'g'),
    responses('function', 'f', 'g'),
    { role: 'model', parts: [{ text: 'x' }] },
    asks,
  ),
  'text with calls and responses': generate(
    {},
    asks,
    { role: 'model', parts: [{ text: 'One moment.' }, { functionCall: { name: 'f', args: {} } }] },
    { role: 'user', parts: [{ functionResponse: { name: 'f', response: {} } }, { text: 'and?' }] },
  ),
  'tools of the vendor': generate(
    {
      tools: [{ googleSearch: {} }, { codeExecution: {} }, { urlContext: {} }],
      toolConfig: { functionCallingConfig: { mode: 'AUTO' } },
    },
    asks,
    {
      role: 'model',
      parts: [
        { executableCode: { language: 'PYTHON', code: '1' } },
        { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
      ],
    },
    asks,
  ),
  'a function in JSON Schema': generate({
    tools: [
      {
        functionDeclarations: [
          {
            name: 'a.b:c-d',
            parametersJsonSchema: { $schema: 'x', type: ['object', 'null'], additionalProperties: false, $ref: '#' },
          },
        ],
      },
    ],
    model: 'models/gemini-2.5-flash',
  }),
  'a reply in JSON Schema': generate({
    generationConfig: {
      responseMimeType: 'application/json',
      responseJsonSchema: { type: ['string', 'null'], const: 'x' },
    },
  }),
  'types in lower case': generate(
    declare({
      type: 'object',
      nullable: true,
      properties: {
        type: { type: 'string', enum: ['a'] },
        items: { type: 'ARRAY', items: { type: 'integer', format: 'int32' } },
      },
      propertyOrdering: ['type'],
    }),
  ),
  'media of several kinds': generate(
    {},
    {
      role: 'user',
      parts: [
        { fileData: { mimeType: 'video/mp4', fileUri: 'https://example.com/a.mp4' }, videoMetadata: { fps: 1 } },
        {
          inlineData: { mimeType: 'application/pdf', data: 'AAAA' },
          mediaResolution: { level: 'MEDIA_RESOLUTION_LOW' },
        },
      ],
    },
  ),
  'documented parameters': generate({
    safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
    systemInstruction: { role: 'system', parts: [{ text: 'Be brief.' }] },
    cachedContent: undefined,
    generationConfig: {
      candidateCount: 1,
      stopSequences: ['a', 'b', 'c', 'd', 'e'],
      thinkingConfig: { includeThoughts: true, thinkingBudget: 0 },
      seed: 1,
      topK: 40,
      responseModalities: ['TEXT'],
      logprobs: 1,
      responseLogprobs: true,
    },
  }),
}

const converse = (more: object, ...messages: object[]): object => ({
  messages: messages.length === 0 ? [{ role: 'user', content: [{ text: 'hello' }] }] : messages,
  ...more,
})
const CONVERSE: Accepted['bodies'] = {
  'marks of the cache': converse(
    {
      system: [{ text: 'Be brief.' }, { cachePoint: { type: 'default' } }],
      toolConfig: {
        tools: [{ toolSpec: { name: 'f', inputSchema: { json: OBJECT } } }, { cachePoint: { type: 'default' } }],
      },
    },
    { role: 'user', content: [{ text: 'hi' }, { cachePoint: { type: 'default' } }] },
  ),
  'media of several kinds': converse(
    {},
    {
      role: 'user',
      content: [
        { text: 'hi' },
        { image: { format: 'webp', source: { s3Location: { uri: 's3://b/k' } } } },
        { document: { format: 'md', name: 'a', source: { bytes: 'AAAA' } } },
        { video: { format: 'mp4', source: { bytes: 'AAAA' } } },
      ],
    },
  ),
  'results of each kind': converse(
    { toolConfig: { tools: [{ toolSpec: { name: 'f', inputSchema: { json: OBJECT } } }], toolChoice: { auto: {} } } },
    { role: 'user', content: [{ text: 'hi' }] },
    {
      role: 'assistant',
      content: [
        { text: 'One moment.' },
        { toolUse: { toolUseId: 'a', name: 'f', input: {} } },
        { toolUse: { toolUseId: 'b', name: 'f', input: {} } },
      ],
    },
    {
      role: 'user',
      content: [
        { toolResult: { toolUseId: 'b', content: [{ json: { a: 1 } }] } },
        { toolResult: { toolUseId: 'a', content: [{ text: 'no' }], status: 'error' } },
        { text: 'and?' },
      ],
    },
  ),
  'documented parameters': converse({
    inferenceConfig: { maxTokens: 9, temperature: 0, topP: 1, stopSequences: ['x'] },
    performanceConfig: { latency: 'standard' },
    requestMetadata: { a: 'b' },
    additionalModelRequestFields: {
      top_k: 5,
      anthropic_beta: ['thinking-binding-controls-2026-08-01', 'context-1m-2025-08-07'],
    },
    additionalModelResponseFieldPaths: ['/stop_sequence'],
  }),
}
const SONNET = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'

const ACCEPTED: Readonly<Record<string, Accepted>> = {
  'chat completions': { path: '/ai/openai/v1/chat/completions', bodies: CHAT },
  responses: { path: '/ai/openai/v1/responses', bodies: RESPONSES },
  'Azure OpenAI': {
    path: '/ai/azure/openai/deployments/gpt-4.1/chat/completions?api-version=2024-10-21',
    bodies: {
      'no model in the body': { messages: [user] },
      'its own data': {
        messages: [user, { role: 'assistant', content: 'hi', context: { citations: [] }, end_turn: true }, user],
        data_sources: [{ type: 'azure_search', parameters: { endpoint: 'https://example.com', index_name: 'i' } }],
        user_security_context: { application_name: 'a', end_user_id: 'u' },
      },
    },
  },
  messages: {
    path: '/ai/anthropic/v1/messages',
    headers: { 'anthropic-version': '2023-06-01', 'anthropic-beta': CODE_BETAS },
    bodies: MESSAGES,
  },
  'Claude on Bedrock': {
    path: `/ai/bedrock/model/${SONNET}/invoke`,
    bodies: {
      'what Claude Code sends': {
        anthropic_version: 'bedrock-2023-05-31',
        anthropic_beta: [
          'claude-code-20250219',
          'interleaved-thinking-2025-05-14',
          'context-1m-2025-08-07',
          'tool-search-tool-2025-10-19',
        ],
        max_tokens: 99,
        messages: [user],
        tools: [{ ...tool, defer_loading: true }],
      },
    },
  },
  Converse: { path: `/ai/bedrock/model/${SONNET}/converse`, bodies: CONVERSE },
  'Gemini 2.5': { path: '/ai/gemini/v1beta/models/gemini-2.5-flash:generateContent', bodies: GEMINI },
  'Gemini 3': {
    path: '/ai/gemini/v1beta/models/gemini-3-pro-preview:generateContent',
    bodies: {
      'a signature on the first of parallel calls, and none in earlier turns': generate(
        {},
        asks,
        calls('f'),
        responses('user', 'f'),
        { role: 'model', parts: [{ text: 'x' }] },
        asks,
        {
          role: 'model',
          parts: [
            { functionCall: { name: 'f', args: {} }, thoughtSignature: 'skip_thought_signature_validator' },
            { functionCall: { name: 'g', args: {} } },
          ],
        },
        responses('user', 'f', 'g'),
      ),
      'functions with a reply as JSON': generate({
        ...declare(OBJECT),
        generationConfig: { responseMimeType: 'application/json' },
      }),
    },
  },
}

for (const [name, { path, headers = {}, bodies }] of Object.entries(ACCEPTED))
  t.test(`${name} [STR-13]`, async t => {
    for (const [what, body] of Object.entries(bodies)) {
      const response = await fetch(server.url + path, {
        method: 'POST',
        headers: { 'X-Svc-Tokens-Per-Second': '0', ...headers },
        body: JSON.stringify(body),
      })
      const reply = await response.text()
      const violations = response.headers.get('x-svc-violations')
      t.ok(
        response.status === 200,
        `${what}: ${response.status} ${violations ?? ''} ${response.status === 200 ? '' : reply.slice(0, 300)}`,
      )
    }
  })
