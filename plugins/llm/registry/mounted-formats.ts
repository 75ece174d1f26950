/** Serves the formats that a provider mounts as routes of the provider. */
import { readParameters, replaceParameters, templateParameters } from 'svc/toolkit'
import { BadInput } from '../contract/errors.ts'
import type { MountedFormat } from '../contract/mounted-format.ts'
import type { LlmProvider } from '../contract/provider.ts'
import type { ProviderRoute, RouteInput } from '../contract/route.ts'

/** Longer paths belong to no route. */
const MAX_PATH = 2000

/** The provider with the routes of its mounted formats, whose errors have the form of the format. */
export function withMountedFormats(provider: LlmProvider): LlmProvider {
  const { mounts = [] } = provider
  if (mounts.length === 0) return provider
  const mountOf = createLookup(provider, mounts)
  const { check } = provider
  return {
    ...provider,
    routes: [...provider.routes, ...mounts.flatMap(mount => mount.routes.map(route => place(route, mount, provider)))],
    error(kind, facts) {
      return (mountOf(facts.path)?.error ?? provider.error)(kind, facts)
    },
    limited(refusal, facts) {
      const mount = mountOf(facts.path)
      if (mount?.limited !== undefined) return mount.limited(refusal, facts)
      if (mount?.error !== undefined) return mount.error('rate_limit', facts)
      return provider.limited?.(refusal, facts) ?? provider.error('rate_limit', facts)
    },
    ...(check && {
      check(input) {
        if (mountOf(input.path) === undefined) check(input)
      },
    }),
  }
}

/**
 * Finds the format of a path: the one with a route for it, or the one whose prefix it has, if the provider has no routes of its
 * own below that prefix.
 */
function createLookup(
  { basePath, routes }: LlmProvider,
  mounts: readonly MountedFormat[],
): (path: string) => MountedFormat | undefined {
  const places = mounts.flatMap(mount => mount.routes.map(({ path }) => ({ template: mount.prefix + path, mount })))
  const ownPrefixes = mounts.filter(({ prefix }) => !routes.some(({ path }) => path.startsWith(`${prefix}/`)))
  return path => {
    if (path.length > MAX_PATH) return undefined
    // Named providers have a base path of two segments, like the built-in ones.
    const below = path.startsWith(`${basePath}/`)
      ? path.slice(basePath.length)
      : `/${path.split('/').slice(3).join('/')}`
    return (
      places.find(({ template }) => readParameters(template, below) !== null)?.mount ??
      ownPrefixes.find(({ prefix }) => readParameters(`${prefix}/{*rest}`, below) !== null)
    )
  }
}

function place(route: ProviderRoute, mount: MountedFormat, provider: LlmProvider): ProviderRoute {
  const shared = {
    path: mount.prefix + route.path,
    // Aliases of the provider are paths of its own format.
    aliases: [],
    describe: describeAt(route, mount, provider),
    credentials: [...(route.credentials ?? []), ...(mount.credentials ?? [])],
  }
  const input = (given: RouteInput): RouteInput => withModels(given, route, mount)
  if (route.parse === undefined) return { ...route, ...shared, handle: given => route.handle(input(given)) }
  const { readOnly } = route
  const finishReasons = route.finishReasons ?? mount.finishReasons
  const streamError = mount.streamError ?? route.streamError ?? errorEvent(mount.error)
  return {
    ...route,
    ...shared,
    ...(finishReasons && { finishReasons }),
    ...(streamError && { streamError }),
    ...(readOnly && { readOnly: (given: RouteInput) => readOnly(input(given)) }),
    parse: given => route.parse(input(given)),
  }
}

function errorEvent(error: MountedFormat['error']): LlmProvider['streamError'] {
  return error && (facts => ({ data: error('server_error', facts).body }))
}

/** The input of a route, with the provider's model where the request names none, and the id of the one that it names. */
function withModels(input: RouteInput, route: ProviderRoute, { defaultModel, modelId }: MountedFormat): RouteInput {
  const own: Partial<RouteInput> = {}
  if (typeof defaultModel === 'string') own.defaultModel = input.defaultModel ?? defaultModel
  if (modelId !== undefined && input.params.model !== undefined)
    own.params = { ...input.params, model: modelId(input.params.model) }
  if (route.method === 'POST' && (modelId !== undefined || defaultModel === null))
    own.json = () => {
      const body = input.json()
      const { model } = body
      if (typeof model === 'string' && model !== '')
        return modelId === undefined ? body : { ...body, model: modelId(model) }
      if (defaultModel === null && input.defaultModel === undefined)
        throw new BadInput('model is required', { param: 'model' })
      return body
    }
  return Object.assign(Object.create(input) as RouteInput, own)
}

function describeAt(
  route: ProviderRoute,
  { format, prefix, exampleBase, exampleModels = {} }: MountedFormat,
  { basePath }: LlmProvider,
): ProviderRoute['describe'] {
  const base = basePath + replaceParameters(prefix, ({ name }) => `my-${name}`)
  const rename = (id: string): string => exampleModels[id] ?? id
  return {
    ...route.describe,
    summary: `${route.describe.summary} (${format} format)`,
    parameters: [
      ...templateParameters(prefix).map(({ name }) => ({
        name,
        in: 'path' as const,
        required: true,
        description: 'Any value',
        schema: { type: 'string' as const },
      })),
      ...(route.describe.parameters ?? []),
    ],
    examples: route.describe.examples.map(example => ({
      ...example,
      path: base + example.path.slice(exampleBase.length).replace(/(?<=\/models\/)[^/]+$/, rename),
      ...(typeof example.body === 'string' ? { body: example.body.replace(/(?<="model":")[^"]*/, rename) } : {}),
    })),
  }
}
