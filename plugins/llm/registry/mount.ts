/** Registers a provider's routes, with their descriptions, below its base path and its aliases. */
import {
  describe,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RouteCredential,
  type RouteDescription,
  type RouteExample,
  type RouteParameter,
} from 'svc/plugin'
import { replaceParameters, templateParameters } from 'svc/toolkit'
import { CATEGORY } from '../contract/category.ts'
import { createErrorForm } from '../path/error-form.ts'
import { socketRoute } from '../path/sockets.ts'
import type { ProviderInstance } from '../providers/instance.ts'
import { ROUTE_HEADERS } from '../headers/request-headers.ts'
import { routerPath, type RouterPath } from './router-path.ts'
import type { CredentialRule, LlmProvider } from '../contract/provider.ts'
import type { LlmExample, LlmRoute, ProviderRoute } from '../contract/route.ts'
import type { CallServices } from '../call/services.ts'
import { serveRequest } from '../path/request.ts'

/** A route at one of its paths. */
interface Place {
  route: ProviderRoute
  router: RouterPath
  description: RouteDescription
}

/** A route at a path, for finding the route of a captured request. */
export interface MountedRoute {
  method: string
  template: string
  instance: ProviderInstance
  route: ProviderRoute
}

export function mount(
  app: FastifyInstance,
  instance: ProviderInstance,
  services: CallServices,
  routes: readonly ProviderRoute[],
): MountedRoute[] {
  const errorForm = createErrorForm(instance, services)
  const credentials = credentialsOf(instance, services)
  const groups = new Map<string, Place[]>()
  for (const [base, below] of basesOf(instance)) {
    if (!base.includes('{')) services.svc.unroutedForm(base, errorForm)
    for (const route of routes) {
      if (!isBelow(route.path, below) || !isServedAt(route, base, instance)) continue
      if (route.parse !== undefined && route.validation !== undefined) services.validator.add(route.validation)
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

/** Named providers have no aliases; those belong to the format itself. `/` stands for all paths, like an empty text. */
function basesOf(instance: ProviderInstance): [base: string, below: string][] {
  return [[instance.basePath, ''], ...(instance.isNamed ? [] : aliasesOf(instance.format))]
}

function aliasesOf({ aliases = {}, routes, id, basePath }: LlmProvider): [base: string, below: string][] {
  return Object.entries(aliases).map(([base, prefix]) => {
    const below = prefix.replace(/\/$/, '')
    if (!routes.some(route => isBelow(route.path, below) && (route.aliases?.includes(base) ?? true)))
      throw new Error(
        `the alias ${base} of the provider ${id} serves none of its routes: no path below ${basePath} begins with ${prefix}`,
      )
    return [base.replace(/\/$/, ''), below]
  })
}

function isServedAt({ aliases }: ProviderRoute, base: string, { basePath }: ProviderInstance): boolean {
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
  services: CallServices,
): void {
  const [method = 'GET', path = ''] = key.split(' ', 2)
  const descriptions = places.map(place => place.description)
  const socket = places.map(({ route }) => route).find(isSocketRoute)
  app.route({
    method,
    url: path,
    ...describe(...descriptions),
    ...(socket === undefined
      ? {}
      : socketRoute(services, { instance, route: socket }, target => services.find('POST', target))),
    handler: (request: FastifyRequest, reply: FastifyReply) => {
      const params = request.params as Record<string, string>
      for (const { route, router, description } of places) {
        const found = router.read === null ? {} : router.read(params['*'] ?? '')
        if (found === null) continue
        if (places.length > 1) services.svc.http.selectDescription(request, description)
        return serveRequest(
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

function isSocketRoute(route: ProviderRoute): route is LlmRoute {
  return route.parse !== undefined && route.socket !== undefined
}

const JSON_BODY = { required: true, content: { 'application/json': { type: 'object' } } } as const
const PACE = { name: 'X-Svc-Tokens-Per-Second', value: '500' }

function describeAt(
  instance: ProviderInstance,
  route: ProviderRoute,
  template: string,
  at: { base: string; below: string } & Pick<RouteDescription, 'errorForm' | 'credentials'>,
): RouteDescription {
  const { describe: own } = route
  return {
    responses: {
      200: { description: "The response in the provider's format" },
      default: { description: "An error in the provider's format" },
    },
    ...(own.examples.some(({ json }) => json !== undefined) ? { requestBody: JSON_BODY } : {}),
    ...own,
    path: template,
    methods: [route.method],
    summary: `${instance.title}: ${withoutTitle(own.summary, instance.format.title)}`,
    category: CATEGORY,
    area: 'llm',
    ownFail: true,
    errorForm: at.errorForm,
    credentials: route.needsNoCredential
      ? ['none']
      : [...(at.credentials ?? []), ...(route.credentials ?? []).map(credentialOf)],
    parameters: [...parametersOf(at.base), ...(own.parameters ?? []), ...ROUTE_HEADERS],
    examples: own.examples.map(example => moveExample(requestOf(example), route, instance, at)),
  }
}

/** The credentials that clients may send; includes `none` if a credential is optional. */
function credentialsOf({ requirement, format }: ProviderInstance, { svc }: CallServices): RouteCredential[] {
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

/** The request of an example. */
function requestOf({
  json,
  isStreamed = json !== undefined && 'stream' in json,
  ...example
}: LlmExample): RouteExample {
  const request = isStreamed ? { ...example, headers: [...(example.headers ?? []), PACE] } : example
  if (json === undefined) return request
  return { method: 'POST', expectStatus: 200, ...request, body: JSON.stringify(json), bodyType: 'json' }
}

/** Moves an example to another base path; for a named provider it requests one of its models. */
function moveExample(
  example: RouteExample,
  route: ProviderRoute,
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
