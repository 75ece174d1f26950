/**
 * Building a generation. A Fastify instance in which a plugin failed is spoilt, so a failure means building again
 * with that plugin's last good version, or without it; the others never notice.
 */
import fp from 'fastify-plugin'
import { reasonOf } from './discovery.ts'
import { failureCauses } from './failure-causes.ts'
import type { FailureCause } from './failure-causes.ts'
import type { Config } from '../config/variables.ts'
import { REQUEST_SERIALIZERS } from '../log/log.ts'
import type { Log } from '../log/log.ts'
import type { StateHolder, StateRegistry } from '../state/state-registry.ts'
import { collectDeclarations } from './declarations.ts'
import type { Declarations } from './declarations.ts'
import { resolvePlugins } from './resolution.ts'
import type { Resolution, RequestedState } from './resolution.ts'
import type { FoundPlugin } from './discovery.ts'
import { Generation } from './generation.ts'
import type { GenerationOptions } from './generation.ts'
import type { ExposedHeader, LoadError, Plugin, RouteDescription } from '../contract/plugin.ts'
import type { PluginVariables } from '../config/plugin-variables.ts'
import { Exemptions } from '../http/pipeline/exemptions.ts'
import { createSvc } from './svc/svc.ts'
import type { BuildContext, SharedServices } from './svc/svc.ts'

/** Code of a plugin that could be loaded. */
export interface LoadedPlugin {
  found: FoundPlugin
  definition: Plugin
  /** Generation in which this code was loaded. */
  loadedIn: number
}
/** One plugin as it goes into a build. */
export interface Candidate {
  name: string
  current: LoadedPlugin
  /** The version that ran last, when it is another one. */
  lastGood: LoadedPlugin | null
  options: Record<string, unknown>
}
export interface BuildInput {
  number: number
  candidates: Map<string, Candidate>
  requested: RequestedState
  /** Why the current version of a plugin can't be used, although it was loaded. */
  problems: ReadonlyMap<string, string>
  /** Problems met before (discovery, load), with their phase. */
  loadErrors: LoadError[]
  locate: BuildContext['locate']
}
export interface BuildServices {
  config: Config
  states: StateRegistry
  shared: SharedServices
  generationOptions: Pick<GenerationOptions, 'bodyLimit' | 'websockets' | 'errors'>
  variables: PluginVariables
  /** Default: a warning after 10 s, the end after 120 s. */
  registerTimes?: RegisterTimes | undefined
  exposedHeaders(ofPlugins: ExposedHeader[]): string
  /** Protocols that routes may count under, and faults that plugins inject: all have a series from the start. */
  declareSeries(declared: Pick<Declarations, 'areas' | 'faultKinds'>): { isArea(name: string): boolean }
  /** Registers the core's own routes. */
  registerCore(generation: Generation): void
}
export interface BuildResult {
  generation: Generation
  resolution: Resolution
  declarations: Declarations
  context: BuildContext
  /** What each enabled plugin runs on. */
  running: Map<string, LoadedPlugin>
  /** Why a new version was not taken, although the plugin runs (stale), or why it failed. */
  failures: Map<string, string>
  /** Where in their files the plugins of `failures` failed, as far as it is known. */
  causes: Map<string, FailureCause[]>
  /** Effective options of every plugin that could be loaded. */
  options: Map<string, Record<string, unknown>>
  release(): void
}

/** How long a plugin may take to register, in milliseconds. */
export interface RegisterTimes {
  /** It is named in the log, and goes on. */
  warn: number
  /** It is given up: it would hold up the others for ever. A busy machine is no reason, so this is long. */
  giveUp: number
}
const REGISTER_TIMES: RegisterTimes = { warn: 10_000, giveUp: 120_000 }
const PUBLIC_PAYLOAD = 256 * 1024
const PAYLOAD = 1024 * 1024

/** Rejects only when the core itself can't be built. */
export async function buildGeneration(input: BuildInput, services: BuildServices): Promise<BuildResult> {
  const failures = new Map<string, string>()
  const causes = new Map<string, FailureCause[]>()
  /** Plugins that get one more chance with the version that ran last. */
  const outdated = new Set<string>()
  const hopeless = new Set<string>()
  const giveUp = (plugin: string, error: string): void => {
    if (outdated.has(plugin) || input.candidates.get(plugin)!.lastGood === null) hopeless.add(plugin)
    else outdated.add(plugin)
    if (!failures.has(plugin)) failures.set(plugin, error)
  }
  for (const [plugin, error] of input.problems) giveUp(plugin, error)
  for (;;) {
    const attempt = await tryBuild(input, services, { failures, causes, outdated, hopeless })
    if ('generation' in attempt) return attempt
    if (!failures.has(attempt.plugin)) causes.set(attempt.plugin, attempt.causes)
    giveUp(attempt.plugin, attempt.error)
  }
}

/** What earlier attempts have shown. */
interface Experience {
  failures: Map<string, string>
  causes: Map<string, FailureCause[]>
  outdated: Set<string>
  hopeless: Set<string>
}
type Attempt = BuildResult | { plugin: string; error: string; causes: FailureCause[] }

