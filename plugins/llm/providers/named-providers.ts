/** Named providers of svc.yaml: made of registered formats once every plugin has registered. */
import { compileRule, type CompiledRule } from '../engine/rules.ts'
import type { FaultWords, FaultWish } from '../exchange/faults.ts'
import type { ProviderInstance } from './instance.ts'
import type { ModelInfo } from '../neutral.ts'
import type { NamedProvider } from './options.ts'
import { defaultLatency } from '../streaming/pace.ts'
import type { LlmProvider } from '../provider.ts'

export interface NamedProviderServices {
  formats: ReadonlyMap<string, LlmProvider>
  faults: FaultWords
  /** Whether a name or its path is taken. */
  isTaken(name: string): boolean
  report(at: string, message: string, remedy?: string): void
}

/** The instance that an item of svc.yaml describes; null when it is wrong, which has then been reported. */
export function createNamed(item: NamedProvider, at: string, services: NamedProviderServices): ProviderInstance | null {
  const format = services.formats.get(item.format)
  if (format === undefined) {
    services.report(
      `${at}.format`,
      `no running plugin offers the format ${JSON.stringify(item.format)} (there are ${[...services.formats.keys()].join(', ')})`,
      'write one of these, or switch its plugin on',
    )
  }
  const isTaken = services.isTaken(item.name)
  if (isTaken) services.report(`${at}.name`, `the provider ${item.name} exists already`, 'choose another name')
  const fail = readFail(item.fail, `${at}.fail`, services)
  const rules = readRules(item, at, services)
  if (format === undefined || isTaken || fail === undefined) return null
  const models =
    item.models?.map((model): ModelInfo => (typeof model === 'string' ? { id: model } : model)) ?? format.models
  return {
    name: item.name,
    title: item.title ?? item.name,
    basePath: `/ai/${item.name}`,
    format,
    models: models.map(model => ({ owned_by: item.name, ...model })),
    ...(item.models?.length ? { defaultModel: models[0]?.id } : {}),
    strictModels: item.strict_models ?? false,
    ...(item.mode === undefined ? {} : { mode: item.mode }),
    ...(item.reply === undefined ? {} : { reply: item.reply }),
    rules,
    latency: {
      latencyMs: item.latency?.latency_ms ?? defaultLatency.latencyMs,
      ttftMs: item.latency?.ttft_ms ?? defaultLatency.ttftMs,
      tokensPerSecond: item.latency?.tokens_per_second ?? defaultLatency.tokensPerSecond,
      jitterPercent: item.latency?.jitter_percent ?? defaultLatency.jitterPercent,
    },
    fail,
    demand: { requireAuth: item.require_auth ?? false, apiKey: item.api_key ?? null },
    isNamed: true,
  }
}

function readFail(text: string | undefined, at: string, services: NamedProviderServices): FaultWish | null | undefined {
  if (text === undefined) return null
  const wish = services.faults.parse(text)
  if (wish !== null) return wish
  services.report(
    at,
    `unknown fault ${JSON.stringify(text)} (expected a kind or a status from 400 to 599, with :<percent> if wanted)`,
    'write one of the kinds that GET /ai lists, such as rate_limit',
  )
  return undefined
}

/** A wrong rule is left out alone: a rule less makes nothing weaker. */
function readRules(item: NamedProvider, at: string, services: NamedProviderServices): CompiledRule[] {
  return (item.rules ?? []).flatMap((rule, index) => {
    if ('fail' in rule.reply && services.faults.parse(rule.reply.fail) === null) {
      services.report(
        `${at}.rules[${index}].reply.fail`,
        `unknown fault ${JSON.stringify(rule.reply.fail)}`,
        'write one of the kinds that GET /ai lists, such as rate_limit',
      )
      return []
    }
    try {
      return [compileRule(rule)]
    } catch (error) {
      services.report(
        `${at}.rules[${index}].match.regex`,
        error instanceof Error ? error.message : String(error),
        'correct the expression',
      )
      return []
    }
  })
}
