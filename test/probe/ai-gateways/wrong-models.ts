/** Gateways of models that are wrong about costs, isolation, fallbacks, compression, new members or caches. */
import type { Part, Reply, Usage } from '../../../plugins/probe/wires/types.ts'
import { textsOf, type Features } from './features.ts'
import type { GatewayFault } from './toy-gateway.ts'

export interface ModelsOptions {
  /** Ids of the checks that run. */
  checks: readonly string[]
  features?: Features
  fault?: GatewayFault
  /** Of the routes file. */
  llm?: object
  /** The upstream wire of each model. */
  models?: Readonly<Record<string, string>>
  timeoutMs?: number
}

export const CACHES = ['LLM-CACHE-HIT', 'LLM-CACHE-FALSE', 'LLM-CACHE-STREAM', 'LLM-CACHE-TENANT']
export const FALLBACKS = ['LLM-FALLBACK', 'LLM-FB-MID']
const PRICES = { input: 2, output: 8, cached: 0.5 }
export const COST = { header: 'x-cost', prices: PRICES }
export const SPEND = { url: '/spend/{id}', id: 'x-call-id', value: '/data/0/spend', wait_s: 0.3 }
export const ALL_WIRES = { wires: ['chat', 'messages', 'responses'] }
export const TENANTS = ['tenant-key-one', 'tenant-key-two']

export const exactKey: Features['cache'] = { key: (request, credential) => `${textsOf(request)} ${credential}` }
export const rightCost: Features['cost'] = ({ input, cached, output }) =>
  ((input! - cached!) * PRICES.input + cached! * PRICES.cached + output! * PRICES.output) / 1_000_000

let last: Reply | null = null
/** What the reply before said comes behind each text. */
const mixed = (reply: Reply): Reply => {
  const parts: Part[] = [...reply.parts, ...(last?.parts ?? []).filter(({ type }) => type === 'text')]
  last = reply
  return { ...reply, parts }
}

/** Each stream has the counts of the one before. */
let lastUsage: Usage | null = null
const withUsageOfLast = (reply: Reply): Reply => {
  const usage = lastUsage ?? reply.usage
  lastUsage = reply.usage
  return { ...reply, usage }
}

export interface WrongModels extends ModelsOptions {
  /** The only check that finds it. */
  id: string
  finding: RegExp
}

