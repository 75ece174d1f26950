/** The Azure OpenAI provider: the routes of the OpenAI format by deployment, by resource, and below `/openai/v1`. */
import type {
  Engine,
  ErrorKind,
  LlmProvider,
  LlmRoute,
  LlmRouteDescription,
  ModelInfo,
  MountedFormat,
  Parsed,
  ProviderRoute,
  RouteInput,
} from '../llm/types.ts'
import type { AnthropicWire } from '../llm-anthropic/types.ts'
import type { OpenAiModelRouteName, OpenAiRouteName, OpenAiWire, OpenAiWireFactory } from '../llm-openai/types.ts'
import { filterExtras } from './content-filter.ts'
import { withSimulation } from './simulation.ts'
import { AZURE_MEMBERS, azureRules } from './validation.ts'
import { azureError, azureLimited, wholeSeconds } from './errors.ts'

const models: ModelInfo[] = [
  { id: 'svc-gpt' },
  { id: 'svc-embed', kind: 'embed' },
  { id: 'svc-echo' },
  { id: 'svc-scripted' },
  { id: 'svc-random' },
  { id: 'gpt-5' },
  { id: 'gpt-5-mini' },
  { id: 'gpt-4.1' },
  { id: 'gpt-4o' },
  { id: 'text-embedding-3-small', kind: 'embed' },
  { id: 'text-embedding-3-large', kind: 'embed' },
  { id: 'gpt-image-1', kind: 'image' },
  { id: 'whisper-1', kind: 'transcribe' },
  { id: 'tts-1', kind: 'speech' },
]

const byDeployment: readonly OpenAiModelRouteName[] = [
  'chat',
  'completions',
  'embeddings',
  'images',
  'imageEdits',
  'transcriptions',
  'translations',
  'speech',
]
const byResource: readonly OpenAiRouteName[] = [
  'responses',
  'response',
  'deleteResponse',
  'cancelResponse',
  'inputItems',
  'countInput',
  'compact',
  'models',
  'model',
  'createFile',
  'listFiles',
  'file',
  'deleteFile',
  'fileContent',
  'createUpload',
  'addPart',
  'completeUpload',
  'cancelUpload',
  'createBatch',
  'listBatches',
  'batch',
  'cancelBatch',
]

const version = {
  name: 'api-version',
  in: 'query',
  required: true,
  description: 'Any value',
  schema: { type: 'string' },
} as const
const deployment = {
  name: 'deployment',
  in: 'path',
  required: true,
  description: 'Used as the model name',
  schema: { type: 'string' },
} as const

/** The messages of Claude models need the plugin of the Anthropic format. */
export function createProvider(engine: Engine, createWire: OpenAiWireFactory, anthropic?: AnthropicWire): LlmProvider {
  const wire = createWire(filterExtras, { flavour: 'azure', rules: azureRules, members: AZURE_MEMBERS })
  return {
    id: 'azure',
    telemetry: { name: 'azure.ai.openai' },
    title: 'Azure OpenAI',
    basePath: '/ai/azure',
    order: 2,
    credentials: [
      { source: 'api-key', header: 'api-key' },
      { source: 'bearer', scheme: 'Bearer' },
    ],
    models,
    routes: [
      ...byDeployment.map(name => ofDeployment(engine, wire.routes[name])),
      ...byResource.map(name => ofResource(engine, wire.routes[name])),
      ...Object.values(wire.routes).map(route => ({
        ...route,
        path: `/openai/v1${route.path}`,
        describe: movedTo(route, '/ai/azure/openai/v1'),
      })),
      ...wire.server('/ai/azure'),
    ],
    mounts: [modelInference(engine, wire), ...(anthropic === undefined ? [] : [claude(wire, anthropic)])],
    error: (kind, facts) => azureError(wire, kind, facts),
    messages: wire.messages,
    headers: facts =>
      facts.limits === undefined
        ? wire.headers(facts)
        : { ...wire.headers(facts), ...wire.limitHeaders(facts.limits, facts.now, wholeSeconds) },
    limited: azureLimited,
    finishReasons: wire.finishReasons,
    unknownModel: wire.unknownModel,
  }
}

