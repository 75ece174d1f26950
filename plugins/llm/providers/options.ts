/** The section `llm` of svc.yaml: named providers. */
import type { HttpListenerEntry, Json, JsonSchema } from 'svc/plugin'
import { HOST_SCHEMA, HTTP_LISTENER_PROPERTIES } from 'svc/toolkit'
import type { FakeGauge } from '../inference/fake-gauge.ts'
import type { Gauge } from '../inference/stated-load.ts'
import { TOKENIZERS, type TokenizerName } from '../tokenizers/tokenizers.ts'
import type { CapacitySettings } from '../capacity/slots.ts'
import type { Rule } from '../engine/rules.ts'
import { REASONING_MEMBERS, type Mode, type ReasoningMember } from '../contract/neutral.ts'
import type { Limits } from '../limits/bucket.ts'
import { DIMENSIONS } from '../contract/limit-state.ts'
import type { LimitEntry } from '../limits/limiter.ts'
import { LEVELS, MAX_NAMES, type StrictnessOption } from '../validation/level.ts'
import type { Price } from '../usage/prices.ts'

export interface LlmOptions {
  fixtures: string | string[]
  strict_fixtures: boolean
  validation?: StrictnessOption
  /** Default: `SVC_AI_DIRECTIVES`. */
  directives?: boolean
  providers: NamedProvider[]
  /** Currency of the prices. */
  currency: string
  batch_lines: number
  socket_lifetime_ms: number
  prices: Price[]
  limits: LimitEntry[]
  /** Latency profiles by name; `readProfile` reads them. */
  profiles: Record<string, Json>
  /** Hosts that are served whole; `vendors` stands for those of the vendors. */
  hosts: 'vendors' | (HostOption | 'vendors')[]
  /** Ports whose requests are all answered by a provider. */
  listeners: (HttpListenerEntry & { provider: string })[]
  /** Whether familiar paths are served at the root, or of which providers. */
  root: boolean | string[]
  /** Settings of formats under their own name, by id. */
  builtin: Record<string, ProviderSettings>
}

export interface HostOption {
  host: string
  /** Name of a provider. */
  provider: string
}

/** Settings of a named provider, and of a format under its own name. */
export interface ProviderSettings {
  stream_shape?: string
  limits?: Limits
  context_window?: number
  cache?: boolean | CacheOption
  profile?: string
  tokenizer?: TokenizerName
  capacity?: CapacityOption
  metrics?: 'vllm' | { format: 'vllm'; fake?: Partial<Record<Gauge, FakeGauge>> }
  loras?: string[]
  sleep_mode?: boolean
  startup_ms?: number
  batch?: string
  store_responses?: boolean
  validation?: StrictnessOption
  reasoning_member?: ReasoningMember
}

export interface CapacityOption {
  slots: number
  queue?: number
  queue_timeout_ms?: number
  full?: CapacitySettings['full']
  load_factor?: number
  kv_tokens?: number
}

export interface CacheOption {
  block?: number
  tokens?: number
  ttl_ms?: number
  scope?: 'session' | 'instance'
  min_tokens?: number
}

export interface ModelOption {
  id: string
  mode?: Mode
  owned_by?: string
  context_window?: number
  max_output_tokens?: number
  tokenizer?: TokenizerName
}

/** A provider that serves an existing format under another name. */
export interface NamedProvider extends ProviderSettings {
  name: string
  format: string
  title?: string
  models?: (string | ModelOption)[]
  strict_models?: boolean
  mode?: Mode
  reply?: string
  rules?: Rule[]
  latency?: { latency_ms?: number; ttft_ms?: number; tokens_per_second?: number; jitter_percent?: number }
  fail?: string
  require_auth?: boolean
  api_key?: string
}

const text: JsonSchema = { type: 'string', minLength: 1, maxLength: 4096 }
const mode: JsonSchema = { enum: ['canned', 'echo', 'scripted', 'random'] }
const shortText: JsonSchema = { type: 'string', minLength: 1, maxLength: 200 }
const replyText: JsonSchema = { type: 'string', maxLength: 262_144 }

function object(properties: Record<string, JsonSchema>, required: string[] = []): JsonSchema {
  return { type: 'object', properties, required, additionalProperties: false }
}

