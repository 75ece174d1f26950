/** Hosts whose requests a provider answers: those of svc.yaml, and the vendors' own. */
import type { Svc } from 'svc/plugin'
import { unknownName } from 'svc/toolkit'
import type { HostOption, LlmOptions } from '../providers/options.ts'
import type { ProviderInstance } from '../providers/instance.ts'

/** Hosts of vendors by the format that serves them. Vertex AI has its region in front of its name. */
const VENDORS: readonly HostOption[] = [
  { host: 'api.openai.com', provider: 'openai' },
  { host: 'api.anthropic.com', provider: 'anthropic' },
  { host: 'generativelanguage.googleapis.com', provider: 'gemini' },
  { host: 'aiplatform.googleapis.com', provider: 'gemini' },
  { host: '*.aiplatform.googleapis.com', provider: 'gemini' },
  { host: '*-aiplatform.googleapis.com', provider: 'gemini' },
  { host: '*.openai.azure.com', provider: 'azure' },
  { host: '*.cognitiveservices.azure.com', provider: 'azure' },
  { host: 'bedrock-runtime.*.amazonaws.com', provider: 'bedrock' },
  { host: 'api.cohere.com', provider: 'cohere' },
  { host: 'api.cohere.ai', provider: 'cohere' },
]

/** `at`: its place in svc.yaml; null for a vendor's own. */
type PlacedHost = HostOption & { at: string | null }

/** Before MCP servers, agents and issuers. */
const RANK = 30

/** Serves the hosts of the options, and reports providers that do not exist. Call it when all providers are registered. */
export function serveHosts(
  svc: Svc<unknown>,
  instances: readonly ProviderInstance[],
  { hosts, root }: LlmOptions,
): void {
  const find = (name: string, at: string): ProviderInstance | undefined => {
    const instance = instances.find(known => known.name === name)
    if (instance === undefined) {
      const { message, remedy } = unknownName(
        'provider',
        name,
        instances.map(known => known.name),
      )
      svc.reportLoadError({ at, message, remedy })
    }
    return instance
  }
  for (const { host, provider, at } of entriesOf(hosts)) {
    // The vendor of a plugin that is disabled has no host.
    const instance = at === null ? instances.find(({ name }) => name === provider) : find(provider, `${at}.provider`)
    if (instance !== undefined)
      svc.serveHost(host, instance.basePath, { shared: true, rank: RANK, ...(at === null ? {} : { at }) })
  }
  if (Array.isArray(root)) for (const [index, name] of root.entries()) find(name, `llm.root[${index}]`)
}

/** The entries in their order. What svc.yaml says about a host of a vendor replaces the vendor's entry. */
function entriesOf(hosts: LlmOptions['hosts']): PlacedHost[] {
  const listed = hosts === 'vendors' ? ['vendors' as const] : hosts
  const own = new Set(listed.flatMap(entry => (entry === 'vendors' ? [] : entry.host.toLowerCase())))
  const vendors: PlacedHost[] = VENDORS.filter(({ host }) => !own.has(host)).map(entry => ({ ...entry, at: null }))
  return listed.flatMap((entry, index): PlacedHost[] =>
    entry === 'vendors'
      ? listed.indexOf('vendors') === index
        ? vendors
        : []
      : [{ ...entry, at: `llm.hosts[${index}]` }],
  )
}
