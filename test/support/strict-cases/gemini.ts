/** Requests that the Gemini API refuses, rule by rule. */
import { createEngine } from '../../../plugins/llm/registry/engine.ts'
import type { RuleCase } from '../strict.ts'

const { signThought } = createEngine()
export const GEMINI_3 = '/ai/gemini/v1beta/models/gemini-3-pro-preview:generateContent'
export const user = { role: 'user', parts: [{ text: 'hello' }] }
export const hello = { contents: [user] }
export const declare = (parameters: object, more: object = {}): object => ({
  ...hello,
  tools: [{ functionDeclarations: [{ name: 'look_up', parameters, ...more }] }],
})
export const object = (properties: object): object => ({ type: 'OBJECT', properties })
const called = { functionCall: { name: 'look_up', args: {} } }
export const call = { role: 'model', parts: [called] }
const response = { functionResponse: { name: 'look_up', response: { weather: 'sunny' } } }
export const answer = { role: 'user', parts: [response] }
const signedCall = { role: 'model', parts: [{ ...called, thoughtSignature: signThought('x') }] }
export const turns = (...contents: object[]): object => ({ contents })
export const error = (message: string | RegExp): object => ({
  error: { code: 400, status: 'INVALID_ARGUMENT', message, details: [] },
})
const fieldError = (field: string | undefined, description: string): object => ({
  error: {
    code: 400,
    status: 'INVALID_ARGUMENT',
    message: description,
    details: [
      {
        '@type': 'type.googleapis.com/google.rpc.BadRequest',
        fieldViolations: [{ ...(field === undefined ? {} : { field }), description }],
      },
    ],
  },
})
const PARAMETERS = 'tools[0].function_declarations[0].parameters'

