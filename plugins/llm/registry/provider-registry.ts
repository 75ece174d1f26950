/** Registers the wire formats and the named providers, and lists them for the index. */
import { describe, type FastifyInstance, type FastifyRequest } from 'svc/plugin'
import { readParameters, templateParameters, unknownName } from 'svc/toolkit'
import { createEngine, type Engine } from './engine.ts'
import { compileRule, type CompiledRule } from '../engine/rules.ts'
import { listedModels, type ProviderInstance } from '../providers/instance.ts'
import { registerMetricsRoutes } from '../inference/routes.ts'
import { registerServerRoutes } from '../inference/server-routes.ts'
import { serveHosts } from './hosts.ts'
import { mount, type MountedRoute } from './mount.ts'
import { withMountedFormats } from './mounted-formats.ts'
import { CATEGORY } from '../contract/category.ts'
import { createNamed } from '../providers/named-providers.ts'
import { readSettings, type SettingsServices } from '../providers/settings.ts'
import type { LlmOptions } from '../providers/options.ts'
import { defaultLatency } from '../streaming/pace.ts'
import type { ErrorFacts, ErrorKind, ErrorResponse, LlmProvider } from '../contract/provider.ts'
import type { ProviderRoute } from '../contract/route.ts'
import type { RouteValidation } from '../contract/validation.ts'
import type { LoggedCall } from '../usage/call.ts'
import { callOf, type UsageEntry } from '../usage/entry.ts'
import { createSigned, type Signed } from '../state/signed.ts'
import type { Batches } from '../state/batches.ts'
import type { Documents } from '../state/documents.ts'
import type { CallServices } from '../call/services.ts'
import type { Level } from '../validation/level.ts'
import type { PlacedRoute } from '../testing/protocol.ts'
import type { ProviderLoad } from '../capacity/slots.ts'
import type { Providers, ServedProvider } from './providers.ts'

const defaultOrder = 100
/** Longer paths of captured requests belong to no route. */
const MAX_PATH = 2000

/** A route with rules of its vendor, at the path of a provider. */
export interface ServedValidation {
  validation: RouteValidation
  method: string
  path: string
  provider: string
}

