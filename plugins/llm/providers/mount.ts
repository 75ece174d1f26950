/** Registers a provider's routes, with their descriptions, below its base path and its aliases. */
import { describe, replaceParameters, templateParameters } from 'svc/plugin'
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  RouteCredential,
  RouteDescription,
  RouteExample,
  RouteParameter,
} from 'svc/plugin'
import { createErrorForm } from '../exchange/error-form.ts'
import { socketRoute } from '../exchange/sockets.ts'
import type { ProviderInstance } from './instance.ts'
import { routerPath, type RouterPath } from './router-path.ts'
import type { CredentialRule, LlmRoute } from '../provider.ts'
import { run, type RunnerServices } from '../exchange/runner.ts'

export const category = 'AI: Mock LLM'

/** Headers that every provider route accepts. */
const sharedParameters: RouteParameter[] = [
  {
    name: 'X-Svc-Mode',
    in: 'header',
    description: 'How the reply text is generated',
    schema: { enum: ['canned', 'echo', 'scripted', 'random'] },
  },
  {
    name: 'X-Svc-Strict-Fixtures',
    in: 'header',
    description: 'Whether a text generation on which no rule acts gets 404',
    schema: { type: 'boolean' },
  },
  {
    name: 'X-Svc-Fail',
    in: 'header',
    description: 'Fault to inject: a kind or a status, optionally with :<percent>; also as ?fail=',
    schema: { type: 'string' },
  },
  {
    name: 'X-Svc-Require-Auth',
    in: 'header',
    description: 'Reject the request if it has no credential',
    schema: { type: 'boolean' },
  },
  {
    name: 'X-Svc-Latency-Ms',
    in: 'header',
    description: 'Delay before the response headers, in milliseconds',
    schema: { type: 'integer', minimum: 0 },
  },
  {
    name: 'X-Svc-TTFT-Ms',
    in: 'header',
    description: 'Delay before the first token, in milliseconds',
    schema: { type: 'integer', minimum: 0 },
  },
  {
    name: 'X-Svc-Tokens-Per-Second',
    in: 'header',
    description: 'Speed of a stream; 0: unlimited',
    schema: { type: 'integer', minimum: 0 },
  },
  {
    name: 'X-Svc-Jitter',
    in: 'header',
    description: 'Variation of the gaps between tokens, in percent',
    schema: { type: 'integer', minimum: 0, maximum: 100 },
  },
  {
    name: 'X-Svc-Profile',
    in: 'header',
    description: 'Latency profile: a name, or one such as `ttft=lognormal(400,2500); gap=normal(20,5)`',
    schema: { type: 'string' },
  },
  {
    name: 'X-Svc-Tokenizer',
    in: 'header',
    description: 'What counts and splits texts; encodings need the package gpt-tokenizer',
    schema: { enum: ['rule', 'o200k_base', 'cl100k_base'] },
  },
  {
    name: 'X-Svc-Load',
    in: 'header',
    description: 'Other generations that the request behaves as if they were running',
    schema: { type: 'integer', minimum: 0 },
  },
  {
    name: 'X-Svc-Prefix-Cache',
    in: 'header',
    description: 'Switches the automatic prompt cache',
    schema: { enum: ['on', 'off'] },
  },
  {
    name: 'X-Svc-Cached-Tokens',
    in: 'header',
    description: 'Prompt tokens that are reported as read from the cache',
    schema: { type: 'integer', minimum: 0 },
  },
  {
    name: 'X-Svc-Context-Window',
    in: 'header',
    description: 'Context window in tokens',
    schema: { type: 'integer', minimum: 1 },
  },
  ...(['Rpm', 'Tpm', 'Itpm', 'Otpm', 'Rpd', 'Tpd'] as const).map(
    (name): RouteParameter => ({
      name: `X-Svc-Limit-${name}`,
      in: 'header',
      description: 'Rate limit for the session, key and model of the request',
      schema: { type: 'integer', minimum: 1, maximum: 1_000_000_000 },
    }),
  ),
  {
    name: 'X-Svc-Reply',
    in: 'header',
    description: 'The text of the reply, with percent escapes',
    schema: { type: 'string' },
  },
  {
    name: 'X-Svc-Reply-Json',
    in: 'header',
    description: 'The reply as JSON or base64url of it, like the `reply` of a rule',
    schema: { type: 'string' },
  },
  {
    name: 'X-Svc-Stream-Shape',
    in: 'header',
    description: 'How a stream is written, such as `split=utf8, crlf` or `no-done`',
    schema: { type: 'string' },
  },
]

/** A route at one of its paths. */
interface Place {
  route: LlmRoute
  router: RouterPath
  description: RouteDescription
}

/** A route at a path, for finding the route of a captured request. */
export interface MountedRoute {
  method: string
  template: string
  instance: ProviderInstance
  route: LlmRoute
}

export function mount(
  app: FastifyInstance,
  instance: ProviderInstance,
  services: RunnerServices,
  routes: readonly LlmRoute[],
): MountedRoute[] {
  const errorForm = createErrorForm(instance, services)
  const credentials = credentialsOf(instance, services)
  const groups = new Map<string, Place[]>()
  for (const [base, below] of basesOf(instance)) {
    if (!base.includes('{')) services.svc.unroutedForm(base, errorForm)
    for (const route of routes) {
      if (!isBelow(route.path, below) || !isServedAt(route, base, instance)) continue
      const template = base + route.path.slice(below.length)
      const router = routerPath(template)
      const key = `${route.method} ${router.path}`
      const place = {
        route,
        router,
        description: describeAt(instance, route, template, { base, below, errorForm, credentials }),
      }
      groups.set(key, [...(groups.get(key) ?? []), place])
    }
  }
  for (const [key, places] of groups) register(app, key, places, instance, services)
  return [...groups.values()].flat().map(({ route, description }) => ({
    method: route.method,
    instance,
    route,
    template: description.path!,
  }))
}