const match = object({
  llm: { description: 'Conditions as in rules of the instance: user, model, system, tool, turn, …', type: 'object' },
  contains: {
    description: 'Text in the last user message, in any case; of a list, any item',
    anyOf: [text, { type: 'array', items: text, minItems: 1, maxItems: 100 }],
  },
  regex: {
    description: 'JavaScript regular expression for the last user message',
    type: 'string',
    minLength: 1,
    maxLength: 1000,
  },
  model: { ...shortText, description: 'Model name, or a prefix followed by *' },
  system: { ...text, description: 'Text in the system prompt' },
})
const reply: JsonSchema = {
  anyOf: [
    object({ text: replyText, finish: { enum: ['stop', 'length', 'content_filter'] }, template: { type: 'boolean' } }, [
      'text',
    ]),
    object({ tool: shortText, args: { type: 'object' } }, ['tool']),
    object({ fail: shortText }, ['fail']),
  ],
}
const step: JsonSchema = {
  description: 'A step with reply (text, or tool_calls with one call) or fail, as in rules of the instance',
  type: 'object',
}
const whole = (maximum: number): JsonSchema => ({ type: 'integer', minimum: 0, maximum })

const filePath: JsonSchema = { type: 'string', minLength: 1, maxLength: 4096 }
const price: JsonSchema = { type: 'number', minimum: 0, maximum: 1_000_000 }

const dimensions: Record<string, JsonSchema> = Object.fromEntries(
  DIMENSIONS.map(name => [name, { type: 'integer', minimum: 1, maximum: 1_000_000_000 }]),
)

const tokens: JsonSchema = { type: 'integer', minimum: 1, maximum: 1_000_000_000 }

const tokenizer: JsonSchema = {
  enum: TOKENIZERS,
  description: 'Counts and splits texts; default rule. The others need the package gpt-tokenizer',
}

/** A number, or a function of the clock with values up to a maximum. */
function fakeGauge(maximum: number): JsonSchema {
  const value: JsonSchema = { type: 'number', minimum: 0, maximum }
  const pair: JsonSchema = { type: 'array', items: value, minItems: 2, maxItems: 2 }
  const clock: Record<string, JsonSchema> = {
    period_s: { type: 'number', minimum: 0.1, maximum: 86_400 },
    phase_s: { type: 'number', minimum: -86_400, maximum: 86_400 },
  }
  const duty: JsonSchema = { type: 'number', minimum: 0, maximum: 1 }
  return {
    anyOf: [
      value,
      object({ ramp: pair, ...clock }, ['ramp', 'period_s']),
      object({ square: pair, duty, ...clock }, ['square', 'period_s']),
      object({ oscillate: pair, ...clock }, ['oscillate', 'period_s']),
    ],
  }
}

const names: JsonSchema = {
  type: 'array',
  maxItems: MAX_NAMES,
  items: { type: 'string', minLength: 1, maxLength: 100 },
}
const strictness: Record<string, JsonSchema> = {
  level: { enum: LEVELS },
  except: { ...names, description: 'Rules that are not applied; a name may end in *' },
  also: { ...names, description: 'Rules that are not confirmed, and refuse nevertheless' },
}

/** A level, or an object with it. */
function validation(more: Record<string, JsonSchema>): JsonSchema {
  return {
    description: 'What happens to requests that the vendor would refuse: off, warn or enforce',
    anyOf: [{ enum: LEVELS }, { ...object({ ...strictness, ...more }), minProperties: 1 }],
  }
}

