/** The plugin `guardrails`: keyword-based content safety, guardrails and personal data. */
import { definePlugin } from 'svc/plugin'
import { HOST_SCHEMA } from 'svc/toolkit'
import type {} from '../gateway-services/types.ts'
import { Blocklists } from './azure-blocklists.ts'
import { registerBuiltIn } from './built-in.ts'
import { unitIndex } from './code-points.ts'
import { FACADES } from './facades/facades.ts'
import { hostMountOf, registerFacade } from './facades/register.ts'
import { flagsOf, violationsOf } from './findings.ts'
import { findPersonalData, label, replaceEntities } from './personal-data.ts'
import { createRegistry } from './registry.ts'
import { registerAzure } from './routes/azure.ts'
import { registerBlocklists } from './routes/azure-blocklists.ts'
import { createBedrockGuardrails, registerBedrock } from './routes/bedrock.ts'
import { registerGeneric } from './routes/generic.ts'
import type {} from './types.ts'

interface Options {
  hosts: { host: string; serve: string }[]
}

export default definePlugin<Options>({
  title: 'Guardrails',
  description:
    'Detects harmful content, prompt attacks and personal data by fixed words and patterns, with the APIs of Azure AI Content Safety, Bedrock guardrails, Presidio, Lakera and others.',
  paths: ['/guardrails'],
  uses: ['gateway-services'],
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      hosts: {
        type: 'array',
        maxItems: 20,
        default: [],
        description: 'Hosts whose root is the API of a vendor.',
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['host', 'serve'],
          properties: { host: HOST_SCHEMA, serve: { enum: FACADES.map(({ name }) => name) } },
        },
      },
    },
  },
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
    svc.offer('guardrails.checks', { flags: text => flagsOf(violationsOf(registry, text)) })
    svc.offer('guardrails.bedrock', createBedrockGuardrails(registry))
    const blocklists = new Blocklists(svc)
    registerAzure(app, svc, registry, blocklists)
    registerBlocklists(app, svc, blocklists)
    registerBedrock(app, svc, registry)
    registerGeneric(app, svc, registry)
    const service =
      svc.use('gateway-services.services')?.service({
        name: 'guardrail',
        grpc: null,
        http: '/guardrails',
        header: null,
        policies: FACADES.map(({ name }) => name),
      }) ?? null
    for (const facade of FACADES) registerFacade(app, svc, facade, { registry, service })
    for (const [index, { host, serve }] of svc.options.hosts.entries())
      svc.serveHost(host, hostMountOf({ name: serve }), { at: `guardrails.hosts[${index}]` })
  },
})
