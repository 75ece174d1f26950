/**
 * Builds a generation. A Fastify instance cannot be used after a plugin has failed in it. If a plugin fails, the generation
 * is built again with the plugin's previous version, and then without the plugin. Other plugins are not affected.
 */
import fp from 'fastify-plugin'
import { fingerprintPath, reasonOf, type FoundPlugin } from './discovery.ts'
import { failureCauses, type FailureCause } from './failure-causes.ts'
import type { Config } from '../config/variables.ts'
import { REQUEST_SERIALIZERS, type Log } from '../log/log.ts'
import type { StateHolder, StateRegistry } from '../state/state-registry.ts'
import { collectDeclarations, type Declarations } from './declarations.ts'
import { resolvePlugins, type Resolution, type RequestedState } from './resolution.ts'
import { Generation, type GenerationOptions } from './generation.ts'
import type { ExposedHeader, LoadError, Plugin, ReportedError, RouteDescription } from '../contract/plugin.ts'
import type { ControlTools } from '../contract/control-tools.ts'
import { BuildAbandoned, type BuildProgress } from './build-progress.ts'
import { ownTurn } from '../contract/turns.ts'
import type { Bundler } from '../contract/bundler.ts'
import { StateUnavailable } from '../contract/state.ts'
import type { PluginVariables } from '../config/plugin-variables.ts'
import { Exemptions } from '../http/routes/exemptions.ts'
import { FamiliarPaths } from '../http/routes/familiar-paths.ts'
import { DeclaredFaults } from '../rules/declared-faults.ts'
import { DocumentReader, documentFiles } from '../config/document-files.ts'
import { RuleFileReader } from '../rules/rule-files.ts'
import { corePoints } from './svc/core-points.ts'
import { reportHosts, reportPrefixes } from './served-hosts.ts'
import { createSvc, type BuildContext, type SharedServices } from './svc/svc.ts'

/** A plugin whose code was loaded. */
export interface LoadedPlugin {
  found: FoundPlugin
  definition: Plugin
  /** Generation in which this code was loaded. */
  loadedIn: number
}
/** A plugin that takes part in a build. */
export interface Candidate {
  name: string
  current: LoadedPlugin
  /** The version that ran last, if it is different. */
  lastGood: LoadedPlugin | null
  options: Record<string, unknown>
}
export interface BuildInput {
  number: number
  candidates: Map<string, Candidate>
  requested: RequestedState
  /** Why the loaded version of a plugin can't be used, by plugin. */
  problems: ReadonlyMap<string, string>
  /** Problems in the configuration that were found before the build. */
  loadErrors: LoadError[]
  locate: BuildContext['locate']
  progress: BuildProgress
  /** The folder of `svc.yaml`: paths of rule files are relative to it. */
  configFolder: string
  /** Reads the sections of the core, once all plugins have registered. */
  readCoreSections(generation: Generation, context: BuildContext): Promise<void>
}
export interface BuildServices {
  config: Config
  states: StateRegistry
  shared: SharedServices
  generationOptions: Pick<GenerationOptions, 'bodyLimit' | 'ports' | 'websockets' | 'errors' | 'replica'>
  variables: PluginVariables
  exposedHeaders(ofPlugins: ExposedHeader[]): string
  /** Creates the metrics for all areas and fault kinds, so that they exist from the start. */
  declareSeries(declared: Pick<Declarations, 'areas' | 'faultKinds'>): { isArea(name: string): boolean }
  /** Registers the core's own routes. */
  registerCore(generation: Generation): void
  bundler: Bundler
  /** The extension point for operations of the control plane as tools. */
  controlTools(generation: Generation): ControlTools
}
export interface BuildResult {
  generation: Generation
  resolution: Resolution
  declarations: Declarations
  context: BuildContext
  /** The running version of each enabled plugin. */
  running: Map<string, LoadedPlugin>
  /** Why a plugin failed or, if its previous version is running, why the new version failed. */
  failures: Map<string, string>
  /** Where in their files the plugins in `failures` failed, if known. */
  causes: Map<string, FailureCause[]>
  /** Whether a plugin failed because the state store was unavailable. */
  lacksState: boolean
  /** Effective options of every plugin that could be loaded. */
  options: Map<string, Record<string, unknown>>
  release(): void
}

const PAYLOADS = { usual: 1024 * 1024, large: 15 * 1024 * 1024 }
const PUBLIC_PAYLOADS = { usual: 256 * 1024, large: 256 * 1024 }