/** Settings of a named provider, and of a format under its own name. */
const settings: Record<string, JsonSchema> = {
  stream_shape: {
    description: 'Shape of streams, in the syntax of X-Svc-Stream-Shape',
    type: 'string',
    minLength: 1,
    maxLength: 500,
  },
  limits: { ...object(dimensions), description: 'Rate limits of this provider', minProperties: 1 },
  tokenizer,
  metrics: {
    description: 'Metrics of an inference engine at /ai/<name>/metrics, in the names of vLLM',
    anyOf: [
      { enum: ['vllm'] },
      object(
        {
          format: { enum: ['vllm'] },
          fake: {
            ...object({ running: fakeGauge(1_000_000), waiting: fakeGauge(1_000_000), kv_usage: fakeGauge(1) }),
            description: 'Replaces gauges by functions of the clock',
          },
        },
        ['format'],
      ),
    ],
  },
  loras: {
    description: 'Names of adapters, for metrics: models that are served as the default model',
    type: 'array',
    maxItems: 20,
    items: shortText,
  },
  sleep_mode: { description: 'POST /ai/<name>/sleep has an effect, with metrics', type: 'boolean' },
  startup_ms: {
    ...whole(600_000),
    description: 'Milliseconds after the start of the process for which GET /ai/<name>/health/ready is 503; default 0',
  },
  profile: { ...shortText, description: 'Latency profile of its generations: a name, or the syntax of X-Svc-Profile' },
  capacity: {
    ...object(
      {
        slots: { type: 'integer', minimum: 1, maximum: 10_000, description: 'Generations that run at once' },
        queue: { ...whole(10_000), description: 'Generations that wait; others are refused. Default 0' },
        queue_timeout_ms: { ...whole(600_000), description: 'Less than the request timeout. Default 30000, or less' },
        full: {
          enum: ['overloaded', 'unavailable', 'rate_limit'],
          description: 'Error of a refusal; default overloaded',
        },
        load_factor: {
          type: 'number',
          minimum: 1,
          maximum: 1000,
          description: 'How much slower a generation is when all slots are in use; default 1',
        },
        kv_tokens: {
          ...tokens,
          description: 'Tokens of running generations and of the cache, for metrics; default 65536',
        },
      },
      ['slots'],
    ),
    description: 'Generations at once, and the queue',
  },
  context_window: {
    ...tokens,
    description: 'Maximum number of tokens of prompt and reply, for models without their own',
  },
  cache: {
    description: 'Automatic prompt cache; true: with the defaults',
    anyOf: [
      { type: 'boolean' },
      object({
        block: { type: 'integer', minimum: 1, maximum: 1024, description: 'Tokens of a block; default 16' },
        tokens: { type: 'integer', minimum: 16, maximum: 1_048_576, description: 'Capacity; default 65536' },
        ttl_ms: { type: 'integer', minimum: 1, maximum: 86_400_000, description: 'Since the last use; default 300000' },
        scope: { enum: ['session', 'instance'], description: 'Who shares it; default session' },
        min_tokens: { type: 'integer', minimum: 0, maximum: 1_000_000, description: 'Default 1024' },
      }),
    ],
  },
  batch: {
    ...shortText,
    description: 'Plan of batches if the request names none, in the syntax of X-Svc-Batch; default 1s',
  },
  reasoning_member: {
    enum: REASONING_MEMBERS,
    description: 'Chat completions have the reasoning in this member of the message, as servers of open models do',
  },
  store_responses: {
    description: 'false: responses, conversations and interactions are not stored, as at a provider without state',
    type: 'boolean',
  },
  validation: validation({
    fields: { ...names, description: 'Members that the provider takes in addition, anywhere in the body' },
  }),
}

