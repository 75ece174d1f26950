/** The mock LLM plugin: engine, request processing and records. Each wire format is a separate plugin. */
import { randomUUID } from 'node:crypto'
import { definePlugin } from 'svc/plugin'
import { ProviderRegistry } from './registry/provider-registry.ts'
import type { CompiledRule } from './engine/rules.ts'
import { createDirectiveCounts } from './directives/counts.ts'
import { FaultParser } from './headers/faults.ts'
import { engineLimits } from './providers/engine-limits.ts'
import { createMetrics } from './records/metrics.ts'
import { createGenAiMetrics } from './telemetry/metrics.ts'
import { PromptCache } from './cache/prompt-cache.ts'
import { Limiter } from './limits/limiter.ts'
import { registerLimitRoutes } from './limits/routes.ts'
import { optionsSchema, type LlmOptions } from './providers/options.ts'
import { translateFixtures } from './testing/aimock/translate.ts'
import { createLlmStep } from './testing/llm-step.ts'
import { createLlmProtocol } from './testing/protocol.ts'
import { aimockKind } from './testing/aimock/kind.ts'
import { simulatorKind } from './testing/simulator/kind.ts'
import type {} from '../import/types.ts'
import { fixturesCommand } from './testing/aimock/command.ts'
import { BatchStore } from './state/batches.ts'
import { DocumentStore } from './state/documents.ts'
import { createGenerate } from './path/generation.ts'
import { createRunItem } from './path/batch-item.ts'
import { OpenSockets, socketBoundsOf } from './streaming/socket-bounds.ts'
import type { CallServices } from './call/services.ts'
import { Profiles } from './profiles/profiles.ts'
import { registerProfileRoutes } from './profiles/routes.ts'
import type { ServerStates } from './inference/model-server.ts'
import type { StatedLoads } from './inference/stated-load.ts'
import { Tokenizers } from './tokenizers/tokenizers.ts'
import { createRequestRecords } from './records/records.ts'
import { registerRoutes } from './registry/routes.ts'
import { registerValidationRoutes } from './registry/validation-routes.ts'
import { KeyIds } from './usage/key-ids.ts'
import { Ledger } from './usage/ledger.ts'
import { registerUsageRoutes } from './usage/routes.ts'
import { resolveVariables, variables, type Variables } from './providers/variables.ts'
import { Validator } from './validation/validator.ts'
import { MessageStepFinders } from './testing/message-steps.ts'
import { TokenClock } from './streaming/token-clock.ts'

/** What the formats tell about their limits. */
const LIMIT_HEADERS = [
  ...['limit', 'remaining', 'reset'].flatMap(what => ['requests', 'tokens'].map(unit => `x-ratelimit-${what}-${unit}`)),
  ...['requests', 'tokens', 'input-tokens', 'output-tokens'].flatMap(unit =>
    ['limit', 'remaining', 'reset'].map(what => `anthropic-ratelimit-${unit}-${what}`),
  ),
  'anthropic-ratelimit-unified-status',
  'anthropic-ratelimit-unified-reset',
  'x-trial-endpoint-call-limit',
  'x-trial-endpoint-call-remaining',
]

function hasMetrics({ builtin, providers }: LlmOptions): boolean {
  return [...Object.values(builtin), ...providers].some(({ metrics }) => metrics !== undefined)
}

