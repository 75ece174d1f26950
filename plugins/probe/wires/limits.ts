/** What each wire has no word for. */
import type { ReplyLimit, RequestLimit, WireLimits } from './types.ts'

function limits(
  request: readonly RequestLimit[],
  reply: readonly ReplyLimit[],
  schemaKeywords: readonly string[] | null = null,
  refusedInFormats: readonly string[] = [],
): WireLimits {
  return {
    request: new Set(request),
    reply: new Set(reply),
    schemaKeywords: schemaKeywords === null ? null : new Set(schemaKeywords),
    refusedInFormats: new Set(refusedInFormats),
  }
}

/** Keywords that `parameters` of a Gemini function takes; `parametersJsonSchema` takes all. */
const GEMINI_KEYWORDS = [
  'type',
  'format',
  'title',
  'description',
  'nullable',
  'enum',
  'items',
  'maxItems',
  'minItems',
  'properties',
  'required',
  'minProperties',
  'maxProperties',
  'minLength',
  'maxLength',
  'pattern',
  'example',
  'anyOf',
  'propertyOrdering',
  'default',
  'minimum',
  'maximum',
]

/** What Anthropic's structured outputs do not take: SDKs tell it in the description. */
const CLAUDE_REFUSED = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'uniqueItems',
]

const CHAT_REQUEST: readonly RequestLimit[] = [
  'thinking',
  'signatures',
  'redacted',
  'mark-lifetimes',
  'top-k',
  'error-flag',
  'result-image',
  'vendor-tools',
  'namespaces',
]
const CHAT_REPLY: readonly ReplyLimit[] = [
  'thinking',
  'signatures',
  'redacted',
  'order',
  'stop-sequence',
  'stop-sequence-reason',
  'write-1h',
]

export const CHAT_LIMITS = limits(CHAT_REQUEST, CHAT_REPLY)

export const RESPONSES_LIMITS = limits(
  ['stop', 'seed', 'penalties', 'top-k', 'mark-lifetimes', 'error-flag'],
  ['stop-sequence', 'stop-sequence-reason', 'write-1h'],
)

export const MESSAGES_LIMITS = limits(
  ['seed', 'penalties', 'format-name', 'late-system', 'vendor-tools', 'namespaces'],
  ['filter'],
  null,
  CLAUDE_REFUSED,
)

export const GEMINI_LIMITS = limits(
  [
    'marks',
    'mark-lifetimes',
    'parallel-off',
    'file-name',
    'user',
    'redacted',
    'format-name',
    'late-system',
    'vendor-tools',
    'namespaces',
  ],
  ['stop-sequence', 'stop-sequence-reason', 'write', 'write-1h', 'redacted', 'refusal'],
  GEMINI_KEYWORDS,
)

export const CONVERSE_LIMITS = limits(
  [
    'seed',
    'penalties',
    'image-url',
    'parallel-off',
    'choice-none',
    'user',
    'late-system',
    'vendor-tools',
    'namespaces',
  ],
  ['reasoning', 'stop-sequence', 'refusal', 'identity'],
  null,
  CLAUDE_REFUSED,
)

export const COHERE_LIMITS = limits(
  [
    'signatures',
    'redacted',
    'marks',
    'mark-lifetimes',
    'error-flag',
    'choice-name',
    'files',
    'parallel-off',
    'result-image',
    'format-name',
    'user',
    'vendor-tools',
    'namespaces',
  ],
  [
    'signatures',
    'redacted',
    'order',
    'write',
    'write-1h',
    'stop-sequence',
    'refusal',
    'reasoning',
    'cached',
    'identity',
  ],
)
