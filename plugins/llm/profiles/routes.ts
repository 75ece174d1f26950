/** `GET /ai/profiles`, and the draws of a profile, to check it without waiting for it. */
import { describe, HttpError, readQuery, type FastifyInstance, type RouteDescription } from 'svc/plugin'
import { CATEGORY } from '../contract/category.ts'
import { drawer, drawSeed, meanOf, rounded, summarize } from './draws.ts'
import { RANDOM, type Profile } from './profile.ts'
import type { Profiles } from './profiles.ts'
import { AI_PROFILES, AI_PROFILES_DRAWS } from '../replies.ts'

const list: RouteDescription = {
  summary: 'Mock LLM: latency profiles',
  reply: AI_PROFILES,
  category: CATEGORY,
  responses: { 200: { description: 'The profiles, built-in ones first' } },
  examples: [{ name: 'All', path: '/ai/profiles', expectStatus: 200 }],
}

const MAX_DRAWS = 10_000
const MAX_TOKENS = 1_000_000_000
const number = (name: string, description: string, maximum: number, minimum = 0): object => ({
  name,
  in: 'query',
  description,
  schema: { type: 'integer', minimum, maximum },
})
const draws: RouteDescription = {
  summary: 'Mock LLM: draws of a latency profile',
  reply: AI_PROFILES_DRAWS,
  category: CATEGORY,
  path: '/ai/profiles/{name}/draws',
  parameters: [
    {
      name: 'name',
      in: 'path',
      required: true,
      description: 'Name of a profile, or an inline one such as `ttft=normal(300,50)`',
      schema: { type: 'string' },
    },
    {
      name: 'what',
      in: 'query',
      description: 'Time to the first token (default), or the gap between tokens',
      schema: { enum: ['ttft', 'gap'] },
    },
    number('n', 'Number of draws; default 100', MAX_DRAWS, 1),
    {
      name: 'seed',
      in: 'query',
      description: 'Default: that of the profile; `random`: by chance',
      schema: { type: 'string', maxLength: 200 },
    },
    number('prompt_tokens', 'For the prefill; default 0', MAX_TOKENS),
    number('cached_tokens', 'For the prefill; default 0', MAX_TOKENS),
  ] as NonNullable<RouteDescription['parameters']>,
  responses: {
    200: { description: 'The draws with their statistics, in milliseconds' },
    400: { description: '`invalid_profile`, or `invalid_parameter`' },
    404: { description: '`unknown_profile`' },
  },
  examples: [{ name: 'Ten draws', path: '/ai/profiles/typical/draws?n=10', expectStatus: 200 }],
}

export function registerProfileRoutes(app: FastifyInstance, profiles: Profiles): void {
  app.get('/ai/profiles', describe(list), (_request, reply) => reply.send({ profiles: profiles.list().map(show) }))

  app.get<{ Params: { name: string } }>('/ai/profiles/:name/draws', describe(draws), (request, reply) => {
    const query = readQuery(request)
    const profile = findProfile(profiles, request.params.name)
    const what = query.get('what') ?? 'ttft'
    if (what !== 'ttft' && what !== 'gap') throw wrongParameter('what', 'expected ttft or gap')
    const n = readNumber(query, 'n', 100, 1, MAX_DRAWS)
    const promptTokens = readNumber(query, 'prompt_tokens', 0, 0, MAX_TOKENS)
    const cachedTokens = readNumber(query, 'cached_tokens', 0, 0, MAX_TOKENS)
    const seed = query.get('seed')
    const prefill = what === 'ttft' ? profile.prefillMsPerToken * Math.max(0, promptTokens - cachedTokens) : 0
    const distribution = profile[what]?.distribution ?? { at: () => 0 }
    const draw = drawer(distribution, drawSeed(seed === RANDOM ? null : (seed ?? profile.seed), what))
    const drawn = Array.from({ length: n }, () => rounded(draw() + prefill))
    return reply.send({ name: profile.name, what, n, draws: drawn, ...summarize(drawn) })
  })
}

function findProfile(profiles: Profiles, name: string): Profile {
  let profile: Profile | undefined
  try {
    profile = profiles.find(name)
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'SVC_INPUT_PROBLEM') throw error
    const { at, message } = error as Error & { at: string }
    throw new HttpError(400, { error: 'invalid_profile', at, details: message })
  }
  if (profile === undefined) throw new HttpError(404, { error: 'unknown_profile', profiles: profiles.names() })
  return profile
}

function wrongParameter(parameter: string, details: string): HttpError {
  return new HttpError(400, { error: 'invalid_parameter', parameter, details })
}

function readNumber(query: URLSearchParams, name: string, fallback: number, min: number, max: number): number {
  const text = query.get(name)
  if (text === null) return fallback
  const value = /^\d{1,10}$/.test(text) ? Number(text) : -1
  if (value < min || value > max) throw wrongParameter(name, `expected a whole number from ${min} to ${max}`)
  return value
}

function show({ name, source, ttft, gap, prefillMsPerToken, seed }: Profile): object {
  const { distribution } = ttft ?? {}
  return {
    name,
    source,
    ttft: ttft?.shown ?? null,
    gap: gap?.shown ?? null,
    prefill_ms_per_token: prefillMsPerToken,
    seed: seed ?? RANDOM,
    mean_ttft_ms: distribution === undefined ? null : meanOf(distribution),
    p50: distribution === undefined ? null : rounded(distribution.at(0.5)),
    p99: distribution === undefined ? null : rounded(distribution.at(0.99)),
  }
}
