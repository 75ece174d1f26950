/** Configuration of the LiteLLM proxy: a model per supported provider. */
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
  /** Model ids that LiteLLM knows; it rejects tools for other ids. */
  known?: RegExp
}

const DIALECTS: Readonly<Record<string, Dialect>> = {
  openai: { prefix: 'openai', apiBase: '/v1' },
  azure: { prefix: 'azure', apiBase: '', more: { api_version: '2024-10-21' } },
  anthropic: { prefix: 'anthropic', apiBase: '' },
  gemini: { prefix: 'gemini', apiBase: '/v1beta' },
  bedrock: {
    prefix: 'bedrock/converse',
    apiBase: '',
    more: { aws_region_name: 'us-east-1' },
    known: /^(?:[a-z]{2,6}\.)?(?:anthropic\.claude|amazon\.nova)/,
  },
  ollama: { prefix: 'ollama_chat', apiBase: '' },
  // LiteLLM needs the full URL for this provider.
  cohere: { prefix: 'cohere_chat', apiBase: '/v2/chat' },
}
/** Any credential works if none is configured. */
const DEMO_KEY = 'demo'

/** The format for these providers; with `needsKey` the instance accepts only its own credential. */
export function litellm(providers: ServedProvider[], { needsKey }: { needsKey: boolean }): Format {
  return {
    id: 'litellm',
    title: 'LiteLLM proxy',
    description: 'A model_list with an entry for each mock LLM provider that LiteLLM supports.',
    file: 'litellm.yaml',
    mediaType: 'application/yaml',
    filename: 'svc-litellm.yaml',
    write: selection =>
      writeYaml({
        model_list: providers.flatMap(provider =>
          isSelected(provider, selection) ? toModels(provider, selection, needsKey) : [],
        ),
      }),
  }
}

function isSelected({ basePath }: ServedProvider, { endpoints }: Selection): boolean {
  return endpoints.some(({ path }) => path === basePath || path.startsWith(`${basePath}/`))
}

function toModels(
  { id, format, basePath, models, hasOwnKey }: ServedProvider,
  { baseUrl }: Selection,
  needsKey: boolean,
): object[] {
  const dialect = DIALECTS[format]
  const model = models.find(name => dialect?.known?.test(name) === true) ?? models[0]
  if (dialect === undefined || model === undefined) return []
  return [
    {
      model_name: `svc-${id}`,
      litellm_params: {
        model: `${dialect.prefix}/${model}`,
        api_base: baseUrl + basePath + dialect.apiBase,
        api_key: keyOf(id, hasOwnKey, needsKey),
        ...dialect.more,
      },
    },
  ]
}

/** A configured key is referenced by its variable, never shown. */
function keyOf(id: string, hasOwnKey: boolean, needsKey: boolean): string {
  if (hasOwnKey) return `os.environ/SVC_${id.toUpperCase().replaceAll('-', '_')}_API_KEY`
  return needsKey ? 'os.environ/SVC_AI_API_KEY' : DEMO_KEY
}