/** Builds a generation. Rejects only if the core itself fails, or with `BuildAbandoned`. */
export async function buildGeneration(input: BuildInput, services: BuildServices): Promise<BuildResult> {
  const failures = new Map<string, string>()
  const causes = new Map<string, FailureCause[]>()
  /** Plugins that are built with the version that ran last. */
  const rolledBack = new Set<string>()
  /** Plugins that are left out. */
  const excluded = new Set<string>()
  /** Plugins that failed because the state store was unavailable. */
  const lackingState = new Set<string>()
  const markFailed = (plugin: string, error: string): void => {
    if (rolledBack.has(plugin) || input.candidates.get(plugin)!.lastGood === null) excluded.add(plugin)
    else rolledBack.add(plugin)
    if (!failures.has(plugin)) failures.set(plugin, error)
  }
  for (const [plugin, error] of input.problems) markFailed(plugin, error)
  for (;;) {
    const attempt = await tryBuild(input, services, { failures, causes, rolledBack, excluded, lackingState })
    if ('generation' in attempt) return { ...attempt, lacksState: lackingState.size > 0 }
    if (attempt.lacksState) lackingState.add(attempt.plugin)
    if (!failures.has(attempt.plugin)) causes.set(attempt.plugin, attempt.causes)
    markFailed(attempt.plugin, attempt.error)
  }
}

/** Results of earlier attempts. */
interface EarlierAttempts {
  failures: Map<string, string>
  causes: Map<string, FailureCause[]>
  rolledBack: Set<string>
  excluded: Set<string>
  lackingState: Set<string>
}
type Attempt =
  | Omit<BuildResult, 'lacksState'>
  | { plugin: string; error: string; causes: FailureCause[]; lacksState: boolean }

async function tryBuild(
  input: BuildInput,
  services: BuildServices,
  { failures, causes, rolledBack, excluded, lackingState }: EarlierAttempts,
): Promise<Attempt> {
  const { candidates, number } = input
  const versionOf = (name: string): LoadedPlugin =>
    rolledBack.has(name) ? candidates.get(name)!.lastGood! : candidates.get(name)!.current
  const definitions = new Map([...candidates.keys()].map(name => [name, versionOf(name).definition]))
  const failed = new Map([
    ...input.requested.failed,
    ...[...excluded].map(name => [name, failures.get(name)!] as const),
  ])
  const resolution = resolvePlugins(definitions, { ...input.requested, failed, lackingState })
  const declarations = collectDeclarations(
    new Map([...definitions].filter(([name]) => !(input.problems.has(name) && excluded.has(name)))),
  )
  const { isArea } = services.declareSeries(declarations)

  const generation = new Generation({
    number,
    maxWebSocketPayload: services.config.publicMode ? PUBLIC_PAYLOADS : PAYLOADS,
    exposedHeaders: exposedBy(definitions, resolution, services.exposedHeaders),
    exemptions: new Exemptions(declarations.exemptions),
    absent: [...resolution.decisions].flatMap(([name, decision]) =>
      decision.state === 'enabled'
        ? []
        : definitions.get(name)!.paths.map(path => ({
            path,
            name,
            state: decision.state,
            lacksState: 'lacksState' in decision,
          })),
    ),
    faults: new DeclaredFaults(new Map(resolution.order.map(name => [name, definitions.get(name)!.faults ?? {}]))),
    familiar: new FamiliarPaths(
      resolution.order.flatMap(name => definitions.get(name)!.familiar ?? []),
      ({ served, name }) => served !== undefined && isOn(optionOf(candidates, served), name),
    ),
    ...services.generationOptions,
  })
  const watched: BuildContext['watched'] = new Map()
  const loadErrors = [...input.loadErrors]
  const report = (plugin: string, error: ReportedError): void => void loadErrors.push(input.locate(plugin, error))
  const documents = new DocumentReader({
    folder: input.configFolder,
    watch: path => void watched.set(path, fingerprintPath(path)),
  })
  const ruleFiles = new RuleFileReader({
    documents,
    report,
    warn(plugin, error) {
      const { file, at, message, line } = input.locate(plugin, error)
      services.shared.log.warn('a file with rules is wrong', { file, at, message, line })
    },
  })
  const context: BuildContext = {
    generation,
    extensions: new Map<string, unknown>([
      ...corePoints(generation, services.shared),
      ['core.documents', documentFiles(documents, report)],
      ['testing.rules', ruleFiles],
      ['control.tools', services.controlTools(generation)],
      ['core.bundler', services.bundler],
    ]),
    registered: [],
    stopped: [],
    loadErrors,
    advice: [],
    watched,
    ruleFiles,
    locate: input.locate,
    configFolder: input.configFolder,
  }
  const holders = new Map<string, StateHolder>()
  const release = (): void => holders.forEach(holder => void holder.release())
  const running = new Map<string, LoadedPlugin>()

  const abandon = async (plugin: string, error: unknown): Promise<Attempt> => {
    await generation.close(() => {})
    release()
    if (error instanceof BuildAbandoned) throw error
    const lacksState = error instanceof StateUnavailable
    return { plugin, error: reasonOf(error), causes: failureCauses(error, versionOf(plugin).found), lacksState }
  }
  services.registerCore(generation)
  for (const name of resolution.order) {
    // Requests that arrive in the meantime wait for one plugin only.
    await ownTurn()
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
        section: definition.section ?? name,
        options: candidates.get(name)!.options,
        variables: services.variables.valuesOf(definition),
        faultKinds: [...(definition.faultKinds ?? []), ...Object.keys(definition.faults ?? {})],
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
            // Child scopes inherit the log.
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
            await input.progress.run(name, 'register', log, () => definition.register(app as never, svc))
          },
          { name, encapsulate: true },
        ),
      )
    } catch (error) {
      return abandon(name, error)
    }
  }
  const finished = await finishBuild(generation, context, holders, input.progress, services.shared.log)
  await input.readCoreSections(generation, context)
  reportHosts(generation, context, services.shared.log)
  reportPrefixes(
    generation,
    context,
    resolution.order.map(name => [name, versionOf(name).definition.paths] as const),
  )
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

