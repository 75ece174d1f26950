/** The plugin `guardrails`: keyword-based content safety, guardrails and personal data. */
import { definePlugin } from 'svc/plugin'
import { Blocklists } from './azure-blocklists.ts'
import { registerBuiltIn } from './built-in.ts'
import { flagsOf } from './check.ts'
import { unitIndex } from './code-points.ts'
import { findPersonalData, label, replaceEntities } from './personal-data.ts'
import { createRegistry } from './registry.ts'
import { registerAzure } from './routes/azure.ts'
import { registerBlocklists } from './routes/azure-blocklists.ts'
import { createBedrockGuardrails, registerBedrock } from './routes/bedrock.ts'
import { registerGeneric } from './routes/generic.ts'
import type {} from './types.ts'

export default definePlugin({
  title: 'Guardrails',
  description:
    'Detects harmful content, prompt attacks and personal data by fixed words and patterns, with the APIs of Azure AI Content Safety and Bedrock guardrails.',
  paths: ['/guardrails'],
  categories: [{ name: 'AI: Guardrails', rank: 130 }],
  exposes: ['X-Svc-Guardrail-Id', 'X-Svc-Guardrail-Version', 'X-Svc-Pii-Count'],
  register(app, svc) {
    const registry = createRegistry(svc.name)
    registerBuiltIn(registry)
    svc.offer('guardrails.detectors', registry)
    svc.offer('guardrails.personal-data', {
      redact: text => replaceEntities(text, findPersonalData(registry, text), label),
      entities(text) {
        const toUnit = unitIndex(text)
        return findPersonalData(registry, text).map(entity => ({
          start: toUnit(entity.start),
          end: toUnit(entity.end),
          label: label(entity),
        }))
      },
    })
    svc.offer('guardrails.checks', { flags: text => flagsOf(registry, text) })
    svc.offer('guardrails.bedrock', createBedrockGuardrails(registry))
    const blocklists = new Blocklists(svc)
    registerAzure(app, svc, registry, blocklists)
    registerBlocklists(app, svc, blocklists)
    registerBedrock(app, svc, registry)
    registerGeneric(app, svc, registry)
  },
})
