/** Configuration of the LiteLLM proxy: a model per provider that it can call, and the MCP server. */
import type { ServedProvider } from '../../llm/types.ts'
import type { Format, Selection } from '../format.ts'
import { writeYaml } from '../yaml.ts'

/** How LiteLLM calls a provider: its model name prefix and its `api_base`. */
interface Dialect {
  prefix: string
  /** Path after the base path of the provider. */
  apiBase: string
  /** Further required parameters. */
  more?: Record<string, string>
  /** A model that LiteLLM knows; it refuses tools and other parameters for ids that it does not know. */
  known?: RegExp
}

const DIALECTS: Readonly<Record<string, Dialect>> = {
  openai: { prefix: 'openai', apiBase: '/v1', known: /^gpt-4o$/ },
  azure: { prefix: 'azure', apiBase: '', more: { api_version: '2024-10-21' }, known: /^gpt-4o$/ },
  anthropic: { prefix: 'anthropic', apiBase: '', known: /^claude-sonnet-4-5$/ },
  gemini: { prefix: 'gemini', apiBase: '/v1beta', known: /^gemini-2\.5-flash$/ },
  bedrock: {
    prefix: 'bedrock/converse',
    apiBase: '',
    more: { aws_region_name: 'us-east-1' },
    known: /^(?:[a-z]{2,6}\.)?(?:anthropic\.claude|amazon\.nova)/,
  },
  ollama: { prefix: 'ollama_chat', apiBase: '' },
  // LiteLLM needs the full URL for this provider.
  cohere: { prefix: 'cohere_chat', apiBase: '/v2/chat', known: /^command-a-/ },
}
/** Ends of paths by which the formats of other plugins are recognized, and what LiteLLM calls such a server. */
const FAMILIAR: readonly (Pick<Dialect, 'prefix'> & { end: string })[] = [
  { end: '/chat/completions', prefix: 'openai' },
  { end: '/v1/messages', prefix: 'anthropic' },
]
/** Any credential works if none is configured. */
const DEMO_KEY = 'demo'
/** What clients of LiteLLM send. LiteLLM requires a key that begins with `sk-`. */
const MASTER_KEY = 'sk-demo'
const MCP_PATH = '/mcp'

/** The format for these providers; with `needsKey` the instance accepts only its own credential. */
export function litellm(providers: ServedProvider[], { needsKey }: { needsKey: boolean }): Format {
  return {
    id: 'litellm',
    title: 'LiteLLM proxy',
    description: 'A model_list with an entry for each mock LLM provider that LiteLLM supports, and the MCP server.',
    file: 'litellm.yaml',
    mediaType: 'application/yaml',
    filename: 'svc-litellm.yaml',
    write(selection) {
      const selected = providers.filter(provider => isSelected(provider, selection))
      const models = selected.map(provider => toModel(provider, selection, needsKey))
      const leftOut = selected.filter((_, at) => models[at] === null).map(({ id, format }) => `${id} (${format})`)
      return writeYaml(
        {
          general_settings: { master_key: MASTER_KEY },
          // Parameters that a vendor does not have are left out, instead of refusing the request.
          litellm_settings: { drop_params: true },
          model_list: models.filter(model => model !== null),
          ...mcpServers(selection),
        },
        leftOut.length === 0
          ? undefined
          : { at: ['model_list'], text: ` left out, since LiteLLM has no format for it: ${leftOut.join(', ')}` },
      )
    },
  }
}

function isSelected({ basePath }: ServedProvider, { endpoints }: Selection): boolean {
  return endpoints.some(({ path }) => path === basePath || path.startsWith(`${basePath}/`))
}

/** Null: LiteLLM can't call the provider. */
function toModel(provider: ServedProvider, { baseUrl }: Selection, needsKey: boolean): object | null {
  const { id, basePath, models, hasOwnKey } = provider
  const dialect = DIALECTS[provider.format] ?? familiar(provider)
  const model = models.find(name => dialect?.known?.test(name) === true) ?? models[0]
  if (dialect === undefined || model === undefined) return null
  return {
    model_name: `svc-${id}`,
    litellm_params: {
      model: `${dialect.prefix}/${model}`,
      api_base: baseUrl + basePath + dialect.apiBase,
      api_key: keyOf(id, hasOwnKey, needsKey),
      ...dialect.more,
    },
  }
}

/** How to call the format of another plugin that has the routes of a known one. */
function familiar({ routes }: ServedProvider): Dialect | undefined {
  for (const { end, prefix } of FAMILIAR) {
    const route = routes.find(({ method, path }) => method === 'POST' && path.endsWith(end) && !path.includes('{'))
    if (route !== undefined) return { prefix, apiBase: route.path.slice(0, -end.length) }
  }
  return undefined
}

function mcpServers({ baseUrl, endpoints }: Selection): object {
  const isServed = endpoints.some(({ path, methods }) => path === MCP_PATH && methods.includes('POST'))
  return isServed ? { mcp_servers: { svc: { url: baseUrl + MCP_PATH, transport: 'http' } } } : {}
}

/** A configured key is referenced by its variable, never shown. */
function keyOf(id: string, hasOwnKey: boolean, needsKey: boolean): string {
  if (hasOwnKey) return `os.environ/SVC_${id.toUpperCase().replaceAll('-', '_')}_API_KEY`
  return needsKey ? 'os.environ/SVC_AI_API_KEY' : DEMO_KEY
}