export class ProviderRegistry implements Providers {
  readonly engine: Engine
  readonly documents: Documents
  readonly batches: Batches
  // Bound, since plugins pass them on.
  readonly calls = (requestIds: ReadonlySet<string>, session: string | null, limit: number): Promise<LoggedCall[]> =>
    this.#services.ledger.callsOf(requestIds, session, limit)
  readonly usage = (entry: UsageEntry): void => this.#services.ledger.add(callOf(this.#nameOf(entry), entry))
  readonly signed = (purpose: string): Signed => createSigned(this.#services.svc, purpose)
  readonly #services: CallServices
  readonly #rules: CompiledRule[]
  readonly #formats = new Map<string, LlmProvider>()
  readonly #instances: ProviderInstance[] = []
  readonly #mounted: MountedRoute[] = []
  /** Routes that other plugins add to a format, by its id. */
  readonly #added = new Map<string, ProviderRoute[]>()
  readonly #states: ((session: string | null) => Promise<number>)[] = []

  /** `rules` is the list in `services`; plugins add rules to it. */
  constructor(services: CallServices, rules: CompiledRule[], state: { documents: Documents; batches: Batches }) {
    this.documents = state.documents
    this.batches = state.batches
    this.#services = services
    this.engine = createEngine(services.readsDirectives)
    this.#rules = rules
  }

  register(app: FastifyInstance, registered: LlmProvider): void {
    const provider = withMountedFormats(registered)
    const same = this.#instances.find(other => other.name === provider.id || other.basePath === provider.basePath)
    if (same !== undefined)
      throw new Error(
        `the provider ${provider.id} can't be registered: its id or its path ${provider.basePath} is already used by ${same.title}`,
      )
    this.#formats.set(provider.id, provider)
    const settings = readSettings(
      this.#services.builtin[provider.id] ?? {},
      `llm.builtin.${provider.id}`,
      { name: provider.id, models: provider.models },
      this.#settingsServices(),
    )
    this.#serve(app, {
      name: provider.id,
      title: provider.title,
      basePath: provider.basePath,
      format: provider,
      models: provider.models,
      strictModels: false,
      rules: [],
      latency: defaultLatency,
      fail: null,
      ...settings,
      hasWindows: settings.contextWindow !== undefined,
      requirement: { requireAuth: false, apiKey: null },
      isNamed: false,
    })
  }

  addRoutes(app: FastifyInstance, format: string, routes: readonly ProviderRoute[]): void {
    const instance = this.#instances.find(({ name }) => name === format)
    if (instance === undefined) throw new Error(`routes can't be added to the unknown format ${format}`)
    this.#added.set(format, [...this.#routesOf(instance), ...routes])
    this.#mounted.push(...mount(app, instance, this.#services, routes))
  }

  errorOf(format: string, kind: ErrorKind, facts: ErrorFacts): ErrorResponse | null {
    return this.#formats.get(format)?.error(kind, facts) ?? null
  }

  /** The routes that other plugins have added to the format of an instance. */
  #routesOf({ format }: ProviderInstance): ProviderRoute[] {
    return this.#added.get(format.id) ?? []
  }

  /** The first segment of the paths at which providers are served. */
  paths(): string[] {
    return [...new Set(this.#mounted.map(({ template }) => template.split('/', 2).join('/')))]
  }

  /** The routes that have rules of their vendors. */
  validations(): ServedValidation[] {
    return this.#mounted.flatMap(({ method, template, instance, route }) =>
      route.parse === undefined || route.validation === undefined
        ? []
        : [{ validation: route.validation, method, path: template, provider: instance.name }],
    )
  }

  /** The route of a request by its method and decoded path; null if no provider serves it. */
  find(method: string, path: string): PlacedRoute | null {
    if (path.length > MAX_PATH) return null
    for (const { method: own, template, instance, route } of this.#mounted) {
      if (own !== method) continue
      const values = readParameters(template, path)
      if (values === null) continue
      const names = templateParameters(template).map(({ name }) => name)
      return { instance, route, params: Object.fromEntries(names.map((name, place) => [name, values[place] ?? ''])) }
    }
    return null
  }

  #nameOf({ provider }: UsageEntry): string {
    if (this.#instances.some(({ name }) => name === provider)) return provider
    throw new TypeError(`the ledger has no entries of the unknown provider ${provider}`)
  }

  /** The format of a provider; its name if it is unknown. */
  formatOf(name: string): string {
    return this.#instances.find(instance => instance.name === name)?.format.id ?? name
  }

  addRule(rule: Parameters<Providers['addRule']>[0]): void {
    this.#rules.push(compileRule(rule))
  }

  addFault(fault: Parameters<Providers['addFault']>[0]): void {
    this.#services.faults.add(fault)
  }

  addState(clear: (session: string | null) => Promise<number>): void {
    this.#states.push(clear)
  }

  /** Clears what providers store for a session, or everything. */
  async clearState(session: string | null): Promise<number> {
    const counts = await Promise.all(this.#states.map(clear => clear(session)))
    return counts.reduce((sum, count) => sum + count, 0)
  }

  /** Creates the named providers of svc.yaml; reports and skips invalid ones. */
  registerNamed(app: FastifyInstance, options: LlmOptions): void {
    const { providers, builtin } = options
    const { svc, faults } = this.#services
    for (const id of Object.keys(builtin))
      if (!this.#formats.has(id)) {
        const { message, remedy } = unknownName('format', id, [...this.#formats.keys()])
        svc.reportLoadError({ at: `llm.builtin.${id}`, message, remedy })
      }
    providers.forEach((item, index) => {
      const instance = createNamed(item, `llm.providers[${index}]`, {
        formats: this.#formats,
        faults,
        advise: (at, message, remedy) => svc.reportAdvice({ at, message, remedy }),
        isTaken: name => this.#instances.some(other => other.name === name || other.basePath === `/ai/${name}`),
        ...this.#settingsServices(),
      })
      if (instance !== null) this.#serve(app, instance)
    })
    this.#services.validator.checkOptions()
    serveHosts(svc, this.#instances, options)
  }

  #settingsServices(): SettingsServices {
    const { svc, profiles, cache, loads, servers, validator } = this.#services
    return {
      profiles,
      cache,
      validator,
      batches: this.batches,
      loads,
      servers,
      requestTimeoutMs: svc.config.requestTimeoutSecs * 1000,
      report: (at, message, remedy) => svc.reportLoadError({ at, message, remedy }),
    }
  }

  #serve(app: FastifyInstance, instance: ProviderInstance): void {
    this.#instances.push(instance)
    this.#mounted.push(
      ...mount(app, instance, this.#services, [...instance.format.routes, ...this.#routesOf(instance)]),
    )
    const { svc } = this.#services
    const { engineMetrics: metrics, basePath, title, server } = instance
    if (metrics !== undefined) registerMetricsRoutes(app, svc, { basePath, title, category: CATEGORY, metrics })
    if (server !== undefined) registerServerRoutes(app, svc, { basePath, title, category: CATEGORY, server })
    app.get(
      instance.basePath,
      describe({
        summary: `${instance.title}: base URL, models and routes`,
        category: CATEGORY,
        area: 'http',
        examples: [{ name: 'Index', path: instance.basePath, expectStatus: 200 }],
      }),
      (request, reply) => reply.send(this.#describe(request, instance)),
    )
  }

  get hasCommonKey(): boolean {
    return this.#services.svc.variables.apiKey !== null
  }

  loads(): { id: string; load: ProviderLoad; slots: number }[] {
    const now = Date.now()
    return this.#inOrder().flatMap(({ name, slots, engineMetrics }) =>
      slots === undefined || slots.settings.slots === Infinity
        ? []
        : [{ id: name, load: engineMetrics?.load(now) ?? slots.load(), slots: slots.settings.slots }],
    )
  }

  list(): ServedProvider[] {
    return this.#inOrder().map(instance => {
      const { name, title, format, basePath, models, requirement } = instance
      return {
        id: name,
        title,
        format: format.id,
        basePath,
        sdkPath: basePath + (format.sdkPath ?? ''),
        models: models.map(model => model.id),
        routes: [...format.routes, ...this.#routesOf(instance)].map(({ method, path }) => ({ method, path })),
        hasOwnKey: requirement.apiKey !== null,
      }
    })
  }

  /** The providers in the response of `GET /ai`. */
  index(request: FastifyRequest): object[] {
    return this.#inOrder().map(instance => this.#describe(request, instance))
  }

  #describe(request: FastifyRequest, instance: ProviderInstance): object {
    const { svc, validator } = this.#services
    const added = this.#routesOf(instance)
    const hosts = svc.http.hosts(request, instance.basePath, listPath([...instance.format.routes, ...added]))
    const { level } = validator.strictnessOf(instance.validation)
    const described = describeInstance(instance, added, { origin: svc.http.baseUrl(request), level })
    return { ...described, ...(hosts.length === 0 ? {} : { hosts }) }
  }

  /** Formats by their `order`, then named providers in the order of svc.yaml. */
  #inOrder(): ProviderInstance[] {
    const place = ({ isNamed, format }: ProviderInstance): number =>
      isNamed ? Infinity : (format.order ?? defaultOrder)
    return this.#instances
      .map((instance, at) => ({ instance, at }))
      .sort((a, b) => (place(a.instance) === place(b.instance) ? a.at - b.at : place(a.instance) - place(b.instance)))
      .map(({ instance }) => instance)
  }
}