export const GEMINI_CASES: RuleCase[] = [
  {
    rule: 'gemini.unknown-field',
    body: { ...hello, messages: [] },
    error: fieldError(undefined, 'Invalid JSON payload received. Unknown name "messages": Cannot find field.'),
    valid: { ...hello, system_instruction: { role: 'system', parts: [{ text: 'x' }] } },
  },
  {
    rule: 'gemini.unknown-field',
    body: { contents: [{ ...user, content: 'x' }] },
    error: fieldError(
      'contents[0]',
      `Invalid JSON payload received. Unknown name "content" at 'contents[0]': Cannot find field.`,
    ),
    valid: { contents: [{ role: 'user', parts: [{ text: 'x', thought: false }] }] },
  },
  {
    rule: 'gemini.schema-field',
    body: declare({ ...object({ a: { type: 'STRING', const: 'x' } }) }),
    error: fieldError(
      `${PARAMETERS}.properties[0].value`,
      `Invalid JSON payload received. Unknown name "const" at '${PARAMETERS}.properties[0].value': Cannot find field.`,
    ),
    valid: declare(object({ a: { type: 'string', max_length: 5 } })),
  },
  {
    rule: 'gemini.type-list',
    body: declare(object({ a: { type: ['STRING', 'NULL'] } })),
    error: { error: { message: /Proto field is not repeating, cannot start list\.$/ } },
    valid: declare(object({ a: { type: 'STRING', nullable: true } })),
  },
  {
    rule: 'gemini.enum-value',
    body: declare(object({ a: { type: 'date' } })),
    error: { error: { message: /^Invalid value at '.*\.type' \(type\.googleapis\.com.*v1beta\.Type\), "date"$/ } },
    valid: declare(object({ a: { type: 'integer' } })),
  },
  {
    rule: 'gemini.schema-items',
    body: declare(object({ tags: { type: 'ARRAY' } })),
    error: error(`* GenerateContentRequest.${PARAMETERS}.properties[tags].items: missing field.`),
    valid: declare(object({ tags: { type: 'ARRAY', items: { type: 'STRING' } } })),
  },
  {
    rule: 'gemini.schema-enum',
    body: declare(object({ a: { type: 'INTEGER', enum: ['1'] } })),
    error: error(/enum: only allowed for STRING type$/),
    valid: declare(object({ a: { type: 'STRING', enum: ['1'] } })),
  },
  {
    rule: 'gemini.function-name',
    body: declare(object({ a: { type: 'STRING' } }), { name: '1st' }),
    error: error(/^\* GenerateContentRequest\.tools\[0\]\.function_declarations\[0\]\.name: Invalid function name\./),
    valid: declare(object({ a: { type: 'STRING' } }), { name: 'a.b:c-d' }),
  },
  {
    rule: 'gemini.function-duplicate',
    body: { ...hello, tools: [{ functionDeclarations: [{ name: 'a' }, { name: 'a' }] }] },
    error: error('Duplicate function declaration found: a'),
    valid: { ...hello, tools: [{ functionDeclarations: [{ name: 'a' }, { name: 'b' }] }] },
  },
  {
    rule: 'gemini.parts-empty',
    body: turns(user, { role: 'model', parts: [] }, user),
    error: error('* GenerateContentRequest.contents[1].parts: contents.parts must not be empty.'),
    valid: turns(user, { role: 'model', parts: [{ text: '' }] }, user),
  },
  {
    rule: 'gemini.stop-max',
    body: { ...hello, generationConfig: { stopSequences: ['1', '2', '3', '4', '5', '6'] } },
    error: error(/at most 5 are allowed$/),
    valid: { ...hello, generationConfig: { stopSequences: ['1', '2', '3', '4', '5'] } },
  },
  {
    rule: 'gemini.json-tools',
    body: { ...declare(object({})), generationConfig: { responseMimeType: 'application/json' } },
    error: error("Function calling with a response mime type: 'application/json' is unsupported"),
    valid: { ...declare(object({})), generationConfig: { responseMimeType: 'text/plain' } },
  },
  {
    rule: 'gemini.role',
    body: turns({ role: 'assistant', parts: [{ text: 'x' }] }),
    error: error('Please use a valid role: user, model.'),
    valid: turns({ parts: [{ text: 'x' }] }),
  },
  {
    rule: 'gemini.call-turn',
    body: turns(call, answer),
    error: error(/function call turn comes immediately after a user turn or after a function response turn\.$/),
    // The official clients send the chunks of a stream back as they came: a thought, then the call.
    valid: turns(user, { role: 'model', parts: [{ text: 'x', thought: true }] }, call, answer, call, answer),
  },
  {
    rule: 'gemini.response-turn',
    body: turns(user, answer),
    error: error(/function response turn comes immediately after a function call turn\.$/),
    valid: turns(user, call, answer),
  },
  {
    rule: 'gemini.response-count',
    body: turns(user, { role: 'model', parts: [called, called] }, answer),
    error: error(/number of function response parts is equal to the number of function call parts/),
    valid: turns(user, call, call, { role: 'user', parts: [response, response] }),
  },
  {
    rule: 'gemini.signature-missing',
    path: GEMINI_3,
    body: turns(user, call, answer),
    error: error(/^Function call is missing a thought_signature .* function call `default_api:look_up` , position 2\./),
    valid: turns(user, call, answer, { role: 'model', parts: [{ text: 'ok' }] }, user, signedCall, call, {
      role: 'user',
      parts: [response, response],
    }),
  },
  {
    rule: 'gemini.signature-base64',
    body: turns(user, { role: 'model', parts: [{ ...called, thoughtSignature: 'ä!' }] }, answer),
    error: error(/^Invalid value at 'contents\[1\]\.parts\[0\]\.thought_signature' \(TYPE_BYTES\)/),
    valid: turns(user, { role: 'model', parts: [{ ...called, thought_signature: 'abcd' }] }, answer),
  },
  {
    rule: 'gemini.signature',
    path: GEMINI_3,
    body: turns(user, { role: 'model', parts: [{ ...called, thoughtSignature: 'abcd' }] }, answer),
    error: error('Corrupted thought signature.'),
    valid: turns(
      user,
      { role: 'model', parts: [{ ...called, thoughtSignature: 'skip_thought_signature_validator' }] },
      answer,
      {
        role: 'model',
        parts: [
          { ...called, thoughtSignature: Buffer.from('context_engineering_is_the_way_to_go').toString('base64') },
        ],
      },
      answer,
    ),
  },
]
