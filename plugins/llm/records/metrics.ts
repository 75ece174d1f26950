/** The `svc_llm_*` metrics: requests, tokens and faults by provider and model family. */
import { type SvcMetrics } from 'svc/plugin'
import { memoize } from 'svc/toolkit'
import { idsOf, type CallValidation } from '../validation/violations.ts'

/** Names to search for in a model id, with their family; the first match wins. */
const families: readonly (readonly [name: string, family: string])[] = [
  ...['gpt-4o', 'gpt-4.1', 'gpt-4', 'gpt-5', 'gpt-6', 'gpt-3.5', 'gpt-oss'].map(name => [name, name] as const),
  ...['claude', 'gemini', 'gemma', 'llama'].map(name => [name, name] as const),
  ['mixtral', 'mistral'],
  ['mistral', 'mistral'],
  ...['command', 'titan', 'nova', 'qwen', 'deepseek', 'phi', 'rerank'].map(name => [name, name] as const),
  ['embed', 'embedding'],
]
/** The o-series is identified by its prefix, and checked after the GPT names. */
const gptNames = 7

/** The family of a model: a label with few values, unlike the model name. */
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
  /** Violations of a request, and the one that it was refused for. */
  violated(validation: CallValidation): void
}

const maxFurtherProviders = 20

/** These providers always have their own label. */
const builtIn = ['openai', 'azure', 'anthropic', 'gemini', 'bedrock', 'ollama', 'cohere']

const maxFurtherRules = 50

/** The rules with these prefixes always have their own label. */
const builtInRules = new Set([
  'openai',
  'responses',
  'anthropic',
  'vertex',
  'invoke',
  'converse',
  'gemini',
  'live',
  'cohere',
  'ollama',
])

/** Counts the built-in providers and rules, and some more of both, separately; the rest counts as `other`. */
export function createMetrics(metrics: SvcMetrics): LlmMetrics {
  const requests = metrics.counter('svc_llm_requests_total', 'Requests served by the mock LLM', [
    'provider',
    'model_family',
    'streaming',
  ])
  const tokens = metrics.counter('svc_llm_tokens_total', 'Tokens of requests served by the mock LLM', [
    'provider',
    'model_family',
    'direction',
  ])
  const faults = metrics.counter('svc_llm_faults_total', 'Faults injected by the mock LLM', ['provider', 'kind'])
  const violations = metrics.counter('svc_llm_violations_total', 'Requests that violate a rule of the vendor', ['rule'])
  const refused = metrics.counter('svc_llm_refused_total', 'Requests refused for violating a rule of the vendor', [
    'rule',
  ])
  const known = new Set(builtIn)
  const label = (provider: string): string => {
    if (known.has(provider)) return provider
    if (known.size >= builtIn.length + maxFurtherProviders) return 'other'
    known.add(provider)
    return provider
  }
  const furtherRules = new Set<string>()
  const ruleLabel = (rule: string): string => {
    if (builtInRules.has(rule.slice(0, rule.indexOf('.'))) || furtherRules.has(rule)) return rule
    if (furtherRules.size >= maxFurtherRules) return 'other'
    furtherRules.add(rule)
    return rule
  }
  const familyOf = memoize(MEMOIZED_MODELS, modelFamily)
  return {
    served(providerName, model, streaming, prompt, completion) {
      const provider = label(providerName)
      const model_family = familyOf(model)
      requests.inc({ provider, model_family, streaming: streaming ? 'true' : 'false' })
      tokens.inc({ provider, model_family, direction: 'input' }, prompt)
      tokens.inc({ provider, model_family, direction: 'output' }, completion)
    },
    fault: (provider, kind) => faults.inc({ provider: label(provider), kind }),
    violated({ violations: found, refused: first }) {
      for (const rule of idsOf(found)) violations.inc({ rule: ruleLabel(rule) })
      if (first !== null) refused.inc({ rule: ruleLabel(first.rule.rule) })
    },
  }
}

/** Memoized, since there are few model names and the search takes measurable time. */
export const MEMOIZED_MODELS = 100