export default definePlugin<LlmOptions, Variables>({
  title: 'Mock LLM',
  description:
    'A deterministic engine that serves the wire formats of many model providers, with streaming, tools, faults and records.',
  paths: ['/ai'],
  options: optionsSchema,
  exposes: [
    'X-Svc-Request-Id',
    'X-Svc-Credential',
    'X-Svc-Provider',
    'X-Svc-Model',
    'X-Svc-Mode',
    'X-Svc-Stream-Shape',
    'X-Svc-Limited',
    'X-Svc-Timing',
    'X-Svc-Validation',
    'X-Svc-Violations',
    'X-Svc-Directive',
    'retry-after-ms',
    ...LIMIT_HEADERS,
  ],
  variables,
  resolveVariables,
  area: 'llm',
  faultKinds: ['ai'],
  command: fixturesCommand,
  uses: ['import'],
  categories: [{ name: 'AI: Mock LLM', rank: 120 }],
  async register(app, svc) {
    for (const kind of [aimockKind, simulatorKind]) svc.use('import.kinds')?.register(kind)
    const rules: CompiledRule[] = []
    const faults = new FaultParser()
    const records = createRequestRecords(svc)
    const directiveCounts = createDirectiveCounts(svc)
    const readsDirectives = svc.options.directives ?? svc.variables.directives
    svc.use('testing.resets').register({
      name: 'llm',
      reset: async session => {
        const cleared = await records.clear(record => session === null || record.session_header === session.header)
        return cleared + (await directiveCounts.clear(session === null ? null : session.key))
      },
    })
    const { prices, currency } = svc.options
    const keyIds = new KeyIds(svc)
    const ledger = new Ledger(svc, { prices, keyIds, formatOf: name => providers.formatOf(name) })
    const limiter = new Limiter(svc, svc.options.limits, keyIds)
    const cache = new PromptCache(svc)
    svc.use('testing.resets').register({ name: 'llm_cache', reset: session => cache.clear(session) })
    svc.use('testing.resets').register({ name: 'llm_limits', reset: session => limiter.clear(session) })
    svc.use('testing.resets').register({ name: 'usage', reset: session => ledger.clear(session) })
    const documents = new DocumentStore(svc)
    const batches = new BatchStore(svc, svc.options.batch_lines, documents)
    const profiles = new Profiles(svc.options.profiles, (at, message) => svc.reportLoadError({ at, message }))
    const validator = new Validator({
      option: svc.options.validation,
      level: svc.variables.validation,
      warn: message => svc.log.error(message),
      report: (at, message, remedy) =>
        svc.reportLoadError({ at, message, ...(remedy === undefined ? {} : { remedy }) }),
    })
    const messageSteps = new MessageStepFinders()
    svc.offer('llm.steps', messageSteps)
    const services: CallServices = {
      svc,
      limits: engineLimits(svc.config),
      faults,
      rules,
      records,
      ledger,
      limiter,
      messageSteps,
      cache,
      profiles,
      validator,
      tokenizers: new Tokenizers(),
      loads: hasMetrics(svc.options) ? svc.replicated<StatedLoads>('loads', { initial: () => ({}) }) : null,
      servers: hasMetrics(svc.options) ? svc.replicated<ServerStates>('servers', { initial: () => ({}) }) : null,
      builtin: svc.options.builtin,
      metrics: createMetrics(svc.metrics),
      genAi: createGenAiMetrics(svc.metrics),
      strictFixtures: svc.options.strict_fixtures,
      readsDirectives,
      directiveCounts,
      clock: new TokenClock(),
      socketLifetimeMs: Math.min(svc.options.socket_lifetime_ms, socketBoundsOf(svc.config).lifetimeMs),
      sockets: svc.shared('sockets', () => new OpenSockets(socketBoundsOf(svc.config))),
      find: (method, path) => providers.find(method, path),
      newId: randomUUID,
      runItem: createRunItem(() => services),
      generate: createGenerate(() => services),
    }
    const providers: ProviderRegistry = new ProviderRegistry(services, rules, { documents, batches })
    providers.addState(session => documents.clear(session))
    providers.addState(session => batches.clear(session))
    svc.use('testing.resets').register({
      name: 'llm_state',
      reset: session => providers.clearState(session === null ? null : session.key),
    })
    svc.offer('llm.providers', providers)
    const limits = engineLimits(svc.config)
    svc.use('testing.protocols').register(createLlmProtocol({ faults, limits, providers, validator, readsDirectives }))
    svc.use('testing.steps').register(createLlmStep(() => validator.ids()))
    await svc
      .use('testing.rules')
      .add({ paths: [svc.options.fixtures].flat(), at: 'llm.fixtures', translate: translateFixtures })
    registerRoutes(app, svc, { providers, faults, records, ledger, validator })
    registerValidationRoutes(app, { validator, served: () => providers.validations() })
    registerLimitRoutes(app, svc, limiter)
    registerProfileRoutes(app, profiles)
    registerUsageRoutes(app, svc, { ledger, currency })
    svc.whenRegistered(() => providers.registerNamed(app, svc.options))
  },
})
