/** The `svc_llm_*` series: requests, tokens, faults, by provider and family of models. */
import { memoize, type SvcMetrics } from 'svc/plugin'

/** Names looked for in a model's id, first hit wins, with the family they stand for. */
const families: readonly (readonly [name: string, family: string])[] = [
  ...['gpt-4o', 'gpt-4.1', 'gpt-4', 'gpt-5', 'gpt-6', 'gpt-3.5', 'gpt-oss'].map(name => [name, name] as const),
  ...['claude', 'gemini', 'gemma', 'llama'].map(name => [name, name] as const),
  ['mixtral', 'mistral'],
  ['mistral', 'mistral'],
  ...['command', 'titan', 'nova', 'qwen', 'deepseek', 'phi', 'rerank'].map(name => [name, name] as const),
  ['embed', 'embedding'],
]
/** The o-series is told by its prefix alone, and comes after the GPT names. */
const gptNames = 7

/** The family of a model: a bounded label in place of the raw name. */
export function modelFamily(model: string): string {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase()
  const found = families.findIndex(([part]) => name.includes(part))
  if (found >= 0 && found < gptNames) return families[found]?.[1] ?? 'other'
  if (/^o[134]/.test(name)) return 'o-series'
  return families[found]?.[1] ?? 'other'
}

export interface LlmMetrics {
  served(provider: string, model: string, streaming: boolean, prompt: number, completion: number): void
  fault(provider: string, kind: string): void
}

const maxFurtherProviders = 20

/** Those that always have their own label, since the metric's reference names them. */
const builtIn = ['openai', 'azure', 'anthropic', 'gemini', 'bedrock', 'ollama', 'cohere']

/** Counts for the built-in providers and at most 20 more; those beyond count as `other`. */
export function createMetrics(metrics: SvcMetrics): LlmMetrics {
  const requests = metrics.counter('svc_llm_requests_total', 'Requests that the mock LLM answered', [
    'provider',
    'model_family',
    'streaming',
  ])
  const tokens = metrics.counter('svc_llm_tokens_total', 'Tokens of those requests', [
    'provider',
    'model_family',
    'direction',
  ])
  const faults = metrics.counter('svc_llm_faults_total', 'Faults that the mock LLM injected', ['provider', 'kind'])
  const known = new Set(builtIn)
  const label = (provider: string): string => {
    if (known.has(provider)) return provider
    if (known.size >= builtIn.length + maxFurtherProviders) return 'other'
    known.add(provider)
    return provider
  }
  const familyOf = memoize(rememberedModels, modelFamily)
  return {
    served(providerName, model, streaming, prompt, completion) {
      const provider = label(providerName)
      const model_family = familyOf(model)
      requests.inc({ provider, model_family, streaming: streaming ? 'true' : 'false' })
      tokens.inc({ provider, model_family, direction: 'input' }, prompt)
      tokens.inc({ provider, model_family, direction: 'output' }, completion)
    },
    fault: (provider, kind) => faults.inc({ provider: label(provider), kind }),
  }
}

/** Names of models are few, and searching them is felt. */
const rememberedModels = 100
