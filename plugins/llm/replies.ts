/** Schemas of the responses, for the OpenAPI document. */
import { ANY, BOOLEAN, INTEGER, jsonReply, list, NUMBER, nullable, object, RECORD, TEXT, textReply } from 'svc/toolkit'

export const AI = jsonReply(
  object({
    providers: list(
      object({
        id: TEXT,
        format: TEXT,
        title: TEXT,
        base_path: TEXT,
        sdk_base_url: TEXT,
        credentials: list(TEXT),
        models: list(TEXT),
        routes: list(object({ method: TEXT, path: TEXT })),
      }),
    ),
    modes: list(TEXT),
    fail_kinds: list(TEXT),
    headers: list(TEXT),
  }),
  'LlmAi',
)

export const AI_REQUESTS = jsonReply(
  object({
    count: INTEGER,
    requests: list(
      object({
        request_id: TEXT,
        timestamp: TEXT,
        provider: TEXT,
        endpoint: TEXT,
        model: nullable(TEXT),
        mode: nullable(TEXT),
        stream: BOOLEAN,
        status: INTEGER,
        prompt_tokens: INTEGER,
        completion_tokens: INTEGER,
        finish_reason: nullable(TEXT),
        fault: ANY,
        rule: ANY,
        violations: list(TEXT),
      }),
    ),
  }),
  'LlmAiRequests',
)

const RULE = object(
  {
    rule: TEXT,
    flavours: list(TEXT),
    phase: TEXT,
    confidence: TEXT,
    status: INTEGER,
    error: RECORD,
    wording: TEXT,
    sources: list(),
  },
  { condition: TEXT, message: TEXT, forms: ANY },
)

export const AI_VALIDATION = jsonReply(
  object({
    level: TEXT,
    levels: list(TEXT),
    flavours: list(
      object({ flavour: TEXT, routes: list(object({ method: TEXT, path: TEXT })), providers: list(TEXT) }),
    ),
    classes: ANY,
    lists: list(ANY),
    rules: list(RULE),
  }),
  'LlmAiValidation',
)

export const AI_VALIDATION_RULE = jsonReply(RULE, 'LlmAiValidationRule')

export const AI_LIMITS = jsonReply(object({ buckets: list() }), 'LlmAiLimits')

export const AI_PROFILES = jsonReply(
  object({
    profiles: list(
      object({
        name: TEXT,
        source: TEXT,
        ttft: ANY,
        gap: ANY,
        prefill_ms_per_token: NUMBER,
        seed: TEXT,
        mean_ttft_ms: NUMBER,
        p50: INTEGER,
        p99: NUMBER,
      }),
    ),
  }),
  'LlmAiProfiles',
)

export const AI_PROFILES_DRAWS = jsonReply(
  object({
    name: TEXT,
    what: TEXT,
    n: INTEGER,
    draws: list(NUMBER),
    mean: NUMBER,
    sd: NUMBER,
    p50: NUMBER,
    p90: NUMBER,
    p99: NUMBER,
    min: NUMBER,
    max: NUMBER,
  }),
  'LlmAiProfilesDraws',
)

export const AI_USAGE = jsonReply(
  object({
    from: TEXT,
    to: TEXT,
    group: list(TEXT),
    currency: TEXT,
    open_streams: INTEGER,
    dropped: INTEGER,
    totals: object({
      requests: INTEGER,
      ok: INTEGER,
      errors: INTEGER,
      limited: INTEGER,
      faults: INTEGER,
      retries: INTEGER,
      streams: INTEGER,
      streams_cut: INTEGER,
      prompt_tokens: INTEGER,
      cached_tokens: INTEGER,
      cache_write_tokens: INTEGER,
      completion_tokens: INTEGER,
      reasoning_tokens: INTEGER,
      audio_input_tokens: INTEGER,
      audio_output_tokens: INTEGER,
      total_tokens: INTEGER,
      cost: ANY,
      unpriced: INTEGER,
    }),
    rows: list(
      object(
        {
          requests: INTEGER,
          ok: INTEGER,
          errors: INTEGER,
          limited: INTEGER,
          faults: INTEGER,
          retries: INTEGER,
          streams: INTEGER,
          streams_cut: INTEGER,
          prompt_tokens: INTEGER,
          cached_tokens: INTEGER,
          cache_write_tokens: INTEGER,
          completion_tokens: INTEGER,
          reasoning_tokens: INTEGER,
          audio_input_tokens: INTEGER,
          audio_output_tokens: INTEGER,
          total_tokens: INTEGER,
          cost: ANY,
          unpriced: INTEGER,
        },
        { provider: TEXT, model: nullable(TEXT), session: TEXT },
      ),
    ),
  }),
  'LlmAiUsage',
)

export const AI_USAGE_CSV = textReply('text/csv')

export const AI_USAGE_CALLS = jsonReply(
  object({
    count: INTEGER,
    calls: list(
      object({
        id: TEXT,
        request_id: TEXT,
        attempt: INTEGER,
        duration_ms: INTEGER,
        provider: TEXT,
        model: nullable(TEXT),
        op: TEXT,
        endpoint: TEXT,
        session: TEXT,
        key: TEXT,
        key_id: TEXT,
        status: INTEGER,
        stream: BOOLEAN,
        limited: ANY,
        fault: ANY,
        cut: ANY,
        ttft_ms: nullable(INTEGER),
        queue_ms: INTEGER,
        prompt_tokens: INTEGER,
        cached_tokens: INTEGER,
        cache_write_tokens: INTEGER,
        completion_tokens: INTEGER,
        reasoning_tokens: INTEGER,
        audio_input_tokens: INTEGER,
        audio_output_tokens: INTEGER,
        cost: ANY,
        batch: ANY,
        at: TEXT,
      }),
    ),
  }),
  'LlmAiUsageCalls',
)

export const AI_REQUEST = jsonReply(RECORD)
