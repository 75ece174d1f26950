/** Creates the `svc` object of one plugin in one generation from the services of the process. */
import type { RuleFileReader } from '../../rules/rule-files.ts'
import type { Config } from '../../config/variables.ts'
import type { Log } from '../../log/log.ts'
import type { StateHolder } from '../../state/state-registry.ts'
import { fingerprintPath } from '../discovery.ts'
import { createSvcListeners } from './listeners.ts'
import { checkedPrefix, hostEntry } from '../served-hosts.ts'
import type { Generation } from '../generation.ts'
import {
  forPlugin,
  type ExtensionPoints,
  type LoadError,
  type PersonalPoint,
  type ReloadResult,
  type ReportedError,
  type Svc,
  type SvcBudgets,
  type SvcHttp,
  type SvcInspector,
  type SvcInstance,
  type SvcMetrics,
  type SvcPki,
  type SvcReplicas,
  type SvcStreams,
} from '../../contract/plugin.ts'
import type { SvcTap } from '../../contract/tap.ts'
import type { SvcMediaTypes, MediaTypeCall } from '../../contract/calls.ts'

/** Services that all plugins share. */
export interface SharedServices {
  config: Config
  /** Variables of the process. */
  environment: Readonly<Record<string, string | undefined>>
  log: Log
  budgets: SvcBudgets
  http: SvcHttp
  calls: Pick<SvcMediaTypes, 'admitCall'>
  inspector: SvcInspector
  pki: SvcPki
  tap: SvcTap
  metrics: SvcMetrics
  instance: SvcInstance
  replicas: SvcReplicas
  cors: SvcMediaTypes['cors']
  follow(plugin: string, request: Parameters<SvcMediaTypes['follow']>[0]): MediaTypeCall
  streamsOf(generation: number): SvcStreams
  reload(options?: { force?: boolean }): Promise<ReloadResult>
}

/** State of the build of one generation. */
export interface BuildContext {
  generation: Generation
  extensions: Map<string, unknown>
  registered: { plugin: string; run: () => void | Promise<void> }[]
  stopped: { plugin: string; run: () => void | Promise<void> }[]
  loadErrors: LoadError[]
  advice: LoadError[]
  /** Additional files and folders to watch, with their fingerprints at the time of `svc.watch`. */
  watched: Map<string, Promise<string>>
  ruleFiles: RuleFileReader
  /** Adds file and line of an item of the plugin's section. */
  locate(plugin: string, error: ReportedError): LoadError
  /** The folder of `svc.yaml`. */
  configFolder: string
}

export interface PluginFacts {
  name: string
  /** Logger that adds the name of the plugin. */
  log: Log
  folder: string
  /** Key of its section in `svc.yaml`. */
  section: string
  options: Record<string, unknown>
  variables: Record<string, unknown>
  /** Fault kinds that the plugin declares. */
  faultKinds: readonly string[]
  /** Plugins in `buildsOn` and `uses`. Only their extension points can be used. */
  mayUse: readonly string[]
}

/** The first parts of the names of the core's own extension points. */
const CORE_OWNERS = ['core', 'testing', 'control']

export function createSvc(plugin: PluginFacts, shared: SharedServices, build: BuildContext, holder: StateHolder): Svc {
  const { name } = plugin
  /** The points that the plugin has used: plugins ask for them with every request. */
  const used = new Map<keyof ExtensionPoints, unknown>()
  return {
    name,
    options: plugin.options,
    config: shared.config,
    variables: plugin.variables,
    environment: variable => shared.environment[variable],
    folder: plugin.folder,
    log: plugin.log,
    http: { ...shared.http, markFault: checkedMarkFault(plugin, shared.http) },
    inspector: shared.inspector,
    pki: shared.pki,
    budgets: shared.budgets,
    metrics: shared.metrics,
    instance: shared.instance,
    streams: shared.streamsOf(build.generation.number),
    listeners: createSvcListeners(plugin, build),
    offer(point, value) {
      if (!String(point).startsWith(`${name}.`))
        throw new Error(
          `the extension point "${String(point)}" must be named "${name}.<point>", since ${name} offers it`,
        )
      if (build.extensions.has(point)) throw new Error(`the extension point "${String(point)}" is offered twice`)
      build.extensions.set(point, value)
    },
    use<K extends keyof ExtensionPoints>(point: K): never {
      const known = used.get(point)
      if (known !== undefined) return known as never
      const owner = String(point).split('.', 1)[0]!
      if (owner !== name && !CORE_OWNERS.includes(owner) && !plugin.mayUse.includes(owner))
        throw new Error(`"${String(point)}" belongs to ${owner}: add ${owner} to buildsOn or uses of the definition`)
      const value = build.extensions.get(point) as PersonalPoint<ExtensionPoints[K]> | undefined
      const personal = value?.[forPlugin]?.(name, { log: plugin.log }) ?? value
      if (personal !== undefined) used.set(point, personal)
      return personal as never
    },
    whenRegistered: run => void build.registered.push({ plugin: name, run }),
    whenClosed: run => build.generation.onClose(name, run),
    whenStopped: run => void build.stopped.push({ plugin: name, run }),
    reportLoadError: error => void build.loadErrors.push(build.locate(name, error)),
    reportAdvice: advice => void build.advice.push(build.locate(name, advice)),
    loadErrors: () => [...build.loadErrors],
    reload: options => shared.reload(options),
    unroutedForm: (path, form) => build.generation.addUnroutedForm(path, form),
    serveHost: (pattern, mount, options = {}) => build.generation.hosts.add(hostEntry(name, pattern, mount, options)),
    servePrefix: (path, mount, { at } = {}) =>
      build.generation.hosts.addPrefix(name, checkedPrefix(path), mount.replace(/\/$/, ''), at ?? null),
    reserve: mount => build.generation.hosts.reserve(mount.replace(/\/$/, '')),
    watch: path => void build.watched.set(path, fingerprintPath(path)),
    state: (store, bounds) => holder.state(store, bounds),
    eventLog: (log, bounds) => holder.eventLog(log, bounds),
    replicated: (register, options) => holder.replicated(register, options),
    channel: (channel, handler) => holder.channel(channel, handler),
    replicas: shared.replicas,
    secret: secret => holder.secret(secret),
    shared: (object, create, dispose) => holder.shared(object, create, dispose),
  }
}

/** `markFault` for declared fault kinds only: an undeclared kind would create a new metric series. */
function checkedMarkFault({ name, faultKinds }: PluginFacts, http: SvcHttp): SvcHttp['markFault'] {
  return (request, reply, kind, source, origin) => {
    if (!faultKinds.includes(kind))
      throw new Error(`the definition of ${name} does not declare the fault kind "${kind}"`)
    http.markFault(request, reply, kind, source, origin)
  }
}