/** `level`: how strictly requests are checked that say nothing about it. */
function describeInstance(
  instance: ProviderInstance,
  added: readonly ProviderRoute[],
  { origin, level }: { origin: string; level: Level },
): object {
  const { format } = instance
  const flavours = flavoursOf([...format.routes, ...added])
  return {
    id: instance.name,
    format: format.id,
    title: instance.title,
    base_path: instance.basePath,
    sdk_base_url: `${origin}${instance.basePath}${format.sdkPath ?? ''}`,
    credentials: format.credentials.map(rule => rule.source),
    models: listedModels(instance).map(model => model.id),
    ...(flavours.length === 0 ? {} : { flavours, validation: level }),
    routes: [...format.routes, ...added].map(({ method, path }) => ({ method, path: instance.basePath + path })),
  }
}

/** A path that answers GET: the list of models, if the format has one. */
function listPath(routes: readonly ProviderRoute[]): string {
  const lists = routes.filter(({ method, path }) => method === 'GET' && !path.includes('{'))
  return (lists.find(({ op }) => op === 'models') ?? lists.find(({ path }) => path !== '/'))?.path ?? '/'
}

function flavoursOf(routes: readonly ProviderRoute[]): string[] {
  const flavours = routes.flatMap(route => (route.parse === undefined ? [] : (route.validation?.flavour ?? [])))
  return [...new Set(flavours)]
}
