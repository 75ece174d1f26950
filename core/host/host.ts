/**
 * The plugin host: reads the configuration and the plugin folders, builds a generation, replaces the running one and lets it
 * drain. Reloads run one at a time; reloads requested in the meantime share the next run.
 */
import { createHash } from 'node:crypto'
import { dirname, isAbsolute, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Config } from '../config/variables.ts'
import type { Log } from '../log/log.ts'
import type { StreamRegistry } from '../http/streams/stream-registry.ts'
import { readCoreSections } from './read-sections.ts'
import { declarationProblems, type Declarations } from './declarations.ts'
import { buildGeneration, type BuildResult, type BuildServices, type Candidate } from './build.ts'
import { BuildAbandoned, BuildProgress, type Building, type RegisterTimes } from './build-progress.ts'
import { discover, fingerprintPath, type FoundPlugin } from './discovery.ts'
import { Draining } from './draining.ts'
import type { FailureCause } from './failure-causes.ts'
import type { Generation } from './generation.ts'
import { Inventory, type KnownCode } from './inventory.ts'
import type { LoadError, PluginRecord, ReloadResult, Replicated, ReportedError } from '../contract/plugin.ts'
import { recordsOf } from './records.ts'
import { changed, logFieldsOf, unchanged } from './reload-result.ts'
import { RunQueue } from './run-queue.ts'
import { type AddedSections, Settings } from './settings.ts'
import type { RequestedState } from './resolution.ts'
import { planSwitch, type ClearResult, type SwitchResult } from './switching.ts'

export interface HostOptions {
  config: Config
  log: Log
  /** Folder of the built-in plugins. */
  builtinFolder: string
  workingDirectory: string
  /** Version of svc. */
  version: string
  /** Absolute path of `svc.yaml`, or null. */
  configFile: string | null
  /** Options of a subcommand that override items of a plugin's section. */
  extraOptions?: { plugin: string; options: Record<string, unknown> }
  /** Sections that a subcommand adds to those of `svc.yaml`. */
  addedSections?: AddedSections
  /** Shared by hosts of one process. */
  knownCode?: KnownCode
  build: BuildServices
  /** Default: a warning after 10 s, failure after 120 s. */
  registerTimes?: RegisterTimes | undefined
  /** Plugins that `switch` has enabled (true) or disabled, by name. A change by another replica is followed. */
  switches: Replicated<Record<string, boolean>>
  /** Warnings about variables of the core, which have already been logged. */
  logged: readonly string[]
  streams: StreamRegistry
}

export class Host {
  readonly #options: HostOptions
  readonly #inventory: Inventory
  /** The value of `switches` that the running generation was built with. */
  #builtSwitches: Readonly<Record<string, boolean>> = {}
  readonly #draining: Draining
  #result: BuildResult | null = null
  /** Whether the running generation is the first one. */
  #isFirst = true
  #found: FoundPlugin[] = []
  #loadedAt = new Date()
  #bytes = ''
  /** Warnings about the environment that have been logged. */
  readonly #warned: Set<string>
  /** The build that is in progress. */
  #progress: BuildProgress | null = null
  readonly #queue = new RunQueue<ReloadResult>(async force => {
    const [result] = await Promise.all([this.#reload(force), this.onReload()])
    return result
  })
  #stopFollowing: () => void = () => {}
  readonly settings: Settings
  /** Called after each swap, for example to update the watched files. The reload waits for it. */
  onSwap: () => Promise<void> = async () => {}
  /** Called on every reload, even if nothing has changed. */
  onReload: () => Promise<void> = async () => {}

