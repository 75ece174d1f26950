/** The plugin for the mock LLM: engine, runner, records; the formats are plugins of their own. */
import { definePlugin } from 'svc/plugin'
import { ProviderRegistry } from './providers/provider-registry.ts'
import type { CompiledRule } from './engine/rules.ts'
import { FaultWords } from './exchange/faults.ts'
import { engineLimits } from './exchange/limits.ts'
import { createMetrics } from './records/metrics.ts'
import { optionsSchema, type LlmOptions } from './providers/options.ts'
import { createRecords } from './records/records.ts'
import { registerRoutes } from './routes.ts'
import { resolveVariables, variables, type Variables } from './variables.ts'
import { TokenClock } from './streaming/token-clock.ts'

export default definePlugin<LlmOptions, Variables>({
  title: 'Mock LLM',
  description:
    'One deterministic engine behind the wire formats of many model providers, with streams, tools, faults and records.',
  paths: ['/ai'],
  options: optionsSchema,
  exposes: ['X-Svc-Request-Id', 'X-Svc-Credential', 'X-Svc-Provider', 'X-Svc-Model', 'X-Svc-Mode'],
  variables,
  resolveVariables,
  area: 'llm',
  faultKinds: ['ai'],
  categories: [{ name: 'AI: Mock LLM', rank: 120 }],
  register(app, svc) {
    const rules: CompiledRule[] = []
    const faults = new FaultWords()
    const records = createRecords(svc)
    const directory = new ProviderRegistry(
      {
        svc,
        limits: engineLimits(svc.config),
        faults,
        rules,
        records,
        metrics: createMetrics(svc.metrics),
        clock: new TokenClock(),
      },
      rules,
    )
    svc.offer('llm.providers', directory)
    registerRoutes(app, svc, { directory, faults, records })
    svc.whenRegistered(() => directory.registerNamed(app, svc.options))
  },
})