/** By what is wrong: "a gateway that …". */
export const WRONG_MODELS: Readonly<Record<string, WrongModels>> = {
  'charges cached tokens in full': {
    checks: ['LLM-COST'],
    features: { cost: ({ input, output }) => (input! * PRICES.input + output! * PRICES.output) / 1_000_000 },
    llm: { cost: COST },
    id: 'LLM-COST',
    finding: /^fail states .* dollars instead of .* \(cached tokens at the full price\)$/,
  },
  'charges reasoning twice': {
    checks: ['LLM-COST'],
    features: { cost: usage => rightCost!(usage) + ((usage.reasoning ?? 0) * PRICES.output) / 1_000_000 },
    llm: { cost: COST, models: ['gpt'] },
    id: 'LLM-COST',
    finding: /\(reasoning twice\)$/,
  },
  'mixes streams': {
    checks: ['LLM-ISOLATION'],
    fault: { reply: mixed, needsWhole: true },
    id: 'LLM-ISOLATION',
    finding: /^fail \w+ gets words of \w+/,
  },
  'gives a stream the usage of another': {
    checks: ['LLM-ISOLATION'],
    fault: { reply: withUsageOfLast, needsWhole: true },
    id: 'LLM-ISOLATION',
    finding: /^fail \w+ gets the usage of \w+/,
  },
  'joins two replies': {
    checks: FALLBACKS,
    features: { fallback: 'joins both' },
    llm: { fallback: 'gpt' },
    timeoutMs: 1_000,
    id: 'LLM-FB-MID',
    finding: /^fail text: the beginnings of both replies come in one/,
  },
  'ends broken streams as complete': {
    checks: FALLBACKS,
    features: { fallback: 'ends as complete' },
    llm: { fallback: 'gpt' },
    timeoutMs: 1_000,
    id: 'LLM-FB-MID',
    finding: /^fail text: the first part ends like a complete reply/,
  },
  'hides failures behind a text of its own': {
    checks: FALLBACKS,
    features: { fallback: 'apologizes' },
    llm: { fallback: 'gpt' },
    timeoutMs: 1_000,
    id: 'LLM-FALLBACK',
    finding: /^fail neither a reply nor an error: 503, 429, closed/,
  },
  'answers with nothing when the first deployment fails': {
    checks: FALLBACKS,
    features: { fallback: 'says nothing' },
    llm: { fallback: 'gpt' },
    timeoutMs: 1_000,
    id: 'LLM-FALLBACK',
    finding: /^fail neither a reply nor an error: 503, 429, closed/,
  },
  'takes alike questions for the same': {
    checks: CACHES,
    features: {
      cache: {
        key: (request, credential) =>
          `${request.turns.length} ${textsOf(request).replaceAll(/\d+|not |H?[Aa]nna /g, '')} ${credential}`,
      },
    },
    llm: { tenants: TENANTS },
    id: 'LLM-CACHE-FALSE',
    finding: /^fail gets the answer to another question: negation, number, name$/,
  },
  'forgets who said what': {
    checks: CACHES,
    features: {
      cache: {
        key: ({ turns }, credential) =>
          `${turns
            .flatMap(({ parts }) => parts.map(part => JSON.stringify(part)))
            .toSorted()
            .join()} ${credential}`,
      },
    },
    llm: { tenants: TENANTS },
    id: 'LLM-CACHE-FALSE',
    finding: /^fail gets the answer to another question: roles$/,
  },
  'has one cache for all users': {
    checks: CACHES,
    features: { cache: { key: textsOf } },
    llm: { tenants: TENANTS },
    id: 'LLM-CACHE-TENANT',
    finding: /^fail a user gets the answer of another user$/,
  },
  'loses usage of cached streams': {
    checks: CACHES,
    features: { cache: { ...exactKey, kept: reply => ({ ...reply, usage: null }) } },
    llm: { tenants: TENANTS },
    id: 'LLM-CACHE-STREAM',
    finding: /no usage/,
  },
  'keeps only the beginning of streams': {
    checks: CACHES,
    features: { cache: { ...exactKey, kept: (reply, isStream) => (isStream ? { ...reply, parts: [] } : reply) } },
    llm: { tenants: TENANTS },
    id: 'LLM-CACHE-STREAM',
    finding: /^fail .*another text/,
  },
  'tells users apart by the beginning of their keys': {
    checks: CACHES,
    features: { cache: { key: (request, credential) => `${textsOf(request)} ${credential.slice(0, 17)}` } },
    llm: { tenants: TENANTS },
    id: 'LLM-CACHE-TENANT',
    finding: /^fail a user gets the answer of another user$/,
  },
  'passes compressed bytes on as text': {
    checks: ['LLM-GZIP'],
    features: { keepsCoding: 'bytes' },
    id: 'LLM-GZIP',
    finding: /^fail gzip: the text is lost, Content-Encoding is absent$/,
  },
  'keeps the field of a coding that it has removed': {
    checks: ['LLM-GZIP'],
    features: { keepsCoding: 'field' },
    id: 'LLM-GZIP',
    finding: /^fail gzip: the body is not what its Content-Encoding gzip says$/,
  },
  'passes all features to Bedrock': {
    checks: ['LLM-BETA'],
    features: { betas: 'all' },
    llm: { wires: ['messages'] },
    models: { bed: 'converse' },
    id: 'LLM-BETA',
    finding: /^fail passes the beta mcp-client-2025-11-20, which the upstream refuses$/,
  },
  'drops all features for Bedrock': {
    checks: ['LLM-BETA'],
    llm: { wires: ['messages'] },
    models: { bed: 'converse' },
    id: 'LLM-BETA',
    finding: /^warn dropped: the beta interleaved-thinking-2025-05-14$/,
  },
  'bills nothing for streams that were cut': {
    checks: ['LLM-CUT-BILL'],
    features: { ledger: 'cut is free' },
    llm: { spend: SPEND },
    id: 'LLM-CUT-BILL',
    finding: /^fail left by the client: billed nothing; cut by the upstream: billed nothing$/,
  },
  'bills streams that were cut as whole ones': {
    checks: ['LLM-CUT-BILL'],
    features: { ledger: 'cut is whole' },
    llm: { spend: SPEND },
    id: 'LLM-CUT-BILL',
    finding: /^fail left by the client: billed \d+ of \d+ for the whole one; cut by/,
  },
  'sends second turns to any deployment': {
    checks: ['LLM-AFFINITY'],
    features: { replicas: { sticksBy: 'nothing' } },
    llm: { replicas: 'gpt', ...ALL_WIRES },
    models: { gpt: 'responses' },
    id: 'LLM-AFFINITY',
    finding: /previous_response_id: [1-6] of 6 .*encrypted_content: [1-6] of 6/,
  },
  'keeps to deployments by ids of responses alone': {
    checks: ['LLM-AFFINITY'],
    features: { replicas: { sticksBy: 'ids' } },
    llm: { replicas: 'gpt', ...ALL_WIRES },
    models: { gpt: 'responses' },
    id: 'LLM-AFFINITY',
    finding: /^fail second turns reach a deployment without the state that they need: \S*encrypted_content: [1-6] of 6/,
  },
  'drops what it does not know': {
    checks: ['LLM-BETA'],
    id: 'LLM-BETA',
    finding: /^warn dropped: the member x_probe_member/,
  },
}
