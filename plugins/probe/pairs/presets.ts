/**
 * Where gateways of models have their wires by default. A preset only says where to try: what does not answer there is reported,
 * and never a finding.
 */
import type { Marks } from './llm-routes.ts'

export interface Preset {
  /** Paths by the key of the routes file; absent: the gateway has none, or one that its configuration decides. */
  bases: Readonly<Partial<Record<BaseKey, string>>>
  marks?: Marks
  costHeader?: string
  /** How it is known. */
  from: string
}

/** Keys of the routes file that are the base of wires. */
export const BASE_KEYS = ['openai', 'anthropic', 'gemini', 'bedrock', 'azure', 'cohere'] as const
export type BaseKey = (typeof BASE_KEYS)[number]

export const PRESETS: Readonly<Record<string, Preset>> = {
  litellm: {
    bases: { openai: '/v1', anthropic: '/', gemini: '/' },
    marks: 'cache_control',
    costHeader: 'x-litellm-response-cost',
    from: 'tried, 1.108',
  },
  'claude-code-router': { bases: { anthropic: '/' }, from: 'tried, 2.0' },
  portkey: { bases: { openai: '/v1', anthropic: '/' }, from: 'documentation' },
  bifrost: {
    bases: { openai: '/openai/v1', anthropic: '/anthropic', gemini: '/genai', bedrock: '/bedrock' },
    from: 'documentation',
  },
  'envoy-ai-gateway': { bases: { openai: '/v1', anthropic: '/anthropic', cohere: '/cohere' }, from: 'source, 1.1' },
  agentgateway: { bases: { openai: '/v1', anthropic: '/', gemini: '/' }, from: 'source' },
  apisix: { bases: { openai: '/v1', anthropic: '/', bedrock: '/' }, from: 'source' },
  kong: { bases: {}, from: 'source' },
  openrouter: { bases: { openai: '/api/v1', anthropic: '/api' }, from: 'documentation' },
  'new-api': { bases: { openai: '/v1', anthropic: '/', gemini: '/' }, from: 'documentation' },
}