export const optionsSchema: JsonSchema = object({
  fixtures: {
    description: 'Files or folders with rules, relative to this file; fixture files of aimock too',
    anyOf: [filePath, { type: 'array', items: filePath, maxItems: 100 }],
    default: [],
  },
  strict_fixtures: {
    description: 'A text generation on which no rule acts gets 404; X-Svc-Strict-Fixtures overrides it',
    type: 'boolean',
    default: false,
  },
  validation: validation({}),
  directives: {
    description: 'Whether a line [svc …] of a prompt says how it is answered; default: SVC_AI_DIRECTIVES',
    type: 'boolean',
  },
  batch_lines: {
    description: 'Maximum number of requests in a batch',
    type: 'integer',
    minimum: 1,
    maximum: 10_000,
    default: 1000,
  },
  socket_lifetime_ms: {
    description: 'How long a WebSocket of a provider lasts, in milliseconds; at most 10 minutes in public mode',
    type: 'integer',
    minimum: 1000,
    maximum: 3_600_000,
    default: 3_600_000,
  },
  currency: {
    description: 'Currency of the prices, as `/ai/usage` shows it',
    type: 'string',
    pattern: '^[A-Z]{3}$',
    default: 'USD',
  },
  prices: {
    description: 'Prices per million tokens; the first that matches a call applies',
    type: 'array',
    default: [],
    maxItems: 200,
    items: object(
      {
        model: { ...shortText, description: 'Model name, or a prefix followed by *; default: all' },
        provider: { ...shortText, description: 'Name or format of a provider; default: all' },
        input: price,
        output: price,
        cached: { ...price, description: 'Prompt tokens read from a cache; default: input' },
        cache_write: { ...price, description: 'Prompt tokens written to a cache; default: input' },
        audio_input: { ...price, description: 'Default: input' },
        audio_output: { ...price, description: 'Default: output' },
        batch_factor: { type: 'number', minimum: 0, maximum: 1, description: 'For items of a batch; default 0.5' },
      },
      ['input', 'output'],
    ),
  },
  limits: {
    description: 'Rate limits; the first entry that matches a request applies',
    type: 'array',
    default: [],
    maxItems: 200,
    items: {
      ...object({
        model: { ...shortText, description: 'Model name, or a prefix followed by *; default: all' },
        provider: { ...shortText, description: 'Name or format of a provider; default: all' },
        key: {
          ...text,
          description: 'A credential, or * followed by its last characters; default: all',
          'x-svc-secret': true,
        },
        per: { description: 'What has a bucket of its own', enum: ['key', 'model', 'both', 'all'] },
        ...dimensions,
      }),
      anyOf: DIMENSIONS.map(name => ({ required: [name] })),
    },
  },
  profiles: {
    description: 'Latency profiles by name, in addition to instant, fast, typical, slow and thinking',
    type: 'object',
    default: {},
    maxProperties: 50,
    additionalProperties: object({
      ttft: { description: 'Time to the first token: milliseconds or a distribution' },
      gap: { description: 'Gap between tokens: milliseconds or a distribution' },
      prefill_ms_per_token: { type: 'number', minimum: 0, maximum: 10_000, description: 'For uncached prompt tokens' },
      seed: { anyOf: [shortText, { type: 'number' }], description: 'Default: the request alone; random: by chance' },
    }),
  },
  // Lists of types, and not `anyOf`, so that only a wrong item is left out.
  root: {
    description:
      'Serves the paths of the vendors at the root, such as /v1/chat/completions, where nothing else is: true, false, or names of providers',
    type: ['boolean', 'array'],
    items: shortText,
    maxItems: 50,
    default: true,
  },
  hosts: {
    description: "Hosts whose requests are all answered by a provider; vendors: the vendors' own hosts",
    type: ['array', 'string'],
    pattern: '^vendors$',
    maxItems: 100,
    items: {
      type: ['object', 'string'],
      pattern: '^vendors$',
      properties: {
        host: HOST_SCHEMA,
        provider: { ...shortText, description: 'Name of a provider, such as openai' },
      },
      required: ['host', 'provider'],
      additionalProperties: false,
    },
    default: [],
  },
  listeners: {
    description: 'Ports whose requests are all answered by a provider',
    type: 'array',
    maxItems: 64,
    default: [],
    items: object(
      { ...HTTP_LISTENER_PROPERTIES, provider: { ...shortText, description: 'Name of a provider, such as ollama' } },
      ['port', 'provider'],
    ),
  },
  builtin: {
    description: 'Settings of formats under their own name, such as openai',
    type: 'object',
    default: {},
    maxProperties: 50,
    additionalProperties: object(settings),
  },
  providers: {
    description: 'Mock LLM providers with an existing wire format',
    type: 'array',
    default: [],
    maxItems: 20,
    items: object(
      {
        name: {
          description: 'Served at /ai/<name>',
          type: 'string',
          pattern: '^[a-z][a-z0-9-]{0,31}$',
          not: { enum: ['v1', 'requests', 'usage', 'profiles', 'limits', 'validation'] },
        },
        format: { ...shortText, description: 'Wire format, such as openai or anthropic' },
        title: { ...shortText, description: 'Default: the name' },
        models: {
          description: 'Default: the models of the format',
          type: 'array',
          maxItems: 100,
          items: {
            anyOf: [
              shortText,
              object(
                {
                  id: shortText,
                  mode,
                  owned_by: shortText,
                  context_window: tokens,
                  max_output_tokens: tokens,
                  tokenizer,
                },
                ['id'],
              ),
            ],
          },
        },
        strict_models: { description: 'Reject unknown models', type: 'boolean' },
        mode: { ...mode, description: 'Used if neither the request header nor the model sets a mode' },
        reply: { ...replyText, description: 'Replaces the canned texts; supports {{prompt}} and {{model}}' },
        rules: {
          description: 'Checked in order, before tools and canned texts; the first match provides the reply',
          type: 'array',
          maxItems: 200,
          items: object({ match, then: step, reply }, ['match']),
        },
        latency: object({
          latency_ms: whole(30_000),
          ttft_ms: whole(30_000),
          tokens_per_second: whole(100_000),
          jitter_percent: whole(100),
        }),
        fail: { ...shortText, description: 'Default fault, in the syntax of X-Svc-Fail' },
        ...settings,
        require_auth: { description: 'Reject requests without a credential', type: 'boolean' },
        api_key: { ...text, description: 'The only accepted credential', 'x-svc-secret': true },
      },
      ['name', 'format'],
    ),
  },
})