  constructor(options: HostOptions) {
    this.#options = options
    this.#draining = new Draining(options.streams, (plugin, error) => this.#reportError(plugin, error))
    this.#inventory = new Inventory(options.knownCode, {
      bundler: options.build.bundler,
      ...(options.registerTimes?.run !== undefined && { maxRunMs: options.registerTimes.run }),
    })
    this.#warned = new Set(options.logged)
    const reading = { publicMode: options.config.publicMode, schemas: options.knownCode?.schemas }
    this.settings = new Settings(options.configFile, reading, options.addedSections)
  }

  /** Builds the first generation. Rejects only if the routes of the core fail; everything else is a warning. */
  async start(): Promise<void> {
    while ((await this.#queue.enqueue(() => this.#reload(true))) === null);
    this.#stopFollowing = this.#options.switches.subscribe(() => {
      this.#progress?.supersede()
      this.#queue
        .enqueue(() => this.#followSwitches())
        .catch(error => this.#options.log.error('switches of another replica could not be applied', { error }))
    })
  }

  current(): Generation {
    return this.#result!.generation
  }

  /** Number of the current generation; 0 before the first one. */
  get currentNumber(): number {
    return this.#result?.generation.number ?? 0
  }

  /** Whether a plugin could not be registered because the state store was unavailable. */
  get lacksState(): boolean {
    return this.#result?.lacksState ?? false
  }

  /** `open`: generations that serve or drain. `inMemory`: also those that are not garbage-collected yet. */
  get generationCounts(): { open: number; inMemory: number } {
    return { open: this.#draining.open, inMemory: this.#draining.inMemory }
  }

  get result(): BuildResult {
    return this.#result!
  }

  /** Declarations of the plugins of the running generation. */
  get declarations(): Declarations {
    return this.#result!.declarations
  }

  get loadedAt(): Date {
    return this.#loadedAt
  }

  get configFile(): string | null {
    return this.#options.configFile
  }

  /** Items of the configuration that work and have a better spelling. */
  get advice(): LoadError[] {
    return this.#result!.context.advice
  }

  get loadErrors(): LoadError[] {
    return [...this.settings.fileErrors, ...this.#result!.context.loadErrors]
  }

  /** Folders that are searched for plugins, without the built-in one. */
  get directories(): string[] {
    const { config, workingDirectory } = this.#options
    return [
      ...this.settings.plugins.dirs,
      ...config.pluginDirs.map(folder => (isAbsolute(folder) ? folder : resolve(workingDirectory, folder))),
    ]
  }

  /** Paths whose change causes a reload: folders with everything below them, and single files. */
  watchedPaths(): { folders: string[]; files: string[] } {
    const packages = this.#found
      .filter(plugin => plugin.source === 'package' && plugin.entry !== null)
      .map(plugin => plugin.folder)
    return {
      folders: [this.#options.builtinFolder, ...this.directories, ...packages],
      files: [...(this.configFile === null ? [] : [this.configFile]), ...(this.#result?.context.watched.keys() ?? [])],
    }
  }

  records(): PluginRecord[] {
    return recordsOf(
      this.#found,
      this.#inventory,
      this.#result!,
      this.settings,
      this.#options.config.publicMode,
      this.#options.version,
    )
  }

  /**
   * Reloads the configuration and the plugins. Reloads requested at the same time share a run (see `RunQueue`). If a build waits
   * for a plugin and files have changed since it began, it is abandoned.
   */
  reload({ force = false }: { force?: boolean } = {}): Promise<ReloadResult> {
    const progress = this.#progress
    if (progress !== null)
      this.#isOutdated().then(
        isOutdated => isOutdated && progress.supersede(),
        error => this.#options.log.error('changed files could not be read', { error }),
      )
    return this.#queue.reload(force)
  }

  /** The build in progress, if it waits for a plugin. */
  get building(): Building | null {
    return this.#progress?.waiting ?? null
  }

  /** Enables or disables a plugin in all replicas until `clearOverride`, regardless of `svc.yaml`. */
  async switch(name: string, isOn: boolean, cascade: boolean): Promise<SwitchResult> {
    this.#progress?.supersede()
    const result = await this.#queue.enqueue(async () => {
      const { disable } = this.settings.plugins
      const isDisabled = (other: string): boolean =>
        disable.includes(other) || this.#options.switches.current[other] === false
      const plan = planSwitch({ name, isOn, cascade, records: this.records(), isDisabled })
      if (plan.outcome !== 'change') return plan
      const changes = Object.fromEntries(plan.names.map(changed => [changed, isOn]))
      await this.#options.switches.update(switches => ({ ...switches, ...changes }))
      return (await this.#rebuild()) ? this.#switched(name) : null
    })
    return result ?? this.#switchedLater(name)
  }

  /** Removes the override that `switch` set for a plugin. */
  async clearOverride(name: string): Promise<ClearResult> {
    this.#progress?.supersede()
    const result = await this.#queue.enqueue(async (): Promise<ClearResult | null> => {
      const record = this.records().find(other => other.name === name)
      if (record === undefined) return { outcome: 'unknown' }
      const { switches } = this.#options
      if (!Object.hasOwn(switches.current, name)) return { outcome: 'unchanged', record }
      await switches.update(({ [name]: _removed, ...others }) => others)
      return (await this.#rebuild()) ? this.#switched(name) : null
    })
    return result ?? this.#switchedLater(name)
  }

  /** The result of a switch whose build was abandoned: that of the build that applies it. */
  async #switchedLater(name: string): Promise<ClearResult> {
    await this.followedSwitches()
    return this.#switched(name)
  }

  /** The switches that the running generation was built with, after all pending changes. */
  followedSwitches(): Promise<Readonly<Record<string, boolean>>> {
    return this.#queue.enqueue(async () => {
      while (!(await this.#followSwitches()));
      return this.#builtSwitches
    })
  }

  #switched(name: string): ClearResult {
    const record = this.records().find(other => other.name === name)!
    return record.state === 'failed' ? { outcome: 'failed', record } : { outcome: 'switched', record }
  }

  /** The first plugin whose files appear in the stack of an error; undefined if none does. */
  ownerOf(error: unknown): string | undefined {
    const stack = error instanceof Error ? (error.stack ?? '') : ''
    const named = this.#found
      .map(plugin => ({ name: plugin.name, at: stack.indexOf(`${plugin.folder}/`) }))
      .filter(({ at }) => at !== -1)
    return named.sort((a, b) => a.at - b.at)[0]?.name
  }

  /** Runs the `whenStopped` callbacks. Errors are logged. */
  async stopped(): Promise<void> {
    for (const { plugin, run } of this.#result?.context.stopped ?? []) {
      try {
        await run()
      } catch (error) {
        this.#reportError(plugin, error)
      }
    }
  }

  /** Closes all generations, even if they have open requests. */
  async close(): Promise<void> {
    this.#stopFollowing()
    await Promise.all([this.#draining.close(), this.#result === null ? null : this.#draining.retire(this.#result)])
  }

  /** Null if a newer change replaced the build. */
  async #reload(force: boolean): Promise<ReloadResult | null> {
    const startedAt = performance.now()
    const isStart = this.#result === null
    const before = isStart ? [] : this.records()
    const isRead = this.settings.read()
    for (const error of this.settings.fileErrors) this.#logLoadError(error)
    if (!isRead && !isStart) return unchanged(false, this.#reloaded(startedAt))
    await this.#discover()
    const bytes = await this.#hash(fingerprintPath)
    if (!isStart && !force && bytes === this.#bytes) return unchanged(true, this.#reloaded(startedAt))
    if (!(await this.#rebuild())) return null
    // Only now the watched paths are known. Changes since they were first hashed are left to the next reload.
    this.#bytes = await this.#hash(path => this.#result!.context.watched.get(path)!)
    const result = changed(before, this.records(), this.#reloaded(startedAt))
    if (!isStart) this.#options.log.info('reloaded', logFieldsOf(result))
    return result
  }

  async #discover(): Promise<void> {
    this.#found = await this.#findPlugins()
  }

  #findPlugins(): Promise<FoundPlugin[]> {
    return discover({
      builtinFolder: this.#options.builtinFolder,
      folders: this.directories,
      packages: this.settings.plugins.packages,
      workingDirectory: this.#options.workingDirectory,
      fingerprints: this.#options.knownCode?.fingerprints,
    })
  }

  /** Hash of everything that a generation is built from: `svc.yaml`, plugins, and watched paths via `fingerprintOf`. */
  async #hash(fingerprintOf: (path: string) => string | Promise<string>): Promise<string> {
    const hash = createHash('sha256').update(this.settings.text)
    for (const plugin of this.#found) hash.update(`${plugin.folder} ${plugin.fingerprint} ${plugin.problem}\n`)
    for (const path of this.#result?.context.watched.keys() ?? []) hash.update(`${path} ${await fingerprintOf(path)}\n`)
    return hash.digest('hex')
  }

  /** Whether `svc.yaml` or a plugin has changed since they were last read. */
  async #isOutdated(): Promise<boolean> {
    if (this.settings.isOutdated()) return true
    const now = await this.#findPlugins()
    return !isDeepStrictEqual(now, this.#found)
  }

  /**
   * Applies switches of other replicas. Those of this one are built already when it is their turn. Returns false if a newer
   * change replaced the build.
   */
  async #followSwitches(): Promise<boolean> {
    return isDeepStrictEqual(this.#options.switches.current, this.#builtSwitches) || (await this.#rebuild())
  }

  /** Returns false if a newer change replaced the build. */
  async #rebuild(): Promise<boolean> {
    const progress = new BuildProgress(this.#options.registerTimes)
    this.#progress = progress
    try {
      await this.#build(progress)
      return true
    } catch (error) {
      if (!(error instanceof BuildAbandoned)) throw error
      this.#options.log.warn(error.message)
      return false
    } finally {
      this.#progress = null
    }
  }

  async #build(progress: BuildProgress): Promise<void> {
    const switches = this.#options.switches.current
    const number = (this.#result?.generation.number ?? 0) + 1
    const { candidates, failed, errors } = await this.#inventory.candidates(
      this.#found,
      number,
      this.#result?.running,
      this.settings,
    )
    if (this.#options.extraOptions) {
      const candidate = candidates.get(this.#options.extraOptions.plugin)
      if (candidate) Object.assign(candidate.options, this.#options.extraOptions.options)
    }
    const requested = { ...this.settings.plugins, overrides: new Map(Object.entries(switches)), failed }
    const problems = this.#checkDeclarations(candidates, requested)
    const result = await buildGeneration(
      {
        number,
        candidates,
        problems,
        requested,
        loadErrors: errors,
        progress,
        locate: (plugin, error) => {
          const at =
            error.at === null || error.file !== undefined ? error.at : this.#inventory.placeInFile(plugin, error.at)
          return this.settings.locate({ ...error, at }, this.#inventory.sectionOf(plugin))
        },
        configFolder: this.configFile === null ? this.#options.workingDirectory : dirname(this.configFile),
        readCoreSections: (generation, context) => {
          const { config, log } = this.#options
          const source = { settings: this.settings, config, configFile: this.configFile, log }
          return readCoreSections(source, generation, context)
        },
      },
      this.#options.build,
    )
    this.#builtSwitches = switches
    this.#swap(result)
    await this.onSwap()
  }

  /** Returns the definitions that can't be used. Logs each warning about a variable of the others once. */
  #checkDeclarations(candidates: ReadonlyMap<string, Candidate>, requested: RequestedState): Map<string, string> {
    const { variables } = this.#options.build
    const definitions = new Map([...candidates].map(([name, { current }]) => [name, current.definition]))
    const problems = declarationProblems(definitions, requested, variables)
    for (const name of problems.keys()) definitions.delete(name)
    for (const warning of variables.warnings(definitions)) {
      if (this.#warned.has(warning)) continue
      this.#warned.add(warning)
      this.#options.log.warn(warning)
    }
    return problems
  }

  /** Replaces the running generation. Its open requests finish in it. */
  #swap(result: BuildResult): void {
    const old = this.#result
    this.#isFirst = old === null
    this.#result = result
    this.#draining.count(result)
    this.#loadedAt = new Date()
    for (const { name, error } of this.records())
      if (error !== null && !this.hasInvalidOptions(name)) this.#logFailure(name, error)
    for (const error of result.context.loadErrors) this.#logLoadError(error)
    if (old !== null) this.#draining.add(old)
  }

  /** Adds a problem with an item of a plugin's section that was found after the generation was built. */
  reportLoadError(plugin: string, error: ReportedError): void {
    const { context } = this.#result!
    const located = context.locate(plugin, error)
    context.loadErrors.push(located)
    this.#logLoadError(located)
  }

  /** At the start, errors in the sections of a subcommand end the process, which then prints them. */
  #logLoadError({ file, at, message, line }: LoadError): void {
    if (this.#isFirst && at !== null && this.settings.isAdded(at)) return
    this.#options.log.warn('configuration error', {
      ...(file !== null && { file }),
      at,
      message,
      ...(line !== null && { line }),
    })
  }

  /** Whether a plugin can't run with its section of `svc.yaml`; the load errors say why. */
  hasInvalidOptions(name: string): boolean {
    return this.#inventory.invalidOptions(name) !== undefined
  }

  /** Where in its files a plugin failed, if known. */
  causesOf(name: string): readonly FailureCause[] {
    const found = this.#found.find(plugin => plugin.name === name && plugin.problem === null)
    const loaded = found === undefined ? null : this.#inventory.loadedOf(found)
    return loaded !== null && 'causes' in loaded ? loaded.causes : (this.#result!.causes.get(name) ?? [])
  }

  #logFailure(plugin: string, { phase, message }: NonNullable<PluginRecord['error']>): void {
    const [cause] = phase === 'discover' ? [] : this.causesOf(plugin)
    this.#options.log.warn('plugin failed', {
      plugin,
      phase,
      file: cause?.file,
      line: cause?.line,
      error: cause?.message ?? message,
    })
  }

  #reportError(plugin: string | null, error: unknown): void {
    this.#options.log.error('error while closing a generation', { plugin: plugin ?? undefined, error })
  }

  /** For the result of a reload. */
  #reloaded(startedAt: number): Parameters<typeof unchanged>[1] {
    return { generation: this.current().number, loadErrors: this.loadErrors, startedAt }
  }
}
