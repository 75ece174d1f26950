/** Creates the named providers of svc.yaml from registered formats, after all plugins have registered. */
import { checkReferences, unknownName, type InputProblem } from 'svc/toolkit'
import { PROVIDER_REFERENCES, readRule, type CompiledRule, type Rule } from '../engine/rules.ts'
import type { FaultParser, FaultSpec } from '../headers/faults.ts'
import type { ProviderInstance } from './instance.ts'
import type { ModelInfo } from '../contract/neutral.ts'
import type { NamedProvider } from './options.ts'
import { defaultLatency } from '../streaming/pace.ts'
import { readSettings, type SettingsServices } from './settings.ts'
import type { LlmProvider } from '../contract/provider.ts'

export interface NamedProviderServices extends SettingsServices {
  formats: ReadonlyMap<string, LlmProvider>
  faults: FaultParser
  /** Whether the name or its path is in use. */
  isTaken(name: string): boolean
  /** Reports an item with a better spelling. */
  advise(at: string, message: string, remedy: string): void
}

/** Creates the instance for an item of svc.yaml. Reports errors and returns null if the item is invalid. */
export function createNamed(item: NamedProvider, at: string, services: NamedProviderServices): ProviderInstance | null {
  const format = services.formats.get(item.format)
  if (format === undefined) {
    const formats = [...services.formats.keys()]
    services.report(
      `${at}.format`,
      unknownName('format', item.format, formats).message,
      `write one of these formats: ${formats.join(', ')}; or enable the plugin that provides it`,
    )
  }
  const isTaken = services.isTaken(item.name)
  if (isTaken)
    services.report(
      `${at}.name`,
      `the provider name ${JSON.stringify(item.name)} is already in use`,
      'choose another name',
    )
  const fail = readFail(item.fail, `${at}.fail`, services)
  const rules = readRules(item, at, services)
  checkReply(item, at, services)
  if (format === undefined || isTaken || fail === undefined) return null
  const models =
    item.models?.map((model): ModelInfo => (typeof model === 'string' ? { id: model } : model)) ?? format.models
  const settings = readSettings(item, at, { name: item.name, models }, services)
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
    ...settings,
    hasWindows:
      settings.contextWindow !== undefined ||
      models.some(model => model.context_window !== undefined || model.max_output_tokens !== undefined),
    requirement: { requireAuth: item.require_auth ?? false, apiKey: item.api_key ?? null },
    isNamed: true,
  }
}

function readFail(text: string | undefined, at: string, services: NamedProviderServices): FaultSpec | null | undefined {
  if (text === undefined) return null
  const spec = services.faults.parse(text)
  if (spec !== null) return spec
  services.report(
    at,
    `unknown fault ${JSON.stringify(text)} (expected a kind or a status from 400 to 599, optionally with :<percent>)`,
    'write one of the kinds that GET /ai lists, such as rate_limit',
  )
  return undefined
}

/** Skips only the invalid rules: the provider works without them. */
function readRules(item: NamedProvider, at: string, services: NamedProviderServices): CompiledRule[] {
  return (item.rules ?? []).flatMap((rule, index) => {
    const place = `${at}.rules[${index}]`
    const compiled = tryRule(rule, place, services)
    if (compiled === null) return []
    const { reply, translated } = compiled
    if ('fail' in reply && services.faults.parse(reply.fail) === null) {
      services.report(
        `${place}.${translated === null ? 'then' : 'reply'}.fail`,
        `unknown fault ${JSON.stringify(reply.fail)} (expected a kind or a status from 400 to 599)`,
        'write one of the kinds that GET /ai lists, such as rate_limit',
      )
      return []
    }
    if (translated !== null)
      services.advise(
        place,
        'this rule is in an older spelling, which stays valid',
        `write ${JSON.stringify(translated)}`,
      )
    return [compiled]
  })
}

function tryRule(rule: Rule, at: string, services: NamedProviderServices): CompiledRule | null {
  if ('then' in rule === 'reply' in rule || ('llm' in rule.match && !('then' in rule))) {
    services.report(at, 'expected match with llm and then, or the older spelling with reply', 'write match and then')
    return null
  }
  try {
    return readRule(rule, at)
  } catch (error) {
    const { at: place, message, remedy } = error as Partial<InputProblem> & Error
    services.report(
      place ?? `${at}.match.regex`,
      message,
      remedy ?? (place === undefined ? 'correct the regular expression' : 'correct it'),
    )
    return null
  }
}

/** Reports an unknown reference in the text that replaces the canned ones. */
function checkReply({ reply }: NamedProvider, at: string, services: NamedProviderServices): void {
  if (reply === undefined) return
  try {
    checkReferences(reply, PROVIDER_REFERENCES, `${at}.reply`)
  } catch (error) {
    const { at: place, message, remedy } = error as InputProblem
    services.report(place, message, remedy?.split(';')[0])
  }
}
