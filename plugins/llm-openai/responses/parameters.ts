/** Checks the parameters of a response on which its state depends: one of a wrong type would be ignored otherwise. */
import type { Engine } from '../../llm/types.ts'

const INCLUDABLE = [
  'file_search_call.results',
  'web_search_call.results',
  'web_search_call.action.sources',
  'message.input_image.image_url',
  'computer_call_output.output.image_url',
  'code_interpreter_call.outputs',
  'reasoning.encrypted_content',
  'message.output_text.logprobs',
]

/** Throws for the first parameter that is wrong; null is as good as absent. */
export function checkParameters(engine: Engine, body: Record<string, unknown>): void {
  const invalidType = (param: string, expected: string): Error =>
    engine.badInput(`Invalid type for '${param}': expected ${expected}.`, { param, code: 'invalid_type' })
  for (const param of ['store', 'background', 'stream', 'generate'])
    if (body[param] != null && typeof body[param] !== 'boolean') throw invalidType(param, 'a boolean')
  if (body.previous_response_id != null && typeof body.previous_response_id !== 'string')
    throw invalidType('previous_response_id', 'a string')
  const { conversation, include } = body
  if (conversation != null && typeof conversation !== 'string')
    if (typeof engine.json.own(conversation, 'id') !== 'string')
      throw invalidType('conversation', "a string, or an object with an 'id'")
  if (include == null) return
  if (!Array.isArray(include)) throw invalidType('include', 'an array of strings')
  for (const [index, value] of include.entries())
    if (!INCLUDABLE.includes(value as string))
      throw engine.badInput(
        `Invalid value: '${String(value).slice(0, 100)}'. Supported values are: ${INCLUDABLE.map(name => `'${name}'`).join(', ')}.`,
        { param: `include[${index}]`, code: 'invalid_value' },
      )
}