async function tryBuild(
  input: BuildInput,
  services: BuildServices,
  { failures, causes, outdated, hopeless }: Experience,
): Promise<Attempt> {
  const { candidates, number } = input
  const versionOf = (name: string): LoadedPlugin =>
    outdated.has(name) ? candidates.get(name)!.lastGood! : candidates.get(name)!.current
  const definitions = new Map([...candidates.keys()].map(name => [name, versionOf(name).definition]))
  const failed = new Map([
    ...input.requested.failed,
    ...[...hopeless].map(name => [name, failures.get(name)!] as const),
  ])
  const resolution = resolvePlugins(definitions, { ...input.requested, failed })
  const declarations = collectDeclarations(
    new Map([...definitions].filter(([name]) => !(input.problems.has(name) && hopeless.has(name)))),
  )
  const { isArea } = services.declareSeries(declarations)

  const generation = new Generation({
    number,
    maxWebSocketPayload: services.config.publicMode ? PUBLIC_PAYLOAD : PAYLOAD,
    exposedHeaders: services.exposedHeaders(exposedBy(definitions, resolution)),
    exemptions: new Exemptions(declarations.exemptions),
    absent: [...resolution.decisions].flatMap(([name, { state }]) =>
      state === 'enabled' ? [] : definitions.get(name)!.paths.map(path => ({ path, name, state })),
    ),
    ...services.generationOptions,
  })
  const context: BuildContext = {
    generation,
    extensions: new Map(),
    registered: [],
    stopped: [],
    loadErrors: [...input.loadErrors],
    watched: new Map(),
    locate: input.locate,
  }
  const holders = new Map<string, StateHolder>()
  const release = (): void => holders.forEach(holder => void holder.release())
  const running = new Map<string, LoadedPlugin>()

  const abandon = async (plugin: string, error: unknown): Promise<Attempt> => {
    await generation.close(() => {})
    release()
    return { plugin, error: reasonOf(error), causes: failureCauses(error, versionOf(plugin).found) }
  }
  services.registerCore(generation)
  for (const name of resolution.order) {
    const version = versionOf(name)
    running.set(name, version)
    const holder = services.states.hold(number, name, version.found.fingerprint)
    holders.set(name, holder)
    const { definition, found } = version
    const log = services.shared.log.child({ plugin: name }, { serializers: REQUEST_SERIALIZERS })
    const svc = createSvc(
      {
        name,
        log,
        folder: found.folder,
        options: candidates.get(name)!.options,
        variables: services.variables.valuesOf(definition),
        faultKinds: definition.faultKinds ?? [],
        mayUse: [...(definition.buildsOn ?? []), ...(definition.uses ?? [])],
      },
      services.shared,
      context,
      holder,
    )
    try {
      await generation.app.register(
        fp(
          async app => {
            // As the log of a child scope, it is inherited.
            app.log = log
            app.addHook('onRoute', function (route) {
              checkAreas(route.config?.descriptions ?? [], isArea)
              generation.addRoute(
                { plugin: name, paths: definition.paths, log, area: definition.area ?? null },
                route,
                this,
              )
            })
            generation.fallbacks.serve(app, definition.paths)
            await withinTime(() => Promise.resolve(definition.register(app as never, svc)), {
              what: 'register',
              log,
              times: services.registerTimes,
            })
          },
          { name, encapsulate: true },
        ),
      )
    } catch (error) {
      return abandon(name, error)
    }
  }
  const finished = await finish(generation, context, holders, services)
  return finished === null
    ? {
        generation,
        resolution,
        declarations,
        context,
        running,
        failures,
        causes,
        options: new Map([...candidates].map(([name, { options }]) => [name, options])),
        release,
      }
    : abandon(finished.plugin, finished.error)
}

/** What enabled plugins expose in their order, then what others expose all the same. */
function exposedBy(definitions: ReadonlyMap<string, Plugin>, { order }: Resolution): ExposedHeader[] {
  const ofOthers = [...definitions].flatMap(([name, { exposes = [] }]) =>
    order.includes(name) ? [] : exposes.filter(header => typeof header !== 'string' && header.always),
  )
  return [...order.flatMap(name => definitions.get(name)!.exposes ?? []), ...ofOthers]
}

/** A series of the metrics for each area is there from the start, so a route can't make up one. */
function checkAreas(descriptions: readonly RouteDescription[], isArea: (name: string) => boolean): void {
  for (const { area, summary } of descriptions) {
    if (area !== undefined && !isArea(area))
      throw new Error(`the route "${summary}" counts under the area "${area}", which no plugin declares`)
  }
}

/** The last part of a build: what waits until every plugin has registered, then Fastify's own start. */
async function finish(
  generation: Generation,
  context: BuildContext,
  holders: ReadonlyMap<string, StateHolder>,
  { shared, registerTimes }: BuildServices,
): Promise<{ plugin: string; error: unknown } | null> {
  const steps = [
    ...[...holders].map(([plugin, holder]) => ({ plugin, what: 'loading registers', run: () => holder.ready() })),
    ...context.registered.map(({ plugin, run }) => ({ plugin, what: 'the work after registering', run })),
  ]
  for (const { plugin, what, run } of steps) {
    try {
      await withinTime(() => Promise.resolve(run()), { what, log: shared.log.child({ plugin }), times: registerTimes })
    } catch (error) {
      return { plugin, error }
    }
  }
  generation.fallbacks.addRoutes()
  await generation.ready()
  return null
}

async function withinTime<T>(
  work: () => Promise<T>,
  { what, log, times = REGISTER_TIMES }: { what: string; log: Log; times?: RegisterTimes | undefined },
): Promise<T> {
  const warning = setTimeout(
    () => log.warn('plugin is slow to start', { step: what, seconds: times.warn / 1000 }),
    times.warn,
  )
  let end: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    end = setTimeout(() => reject(new Error(`${what} took longer than ${times.giveUp / 1000} s`)), times.giveUp)
  })
  try {
    return await Promise.race([work(), late])
  } finally {
    clearTimeout(warning)
    clearTimeout(end)
  }
}
