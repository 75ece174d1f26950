/** Requests that chat completions and responses refuse, rule by rule. */
import type { RuleCase } from '../strict.ts'

export const hello = { model: 'gpt-4.1', messages: [{ role: 'user', content: 'hello' }] }
export const user = hello.messages[0]!
const object = { type: 'object', properties: { city: { type: 'string' } } }
const strictObject = { ...object, required: ['city'], additionalProperties: false }
const tool = (more: object): object => ({ type: 'function', function: { name: 'look_up', ...more } })
const call = { id: 'call_1', type: 'function', function: { name: 'look_up', arguments: '{}' } }
const asked = { role: 'assistant', content: null, tool_calls: [call] }
export const result = { role: 'tool', tool_call_id: 'call_1', content: 'sunny' }
const withImage = (image_url: unknown): object => ({
  ...hello,
  messages: [{ role: 'user', content: [{ type: 'image_url', image_url }] }],
})
const many = (count: number): object[] => Array.from({ length: count }, (_, index) => tool({ name: `tool_${index}` }))
const pairs = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key_${index}`, 'value']))
export const error = (message: string, param: string | null, code: string | null): object => ({
  error: { message, type: 'invalid_request_error', param, code },
})

export const CHAT_CASES: RuleCase[] = [
  {
    rule: 'openai.unknown-field',
    body: { ...hello, thinking: {} },
    error: error("Unknown parameter: 'thinking'.", 'thinking', 'unknown_parameter'),
    valid: { ...hello, seed: 1 },
  },
  {
    rule: 'openai.unknown-field',
    body: { ...hello, messages: [{ ...user, reasoning_content: 'x' }] },
    error: error(
      "Unknown parameter: 'messages[0].reasoning_content'.",
      'messages[0].reasoning_content',
      'unknown_parameter',
    ),
    valid: { ...hello, messages: [{ ...user, name: 'me' }] },
  },
  {
    rule: 'openai.unknown-field',
    body: { ...hello, messages: [{ ...user, content: [{ type: 'text', text: 'x', cache_control: {} }] }] },
    error: error(
      "Unknown parameter: 'messages[0].content[0].cache_control'.",
      'messages[0].content[0].cache_control',
      'unknown_parameter',
    ),
    // OpenAI's Agents SDK sends the text of a reply back with the members of its message.
    valid: {
      ...hello,
      messages: [
        user,
        {
          role: 'assistant',
          content: [{ type: 'text', text: 'x', role: 'assistant', refusal: null, annotations: [] }],
        },
        user,
      ],
    },
  },
  {
    rule: 'openai.message-content',
    body: { ...hello, messages: [user, { role: 'assistant', content: null }] },
    error: error("Invalid value for 'content': expected a string, got null.", 'messages.[1].content', null),
    valid: { ...hello, messages: [user, { role: 'assistant', content: '' }] },
  },
  {
    rule: 'openai.image-object',
    body: withImage('https://images.example/cat.png'),
    error: { error: { param: 'messages[0].content[0].image_url', code: 'invalid_type' } },
    valid: withImage({ url: 'https://images.example/cat.png' }),
  },
  {
    rule: 'openai.image-media',
    body: withImage({ url: 'data:image/tiff;base64,AAAA' }),
    error: { error: { message: /unsupported image/, code: 'invalid_image_format' } },
    valid: withImage({ url: 'data:image/png;base64,AAAA' }),
  },
  {
    rule: 'openai.arguments-text',
    body: {
      ...hello,
      messages: [user, { ...asked, tool_calls: [{ ...call, function: { name: 'look_up', arguments: {} } }] }, result],
    },
    error: { error: { param: 'messages[1].tool_calls[0].function.arguments', code: 'invalid_type' } },
    valid: { ...hello, messages: [user, asked, result] },
  },
  {
    rule: 'openai.tool-name',
    body: { ...hello, tools: [tool({ name: 'look.up' })] },
    error: {
      error: { message: /string does not match pattern/, param: 'tools[0].function.name', code: 'invalid_value' },
    },
    valid: { ...hello, tools: [tool({ name: 'look-up' })] },
  },
  {
    rule: 'openai.tool-name',
    body: { ...hello, tools: [tool({ name: 'x'.repeat(65) })] },
    error: {
      error: { message: /maximum length 64, but got a string with length 65/, code: 'string_above_max_length' },
    },
    valid: { ...hello, tools: [tool({ name: 'x'.repeat(64) })] },
  },
  {
    rule: 'openai.tools-max',
    body: { ...hello, tools: many(129) },
    error: {
      error: { message: /maximum length 128, but got an array with length 129/, code: 'array_above_max_length' },
    },
    valid: { ...hello, tools: many(128) },
  },
  {
    rule: 'openai.stop-max',
    body: { ...hello, stop: ['a', 'b', 'c', 'd', 'e'] },
    error: { error: { param: 'stop', code: 'array_above_max_length' } },
    valid: { ...hello, stop: ['a', 'b', 'c', 'd'] },
  },
  {
    rule: 'openai.range',
    body: { ...hello, temperature: 2.5 },
    error: error(
      "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 2.5 instead.",
      'temperature',
      'decimal_above_max_value',
    ),
    valid: { ...hello, temperature: 2 },
  },
  {
    rule: 'openai.range',
    body: { ...hello, max_completion_tokens: 0 },
    error: {
      error: { message: /integer below minimum value. Expected a value >= 1/, code: 'integer_below_min_value' },
    },
    valid: { ...hello, max_completion_tokens: 1 },
  },
  {
    rule: 'openai.metadata',
    body: { ...hello, metadata: pairs(17) },
    error: { error: { message: /at most 16 properties.* with 17 properties/, code: 'object_above_max_properties' } },
    valid: { ...hello, metadata: pairs(16) },
  },
  {
    rule: 'openai.metadata',
    body: { ...hello, metadata: { note: 'x'.repeat(513) } },
    error: { error: { param: 'metadata.note', code: 'string_above_max_length' } },
    valid: { ...hello, metadata: { note: 'x'.repeat(512) } },
  },
  {
    rule: 'openai.stream-options',
    body: { ...hello, stream_options: { include_usage: true } },
    error: { error: { param: 'stream_options', code: null } },
    valid: { ...hello, stream: true, stream_options: { include_usage: true } },
  },
  {
    rule: 'openai.choice-alone',
    body: { ...hello, tool_choice: 'auto' },
    error: error(
      "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
      'tool_choice',
      null,
    ),
    valid: { ...hello, tool_choice: 'auto', tools: [tool({})] },
  },
  {
    rule: 'openai.parallel-alone',
    body: { ...hello, parallel_tool_calls: false },
    error: { error: { param: 'parallel_tool_calls' } },
    valid: { ...hello, parallel_tool_calls: false, tools: [tool({})] },
  },
  {
    rule: 'openai.logprobs-pair',
    body: { ...hello, top_logprobs: 2 },
    error: { error: { param: 'top_logprobs' } },
    valid: { ...hello, logprobs: true, top_logprobs: 2 },
  },
  {
    rule: 'openai.schema-root',
    body: { ...hello, tools: [tool({ parameters: { properties: {} } })] },
    error: error(
      `Invalid schema for function 'look_up': schema must be a JSON Schema of 'type: "object"', got 'type: "None"'.`,
      'tools[0].function.parameters',
      'invalid_function_parameters',
    ),
    valid: { ...hello, tools: [tool({ parameters: {} })] },
  },
  {
    rule: 'openai.schema-items',
    body: { ...hello, tools: [tool({ parameters: { type: 'object', properties: { paths: { type: 'array' } } } })] },
    error: {
      error: {
        message:
          "Invalid schema for function 'look_up': In context=('properties', 'paths'), array schema missing items.",
      },
    },
    valid: {
      ...hello,
      tools: [tool({ parameters: { type: 'object', properties: { paths: { type: 'array', items: {} } } } })],
    },
  },
  {
    rule: 'openai.schema-strict',
    body: { ...hello, tools: [tool({ strict: true, parameters: { ...strictObject, required: [] } })] },
    error: { error: { message: /In context=\(\), 'required' is required .* Missing 'city'\.$/ } },
    valid: { ...hello, tools: [tool({ strict: true, parameters: strictObject })] },
  },
  {
    rule: 'openai.schema-strict',
    body: { ...hello, tools: [tool({ strict: true, parameters: { ...strictObject, additionalProperties: true } })] },
    error: { error: { message: /'additionalProperties' is required to be supplied and to be false\.$/ } },
    valid: { ...hello, tools: [tool({ parameters: object })] },
  },
  {
    rule: 'openai.schema-format',
    body: {
      ...hello,
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'place', strict: true, schema: { ...strictObject, allOf: [] } },
      },
    },
    error: error(
      "Invalid schema for response_format 'place': In context=(), 'allOf' is not permitted.",
      'response_format',
      null,
    ),
    valid: {
      ...hello,
      response_format: { type: 'json_schema', json_schema: { name: 'place', strict: true, schema: strictObject } },
    },
  },
  {
    rule: 'openai.json-word',
    body: { ...hello, response_format: { type: 'json_object' } },
    error: { error: { message: /must contain the word 'json'/, param: 'messages' } },
    valid: { ...hello, messages: [{ role: 'user', content: 'as JSON' }], response_format: { type: 'json_object' } },
  },
  {
    rule: 'openai.model-missing',
    body: { messages: hello.messages },
    error: error('you must provide a model parameter', null, null),
    valid: hello,
  },
  {
    rule: 'openai.max-both',
    body: { ...hello, max_tokens: 9, max_completion_tokens: 9 },
    error: { error: { message: /at the same time/ } },
    valid: { ...hello, max_tokens: 9 },
  },
  {
    rule: 'openai.max-tokens-reasoning',
    body: { ...hello, model: 'gpt-5-mini', max_tokens: 99 },
    error: error(
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      'max_tokens',
      'unsupported_parameter',
    ),
    valid: { ...hello, model: 'gpt-5-mini', max_completion_tokens: 99 },
  },
  {
    rule: 'openai.sampling-reasoning',
    body: { ...hello, model: 'gpt-5', temperature: 0.2 },
    error: error(
      "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
      'temperature',
      'unsupported_value',
    ),
    valid: { ...hello, model: 'gpt-5', temperature: 1 },
  },
  {
    rule: 'openai.sampling-reasoning',
    body: { ...hello, model: 'gpt-5.5', reasoning_effort: 'high', top_p: 0.5 },
    error: { error: { param: 'top_p', code: 'unsupported_parameter' } },
    valid: { ...hello, model: 'gpt-5.5', top_p: 0.5 },
  },
  {
    rule: 'openai.stop-reasoning',
    body: { ...hello, model: 'o3', stop: ['x'] },
    error: { error: { param: 'stop', code: 'unsupported_parameter' } },
    valid: { ...hello, model: 'o1', stop: ['x'] },
  },
  {
    rule: 'openai.effort-plain',
    body: { ...hello, model: 'gpt-4o', reasoning_effort: 'low' },
    error: error('Unrecognized request argument supplied: reasoning_effort', null, null),
    valid: { ...hello, model: 'gpt-5', reasoning_effort: 'low' },
  },
  {
    rule: 'openai.web-search',
    body: { ...hello, web_search_options: {} },
    error: { error: { message: 'Web search options not supported with this model.' } },
    valid: { ...hello, model: 'gpt-4o-search-preview', web_search_options: {} },
  },
  {
    rule: 'openai.tool-orphan',
    body: { ...hello, messages: [user, { role: 'assistant', content: 'x' }, result] },
    error: error(
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
      'messages.[2].role',
      null,
    ),
    valid: { ...hello, messages: [user, asked, result] },
  },
  {
    rule: 'openai.result-twice',
    body: { ...hello, messages: [user, asked, result, result] },
    error: {
      error: { message: /Duplicate value for 'tool_call_id' of 'call_1', in messages\[2\] and messages\[3\]\./ },
    },
    valid: { ...hello, messages: [user, asked, result, asked, result] },
  },
  {
    rule: 'openai.tool-unanswered',
    body: { ...hello, messages: [user, asked, user] },
    error: { error: { message: /did not have response messages: call_1$/, param: 'messages.[2].role' } },
    valid: { ...hello, messages: [user, asked, result, user] },
  },
  {
    rule: 'openai.tool-unanswered',
    body: { ...hello, messages: [user, asked] },
    error: { error: { param: 'messages.[1].role' } },
    valid: { ...hello, messages: [user, asked, result] },
  },
]

const input = [{ role: 'user', content: 'hello' }]
const respond = { model: 'gpt-4.1', input }
const functionCall = { type: 'function_call', call_id: 'call_1', name: 'look_up', arguments: '{}' }
const output = { type: 'function_call_output', call_id: 'call_1', output: 'sunny' }
const flat = (more: object): object => ({ type: 'function', name: 'look_up', strict: false, ...more })
const answer = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] }

export const RESPONSES_CASES: RuleCase[] = [
  {
    rule: 'responses.unknown-field',
    body: { ...respond, max_tokens: 99 },
    error: error("Unknown parameter: 'max_tokens'.", 'max_tokens', 'unknown_parameter'),
    valid: { ...respond, max_output_tokens: 99 },
  },
  {
    rule: 'responses.moved-field',
    body: { ...respond, reasoning_effort: 'low' },
    error: {
      error: {
        message: /^Unsupported parameter: 'reasoning_effort'\. .* moved to 'reasoning\.effort'/,
        code: 'unsupported_parameter',
      },
    },
    valid: { ...respond, model: 'gpt-5', reasoning: { effort: 'low' } },
  },
  {
    rule: 'responses.model-missing',
    body: { input },
    error: error("Missing required parameter: 'model'.", 'model', 'missing_required_parameter'),
    valid: respond,
  },
  {
    rule: 'responses.tool-nested',
    body: { ...respond, tools: [tool({})] },
    error: error("Missing required parameter: 'tools[0].name'.", 'tools[0].name', 'missing_required_parameter'),
    valid: { ...respond, tools: [flat({})] },
  },
  {
    rule: 'responses.tool-name',
    body: { ...respond, tools: [flat({ name: 'look up' })] },
    error: { error: { param: 'tools[0].name', code: 'invalid_value' } },
    valid: { ...respond, tools: [flat({})] },
  },
  {
    rule: 'responses.content-kind',
    body: { ...respond, input: [...input, { role: 'assistant', content: [{ type: 'input_text', text: 'Hi' }] }] },
    error: error(
      "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
      'input[1].content[0]',
      'invalid_value',
    ),
    valid: { ...respond, input: [...input, answer] },
  },
  {
    rule: 'responses.content-kind',
    body: { ...respond, input: [{ role: 'user', content: [{ type: 'output_text', text: 'Hi' }] }] },
    error: { error: { message: /'input_text', 'input_image', and 'input_file'/ } },
    valid: { ...respond, input: [{ role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }] },
  },
  {
    rule: 'responses.max-output',
    body: { ...respond, max_output_tokens: 8 },
    error: error(
      "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 8 instead.",
      'max_output_tokens',
      'integer_below_min_value',
    ),
    valid: { ...respond, max_output_tokens: 16 },
  },
  {
    rule: 'responses.range',
    body: { ...respond, top_p: 1.5 },
    error: { error: { param: 'top_p', code: 'decimal_above_max_value' } },
    valid: { ...respond, top_p: 0.5 },
  },
  {
    rule: 'responses.metadata',
    body: { ...respond, metadata: { ['k'.repeat(65)]: 'x' } },
    error: { error: { code: 'string_above_max_length' } },
    valid: { ...respond, metadata: { ['k'.repeat(64)]: 'x' } },
  },
  {
    rule: 'responses.stream-options',
    body: { ...respond, stream_options: { include_obfuscation: false } },
    error: { error: { param: 'stream_options' } },
    valid: { ...respond, stream: true, stream_options: { include_obfuscation: false } },
  },
  {
    rule: 'responses.item-id',
    body: { ...respond, input: [...input, { ...answer, id: 'run-1' }] },
    error: error(
      "Invalid 'input[1].id': 'run-1'. Expected an ID that begins with 'msg'.",
      'input[1].id',
      'invalid_value',
    ),
    valid: { ...respond, input: [...input, { ...answer, id: 'msg_1' }] },
  },
  {
    rule: 'responses.schema-root',
    body: { ...respond, tools: [flat({ parameters: { type: 'string' } })] },
    error: { error: { message: /got 'type: "string"'\.$/, param: 'tools[0].parameters' } },
    valid: { ...respond, tools: [flat({ parameters: object })] },
  },
  {
    rule: 'responses.schema-items',
    body: {
      ...respond,
      tools: [flat({ parameters: { type: 'object', properties: { a: { anyOf: [{ type: 'array' }] } } } })],
    },
    error: { error: { message: /In context=\('properties', 'a', 'anyOf', '0'\), array schema missing items/ } },
    valid: { ...respond, tools: [flat({ parameters: object })] },
  },
  {
    rule: 'responses.schema-strict',
    body: { ...respond, tools: [flat({ strict: true, parameters: object })] },
    error: { error: { code: 'invalid_function_parameters' } },
    valid: { ...respond, tools: [flat({ strict: true, parameters: strictObject })] },
  },
  {
    rule: 'responses.schema-format',
    body: { ...respond, text: { format: { type: 'json_schema', name: 'place', strict: true, schema: object } } },
    error: { error: { param: 'text.format.schema', code: 'invalid_json_schema' } },
    valid: { ...respond, text: { format: { type: 'json_schema', name: 'place', strict: true, schema: strictObject } } },
  },
  {
    rule: 'responses.sampling-reasoning',
    body: { ...respond, model: 'o3', temperature: 0 },
    error: error("Unsupported parameter: 'temperature' is not supported with this model.", 'temperature', null),
    valid: { ...respond, temperature: 0 },
  },
  {
    rule: 'responses.reasoning-plain',
    body: { ...respond, model: 'gpt-4o', reasoning: { effort: 'low' } },
    error: { error: { param: 'reasoning.effort', code: 'unsupported_parameter' } },
    valid: { ...respond, model: 'o3', reasoning: { effort: 'low' } },
  },
  {
    rule: 'responses.output-orphan',
    body: { ...respond, input: [...input, output] },
    error: error('No tool call found for function call output with call_id call_1.', 'input', null),
    valid: { ...respond, input: [...input, functionCall, output] },
  },
  {
    rule: 'responses.item-duplicate',
    body: { ...respond, input: [...input, { ...answer, id: 'msg_1' }, { ...answer, id: 'msg_1' }] },
    error: { error: { message: /^Duplicate item found with id msg_1\./, param: 'input' } },
    valid: { ...respond, input: [...input, { ...answer, id: 'msg_1' }, { ...answer, id: 'msg_2' }] },
  },
  {
    rule: 'responses.call-unanswered',
    body: { ...respond, input: [...input, functionCall, ...input] },
    error: error('No tool output found for function call call_1.', 'input', null),
    valid: { ...respond, input: [...input, functionCall, output, ...input] },
  },
  {
    rule: 'responses.reasoning-alone',
    body: { ...respond, input: [...input, { type: 'reasoning', id: 'rs_1', summary: [] }, ...input] },
    error: error("Item 'rs_1' of type 'reasoning' was provided without its required following item.", 'input', null),
    valid: { ...respond, input: [...input, { type: 'reasoning', id: 'rs_1', summary: [] }, answer, ...input] },
  },
  {
    rule: 'responses.encrypted',
    body: {
      ...respond,
      input: [...input, { type: 'reasoning', summary: [], encrypted_content: 'abcd1234wxyz' }, answer],
    },
    error: error(
      'The encrypted content abcd...wxyz could not be verified. Reason: Encrypted content could not be decrypted or parsed.',
      null,
      'invalid_encrypted_content',
    ),
    valid: { ...respond, input: [...input, { type: 'reasoning', summary: [] }, answer] },
  },
]
