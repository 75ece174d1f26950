/** The section `llm` of svc.yaml: named providers. */
import type { JsonSchema } from 'svc/plugin'
import type { RuleReply } from '../engine/rules.ts'
import type { Mode } from '../neutral.ts'

export interface LlmOptions {
  providers: NamedProvider[]
}

/** A provider that serves an existing format under another name. */
export interface NamedProvider {
  name: string
  format: string
  title?: string
  models?: (string | { id: string; mode?: Mode; owned_by?: string })[]
  strict_models?: boolean
  mode?: Mode
  reply?: string
  rules?: NamedRule[]
  latency?: { latency_ms?: number; ttft_ms?: number; tokens_per_second?: number; jitter_percent?: number }
  fail?: string
  require_auth?: boolean
  api_key?: string
}

export interface NamedRule {
  match: { contains?: string | string[]; regex?: string; model?: string; system?: string }
  reply: RuleReply
}

const text: JsonSchema = { type: 'string', minLength: 1, maxLength: 4096 }
const mode: JsonSchema = { enum: ['canned', 'echo', 'scripted', 'random'] }
const shortText: JsonSchema = { type: 'string', minLength: 1, maxLength: 200 }
const replyText: JsonSchema = { type: 'string', maxLength: 262_144 }

function object(properties: Record<string, JsonSchema>, required: string[] = []): JsonSchema {
  return { type: 'object', properties, required, additionalProperties: false }
}

const match = object({
  contains: { anyOf: [text, { type: 'array', items: text, minItems: 1, maxItems: 100 }] },
  regex: { type: 'string', minLength: 1, maxLength: 1000 },
  model: shortText,
  system: text,
})
const reply: JsonSchema = {
  anyOf: [
    object({ text: replyText, finish: { enum: ['stop', 'length', 'content_filter'] } }, ['text']),
    object({ tool: shortText, args: { type: 'object' } }, ['tool']),
    object({ fail: shortText }, ['fail']),
  ],
}
const whole = (maximum: number): JsonSchema => ({ type: 'integer', minimum: 0, maximum })

export const optionsSchema: JsonSchema = object({
  providers: {
    type: 'array',
    default: [],
    maxItems: 20,
    items: object(
      {
        name: { type: 'string', pattern: '^[a-z][a-z0-9-]{0,31}$', not: { enum: ['v1', 'requests'] } },
        format: shortText,
        title: shortText,
        models: {
          type: 'array',
          maxItems: 100,
          items: { anyOf: [shortText, object({ id: shortText, mode, owned_by: shortText }, ['id'])] },
        },
        strict_models: { type: 'boolean' },
        mode,
        reply: replyText,
        rules: { type: 'array', maxItems: 200, items: object({ match, reply }, ['match', 'reply']) },
        latency: object({
          latency_ms: whole(30_000),
          ttft_ms: whole(30_000),
          tokens_per_second: whole(100_000),
          jitter_percent: whole(100),
        }),
        fail: shortText,
        require_auth: { type: 'boolean' },
        api_key: text,
      },
      ['name', 'format'],
    ),
  },
})