/** The model inference API: one path for all models. */
function modelInference(engine: Engine, wire: OpenAiWire): MountedFormat {
  const { error: _error, limited: _limited, routes, ...format } = wire.mount('/models', ['chat', 'embeddings'])
  return { ...format, routes: routes.map(route => withVersion(engine, route, '?api-version=2024-05-01-preview')) }
}

/** Claude models; credentials and unknown paths are judged before them, so their errors are Azure's. */
function claude(wire: OpenAiWire, anthropic: AnthropicWire): MountedFormat {
  const gateway: readonly ErrorKind[] = ['missing_credential', 'invalid_credential', 'unknown_route', 'wrong_method']
  return anthropic.mount('/anthropic', ['messages', 'countTokens'], {
    error: (kind, facts) =>
      gateway.includes(kind)
        ? azureError(wire, kind, facts)
        : { status: facts.status, body: anthropic.error(kind, facts) },
  })
}

/** The deployment in the path replaces the model in the body. */
function ofDeployment(engine: Engine, route: LlmRoute): LlmRoute {
  const { readOnly } = route
  const description = movedTo(route, '/ai/azure/openai/deployments/svc-gpt', '?api-version=2024-10-21')
  return {
    ...route,
    path: `/openai/deployments/{deployment}${route.path}`,
    describe: { ...description, parameters: [deployment, version, ...(description.parameters ?? [])] },
    async parse(input) {
      requireVersion(engine, input)
      return withModel(await route.parse(ofModel(input, engine)), input.params.deployment ?? '')
    },
    ...(readOnly && {
      readOnly: async (input: RouteInput) =>
        withModel(await readOnly(ofModel(input, engine)), input.params.deployment ?? ''),
    }),
  }
}

/** The name of the host that the client asked for; empty where there is no request, as in a verification. */
function hostOf(input: RouteInput): string {
  const url = input.url('/')
  return URL.canParse(url) ? new URL(url).hostname : ''
}

/** The deployment is the model, even if the body names another one. */
function ofModel(input: RouteInput, { readsDirectives }: Engine): RouteInput {
  const read = (): Record<string, unknown> =>
    readsDirectives ? withSimulation(input.json(), () => hostOf(input)) : input.json()
  const json = (): Record<string, unknown> => ({ ...read(), model: input.params.deployment ?? '' })
  return Object.assign(Object.create(input) as RouteInput, { json })
}

/** Multipart forms have their own model field, which `json` does not contain. */
function withModel(parsed: Parsed, model: string): Parsed {
  return { ...parsed, model }
}

function ofResource(engine: Engine, route: ProviderRoute): ProviderRoute {
  const describe = movedTo(route, '/ai/azure/openai')
  return withVersion(engine, { ...route, path: `/openai${route.path}`, describe }, '?api-version=2025-04-01-preview')
}

/** A route that requires `api-version`; `query` is appended to the paths of its examples. */
function withVersion(engine: Engine, route: ProviderRoute, query: string): ProviderRoute {
  const describe = {
    ...route.describe,
    parameters: [version, ...(route.describe.parameters ?? [])],
    examples: route.describe.examples.map(example => ({ ...example, path: example.path + query })),
  }
  const checked = (input: RouteInput): RouteInput => {
    requireVersion(engine, input)
    return input
  }
  return route.parse === undefined
    ? { ...route, describe, handle: input => route.handle(checked(input)) }
    : { ...route, describe, parse: input => route.parse(checked(input)) }
}

function requireVersion(engine: Engine, input: RouteInput): void {
  if (input.query.get('api-version')) return
  throw engine.badInput('The api-version query parameter (?api-version=) is required for all requests.', {
    code: 'MissingApiVersionParameter',
  })
}

/** The route description, with its examples moved to another base path. */
function movedTo(route: ProviderRoute, base: string, query = ''): LlmRouteDescription {
  return {
    ...route.describe,
    examples: route.describe.examples.map(example => ({
      ...example,
      path: base + example.path.slice('/ai/openai/v1'.length) + query,
    })),
  }
}
