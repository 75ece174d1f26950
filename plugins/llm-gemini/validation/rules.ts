/** What the Gemini API and Vertex AI refuse, in the order of evaluation. */
import type { RuleSource, ValidationLimit, ValidationRule } from '../../llm/types.ts'

const READ = '2026-11-27'
const reference = (title: string, path: string): RuleSource => ({
  title,
  url: `https://ai.google.dev/${path}`,
  kind: 'reference',
  read: READ,
})
const DEFINITION: RuleSource = {
  title: 'API definition google.ai.generativelanguage.v1beta, and request types of the official package @google/genai',
  url: 'https://github.com/googleapis/js-genai',
  kind: 'definition',
  read: READ,
}
const INPUT_METHODS = reference('Guide: file input methods', 'gemini-api/docs/file-input-methods')
const CALLING = reference('Guide: function calling', 'gemini-api/docs/function-calling')
const SIGNATURES = reference('Guide: thought signatures', 'gemini-api/docs/thought-signatures')
function report(thread: string): RuleSource {
  return {
    title: `Error quoted in ${thread}`,
    url: `https://github.com/${thread.replace('#', '/issues/')}`,
    kind: 'report',
    read: READ,
  }
}

const UNKNOWN = `Invalid JSON payload received. Unknown name "{name}" at '{at}': Cannot find field.`

/** Rules whose errors list each violation as a field. */
export const FIELD_RULES: ReadonlySet<string> = new Set([
  'gemini.unknown-field',
  'gemini.schema-field',
  'gemini.type-list',
  'gemini.enum-value',
])

export const GEMINI_LIMITS: readonly ValidationLimit[] = [
  { what: 'Size of a request with its inline data', value: '100 MB', sources: [INPUT_METHODS] },
  { what: 'Size of a PDF', value: '50 MB', sources: [INPUT_METHODS] },
]

export const GEMINI_RULES: readonly ValidationRule[] = [
  {
    rule: 'gemini.unknown-field',
    phase: 'shape',
    confidence: 'reported',
    condition: "A member that the API's messages do not have.",
    message: UNKNOWN,
    forms: { top: { message: 'Invalid JSON payload received. Unknown name "{name}": Cannot find field.' } },
    sources: [DEFINITION, report('SuzumiyaAkizuki/ComfyUI-NewBie-LLM-Formatter#3')],
  },
  {
    rule: 'gemini.schema-field',
    phase: 'shape',
    confidence: 'documented',
    condition: 'A keyword that the schemas of the API do not have.',
    message: UNKNOWN,
    sources: [DEFINITION],
  },
  {
    rule: 'gemini.type-list',
    phase: 'shape',
    confidence: 'reported',
    condition: 'The type of a schema is a list.',
    message: `Invalid JSON payload received. Unknown name "type" at '{at}': Proto field is not repeating, cannot start list.`,
    sources: [DEFINITION],
  },
  {
    rule: 'gemini.enum-value',
    phase: 'shape',
    confidence: 'reported',
    condition: 'The type of a schema is not the name of a type.',
    message: `Invalid value at '{at}' (type.googleapis.com/google.ai.generativelanguage.v1beta.Type), "{value}"`,
    forms: {
      vertex: { message: `Invalid value at '{at}' (type.googleapis.com/google.cloud.aiplatform.v1.Type), "{value}"` },
    },
    sources: [DEFINITION],
  },
  {
    rule: 'gemini.schema-items',
    phase: 'shape',
    confidence: 'reported',
    condition: 'An array without items.',
    message: '* GenerateContentRequest.{at}.items: missing field.',
    sources: [DEFINITION],
  },
  {
    rule: 'gemini.schema-enum',
    phase: 'shape',
    confidence: 'reported',
    condition: 'An enum of another type than STRING.',
    message: '* GenerateContentRequest.{at}.enum: only allowed for STRING type',
    sources: [DEFINITION],
  },
  {
    rule: 'gemini.function-name',
    phase: 'shape',
    confidence: 'documented',
    condition:
      'The name of a function does not begin with a letter or an underscore, has other characters, or more than 128.',
    message:
      '* GenerateContentRequest.{at}.name: Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.',
    sources: [DEFINITION],
  },
  {
    rule: 'gemini.function-duplicate',
    phase: 'shape',
    confidence: 'reported',
    condition: 'Two functions have the same name.',
    message: 'Duplicate function declaration found: {name}',
    sources: [CALLING],
  },
  {
    rule: 'gemini.parts-empty',
    phase: 'shape',
    confidence: 'reported',
    condition: 'A content without parts, or a part without members.',
    message: '* GenerateContentRequest.{at}.parts: contents.parts must not be empty.',
    sources: [DEFINITION],
  },
  {
    rule: 'gemini.stop-max',
    phase: 'shape',
    confidence: 'documented',
    condition: 'More than 5 stop sequences.',
    message: '* GenerateContentRequest.generation_config.stop_sequences: at most 5 are allowed',
    wording: 'assumed',
    sources: [DEFINITION],
  },
  {
    rule: 'gemini.json-tools',
    phase: 'model',
    confidence: 'reported',
    condition: 'Functions with a reply as JSON, for models before Gemini 3.',
    message: "Function calling with a response mime type: 'application/json' is unsupported",
    sources: [CALLING],
  },
  {
    rule: 'gemini.role',
    phase: 'conversation',
    confidence: 'reported',
    condition: 'A role other than user, model and function; on Vertex AI also no role.',
    message: 'Please use a valid role: user, model.',
    sources: [DEFINITION],
  },
  {
    rule: 'gemini.call-turn',
    phase: 'conversation',
    confidence: 'reported',
    condition: 'A function call with which the conversation begins. Consecutive contents of the model are one.',
    message:
      'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
    sources: [CALLING],
  },
  {
    rule: 'gemini.response-turn',
    phase: 'conversation',
    confidence: 'reported',
    condition: 'A function response that does not follow a call, or a call that is followed by something else.',
    message: 'Please ensure that function response turn comes immediately after a function call turn.',
    sources: [CALLING],
  },
  {
    rule: 'gemini.response-count',
    phase: 'conversation',
    confidence: 'reported',
    condition: 'Another number of function responses than of calls.',
    message:
      'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
    sources: [CALLING],
  },
  {
    rule: 'gemini.signature-missing',
    phase: 'conversation',
    confidence: 'reported',
    condition: 'In the current turn with Gemini 3, a call without a thought signature.',
    message:
      'Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call `default_api:{name}` , position {position}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.',
    forms: {
      vertex: {
        message:
          'Unable to submit request because function call `default_api:{name}` in the {position}. content block is missing a `thought_signature`.',
      },
    },
    sources: [SIGNATURES, report('simonw/llm-gemini#119'), report('nanbingxyz/5ire#405')],
  },
  {
    rule: 'gemini.signature-base64',
    phase: 'conversation',
    confidence: 'reported',
    condition: 'A thought signature that is not base64.',
    message: `Invalid value at '{at}.thought_signature' (TYPE_BYTES), Base64 decoding failed for "{value}"`,
    sources: [DEFINITION],
  },
  {
    rule: 'gemini.signature',
    phase: 'conversation',
    confidence: 'reported',
    condition: 'With Gemini 3, a thought signature that was not issued by this server.',
    message: 'Corrupted thought signature.',
    sources: [SIGNATURES],
  },
]