/** Named providers have no aliases; those belong to the format itself. */
function basesOf(instance: ProviderInstance): [base: string, below: string][] {
  return [[instance.basePath, ''], ...(instance.isNamed ? [] : Object.entries(instance.format.aliases ?? {}))]
}

function isServedAt({ aliases }: LlmRoute, base: string, { basePath }: ProviderInstance): boolean {
  return aliases === undefined || base === basePath || aliases.includes(base)
}

function isBelow(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(prefix === '' ? '/' : `${prefix}/`)
}

function register(
  app: FastifyInstance,
  key: string,
  places: Place[],
  instance: ProviderInstance,
  services: RunnerServices,
): void {
  const [method = 'GET', path = ''] = key.split(' ', 2)
  const descriptions = places.map(place => place.description)
  const socket = places.find(({ route }) => route.socket !== undefined)
  app.route({
    method,
    url: path,
    ...describe(...descriptions),
    ...(socket === undefined
      ? {}
      : socketRoute(services, { instance, route: socket.route, params: {} }, target => services.find('POST', target))),
    handler: (request: FastifyRequest, reply: FastifyReply) => {
      const params = request.params as Record<string, string>
      for (const { route, router, description } of places) {
        const found = router.read === null ? {} : router.read(params['*'] ?? '')
        if (found === null) continue
        if (places.length > 1) services.svc.http.selectDescription(request, description)
        return run(
          services,
          { instance, route, params: router.read === null ? params : { ...params, ...found } },
          request,
          reply,
        )
      }
      return services.svc.http.notFound(request, reply)
    },
  })
}

function describeAt(
  instance: ProviderInstance,
  route: LlmRoute,
  template: string,
  at: { base: string; below: string } & Pick<RouteDescription, 'errorForm' | 'credentials'>,
): RouteDescription {
  const { describe: own } = route
  return {
    responses: {
      200: { description: "The response in the provider's format" },
      default: { description: "An error in the provider's format" },
    },
    ...own,
    path: template,
    methods: [route.method],
    summary: `${instance.title}: ${withoutTitle(own.summary, instance.format.title)}`,
    category,
    area: 'llm',
    ownFail: true,
    errorForm: at.errorForm,
    credentials: [...(at.credentials ?? []), ...(route.credentials ?? []).map(credentialOf)],
    parameters: [...parametersOf(at.base), ...(own.parameters ?? []), ...sharedParameters],
    examples: own.examples.map(example => moveExample(example, route, instance, at)),
  }
}

/** The credentials that clients may send; includes `none` if a credential is optional. */
function credentialsOf({ requirement, format }: ProviderInstance, { svc }: RunnerServices): RouteCredential[] {
  const isRequired =
    requirement.requireAuth || requirement.apiKey !== null || svc.variables.requireAuth || svc.variables.apiKey !== null
  return [...(isRequired ? [] : ['none' as const]), ...format.credentials.map(credentialOf)]
}

function credentialOf({ header = 'authorization', scheme, query, description }: CredentialRule): RouteCredential {
  const more = description === undefined ? {} : { description }
  if (query !== undefined) return { in: 'query', name: query, ...more }
  const name = header.toLowerCase()
  if (name === 'authorization' && scheme !== undefined)
    return scheme.toLowerCase() === 'bearer' ? 'bearer' : { scheme, ...more }
  return name === 'x-api-key' ? 'apiKey' : { in: 'header', name: header, ...more }
}

/** The path parameters of an alias. */
function parametersOf(base: string): RouteParameter[] {
  return templateParameters(base).map(({ name }) => ({
    name,
    in: 'path',
    required: true,
    description: 'Any value',
    schema: { type: 'string' },
  }))
}

/** Removes the provider's title from a summary, since the title of the instance is added. */
function withoutTitle(summary: string, title: string): string {
  return summary.startsWith(`${title}: `) ? summary.slice(title.length + 2) : summary
}

/** Moves an example to another base path; for a named provider it requests one of its models. */
function moveExample(
  example: RouteExample,
  route: LlmRoute,
  instance: ProviderInstance,
  { base, below }: { base: string; below: string },
): RouteExample {
  const from = instance.format.basePath + below
  const path = example.path.startsWith(from)
    ? replaceParameters(base, ({ name }) => `my-${name}`) + example.path.slice(from.length)
    : example.path
  if (!instance.isNamed) return { ...example, path }
  const { defaultModel } = instance
  return {
    ...example,
    path:
      defaultModel !== undefined && route.op === 'models' && route.path.endsWith('/{model}')
        ? path.slice(0, path.lastIndexOf('/') + 1) + encodeURIComponent(defaultModel)
        : path,
    // A named provider may require a credential or inject faults, so only expected errors are still certain.
    expectStatus: (example.expectStatus ?? 0) >= 400 ? (example.expectStatus ?? null) : null,
    ...(typeof example.body === 'string' ? { body: withModel(example.body, defaultModel) } : {}),
  }
}

function withModel(body: string, model: string | undefined): string {
  if (model === undefined || !body.startsWith('{')) return body
  const value = JSON.parse(body) as Record<string, unknown>
  return JSON.stringify('model' in value ? { ...value, model } : value)
}