/** The value of an option, as `<plugin>.<option>`. */
function optionOf(candidates: ReadonlyMap<string, Candidate>, path: string): unknown {
  const [plugin = '', option = ''] = path.split('.', 2)
  return candidates.get(plugin)?.options[option]
}

/** Whether an option is true, or a list that has the name. */
function isOn(value: unknown, name: string | undefined): boolean {
  return value === true || (Array.isArray(value) && name !== undefined && value.includes(name))
}

/**
 * `Access-Control-Expose-Headers` by the plugin that answers: what it and the plugins that it builds on declare, and what is
 * always exposed. Null: the core answers.
 */
function exposedBy(
  definitions: ReadonlyMap<string, Plugin>,
  { order }: Resolution,
  print: BuildServices['exposedHeaders'],
): ReadonlyMap<string | null, string> {
  const isAlways = (header: ExposedHeader): boolean => typeof header !== 'string' && header.always === true
  const always = [...definitions.values()].flatMap(({ exposes = [] }) => exposes.filter(isAlways))
  const exposed = new Map<string | null, string>([[null, print(always)]])
  // A plugin comes after those that it builds on.
  const own = new Map<string, ExposedHeader[]>()
  for (const name of order) {
    const { buildsOn = [], exposes = [] } = definitions.get(name)!
    own.set(name, [...buildsOn.flatMap(other => own.get(other) ?? []), ...exposes])
    exposed.set(name, print([...always, ...own.get(name)!]))
  }
  return exposed
}

/** Throws for an undeclared area: its metrics would not exist from the start. */
function checkAreas(descriptions: readonly RouteDescription[], isArea: (name: string) => boolean): void {
  for (const { area, summary } of descriptions) {
    if (area !== undefined && !isArea(area))
      throw new Error(`the route "${summary}" uses the area "${area}", which no plugin declares`)
  }
}

/** The last part of a build: runs the `whenRegistered` callbacks, then starts Fastify. */
async function finishBuild(
  generation: Generation,
  context: BuildContext,
  holders: ReadonlyMap<string, StateHolder>,
  progress: BuildProgress,
  log: Log,
): Promise<{ plugin: string; error: unknown } | null> {
  const steps = [
    ...[...holders].map(([plugin, holder]) => ({ plugin, what: 'loading registers', run: () => holder.ready() })),
    ...context.registered.map(({ plugin, run }) => ({ plugin, what: 'a whenRegistered callback', run })),
  ]
  for (const { plugin, what, run } of steps) {
    try {
      await ownTurn()
      await progress.run(plugin, what, log.child({ plugin }), run)
    } catch (error) {
      return { plugin, error }
    }
  }
  await ownTurn()
  generation.fallbacks.addRoutes()
  await generation.ready()
  return null
}
