/** The metrics of OpenTelemetry's semantic conventions for generative AI, by operation, provider and model family. */
import { type SvcMetrics } from 'svc/plugin'
import { memoize } from 'svc/toolkit'
import { MEMOIZED_MODELS, modelFamily } from '../records/metrics.ts'
import type { EndedCall } from '../usage/call.ts'
import type { LlmProvider } from '../contract/provider.ts'
import type { ProviderRoute } from '../contract/route.ts'
import { operationOf, providerNameOf } from './operation.ts'

/** Seconds, as the conventions advise. */
const DURATIONS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
const FIRST_TOKEN = [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
const PER_TOKEN = [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5]
/** Powers of 4. */
const TOKENS = Array.from({ length: 14 }, (_, power) => 4 ** power)

const LABELS = ['gen_ai_operation_name', 'gen_ai_provider_name', 'gen_ai_request_model']
const TOKEN_LABELS = [...LABELS, 'gen_ai_token_type']

type Series = Record<'duration' | 'firstToken' | 'perToken' | 'input' | 'output', { observe(value: number): void }>

export interface GenAiMetrics {
  ended(served: { route: ProviderRoute; instance: { format: LlmProvider } }, call: EndedCall): void
}

export function createGenAiMetrics(metrics: SvcMetrics): GenAiMetrics {
  const duration = metrics.histogram(
    'gen_ai_server_request_duration_seconds',
    'Time from arrival to the end of the response of generative AI requests',
    DURATIONS,
    LABELS,
  )
  const firstToken = metrics.histogram(
    'gen_ai_server_time_to_first_token_seconds',
    'Time to the first token of streams',
    FIRST_TOKEN,
    LABELS,
  )
  const perToken = metrics.histogram(
    'gen_ai_server_time_per_output_token_seconds',
    'Time for each token of streams after the first',
    PER_TOKEN,
    LABELS,
  )
  const tokens = metrics.histogram('gen_ai_client_token_usage', 'Tokens of prompts and replies', TOKENS, TOKEN_LABELS)
  const familyOf = memoize(MEMOIZED_MODELS, modelFamily)
  const seriesOf = (operation: string, provider: string, model: string): Series => {
    const labels = { gen_ai_operation_name: operation, gen_ai_provider_name: provider, gen_ai_request_model: model }
    return {
      duration: duration.labels(labels),
      firstToken: firstToken.labels(labels),
      perToken: perToken.labels(labels),
      input: tokens.labels({ ...labels, gen_ai_token_type: 'input' }),
      output: tokens.labels({ ...labels, gen_ai_token_type: 'output' }),
    }
  }
  /** By format, operation and model family; without a text as key, since this runs for every call. */
  const known = new WeakMap<LlmProvider, Map<string, Map<string, Series>>>()
  const find = (format: LlmProvider, operation: string, model: string): Series => {
    let ofFormat = known.get(format)
    if (ofFormat === undefined) known.set(format, (ofFormat = new Map()))
    let ofOperation = ofFormat.get(operation)
    if (ofOperation === undefined) ofFormat.set(operation, (ofOperation = new Map()))
    let series = ofOperation.get(model)
    if (series === undefined) ofOperation.set(model, (series = seriesOf(operation, providerNameOf(format), model)))
    return series
  }
  return {
    ended({ route, instance }, call) {
      const operation = operationOf(route)
      if (operation === null) return
      const series = find(instance.format, operation, familyOf(call.model ?? ''))
      // Nobody waits for an item of a batch.
      if (call.batch === null) series.duration.observe(call.duration_ms / 1000)
      if (call.ttft_ms !== null) {
        series.firstToken.observe(call.ttft_ms / 1000)
        if (call.completion_tokens > 1)
          series.perToken.observe(Math.max(0, call.duration_ms - call.ttft_ms) / 1000 / (call.completion_tokens - 1))
      }
      if (call.status >= 400) return
      series.input.observe(call.prompt_tokens)
      if (operation !== 'embeddings') series.output.observe(call.completion_tokens)
    },
  }
}
