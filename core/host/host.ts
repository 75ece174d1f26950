/**
 * The plugin host: reads the configuration file and the disk, builds a generation, puts it in the place of the
 * running one and lets that drain. One run at a time; triggers that come meanwhile share the next run.
 */
import { createHash } from 'node:crypto'
import { isAbsolute, resolve } from 'node:path'
import type { Config } from '../config/variables.ts'
import type { Log } from '../log/log.ts'
import type { StreamRegistry } from '../http/streams/stream-registry.ts'
import { declarationProblems } from './declarations.ts'
import { buildGeneration } from './build.ts'
import type { BuildResult, BuildServices, Candidate } from './build.ts'
import { discover, fingerprintPath } from './discovery.ts'
import type { FailureCause } from './failure-causes.ts'
import type { FoundPlugin } from './discovery.ts'
import type { Declarations } from './declarations.ts'
import type { Generation } from './generation.ts'
import { Inventory } from './inventory.ts'
import type { KnownCode } from './inventory.ts'
import type { LoadError, PluginRecord, ReloadResult } from '../contract/plugin.ts'
import { recordsOf } from './records.ts'
import { RunQueue } from './run-queue.ts'
import { Settings } from './settings.ts'
import type { RequestedState } from './resolution.ts'
import { planSwitch } from './switching.ts'
import type { ClearResult, SwitchResult } from './switching.ts'

export interface HostOptions {
  config: Config
  log: Log
  /** Folder of the built-in plugins. */
  builtinFolder: string
  workingDirectory: string
  /** The product's version. */
  version: string
  /** Absolute path of `svc.yaml`, or null. */
  configFile: string | null
  /** Options laid over a plugin's section by a subcommand. */
  extraOptions?: { plugin: string; options: Record<string, unknown> }
  /** Shared by hosts of one process. */
  knownCode?: KnownCode
  build: BuildServices
  /** Warnings about the core's own variables, logged already. */
  logged: readonly string[]
  streams: StreamRegistry
}

/** Generations alive at once, the current one included. */
const MAX_GENERATIONS = 8

export class Host {
  readonly #options: HostOptions
  readonly #inventory: Inventory
  readonly #overrides = new Map<string, boolean>()
  readonly #draining: BuildResult[] = []
  /** Generations that were built and are still in memory, garbage that was not collected yet included. */
  #inMemory = 0
  /** Counts those that were collected; weak references would each keep theirs for the turn in which they are looked at. */
  readonly #collected = new FinalizationRegistry<null>(() => {
    this.#inMemory--
  })
  #result: BuildResult | null = null
  #found: FoundPlugin[] = []
  #loadedAt = new Date()
  #bytes = ''
  /** Warnings about the environment that are in the log. */
  readonly #warned: Set<string>
  readonly #queue = new RunQueue(async (force: boolean) => {
    const [result] = await Promise.all([this.#reload(force), this.onReload()])
    return result
  })
  readonly settings: Settings
  /** Called after each swap, for example to watch other files. */
  onSwap: () => void = () => {}
  /** Runs with every reload, whether or not anything of the host's own has changed. */
  onReload: () => Promise<void> = async () => {}

  constructor(options: HostOptions) {
    this.#options = options
    this.#inventory = new Inventory(options.knownCode)
    this.#warned = new Set(options.logged)
    this.settings = new Settings(options.configFile, options.config.publicMode)
  }

  /** Builds the first generation. Rejects only when the core's own routes can't be built; everything else is a warning. */
  async start(): Promise<void> {
    await this.#queue.enqueue(() => this.#reload(true))
  }

  current(): Generation {
    return this.#result!.generation
  }

  /** Generations that serve or drain, and those that are still in memory: some more until memory is collected. */
  get generationCounts(): { open: number; inMemory: number } {
    return { open: this.#draining.length + 1, inMemory: this.#inMemory }
  }

  get result(): BuildResult {
    return this.#result!
  }

  /** What the plugins of the running generation declare. */
  get declarations(): Declarations {
    return this.#result!.declarations
  }

  get loadedAt(): Date {
    return this.#loadedAt
  }

  get configFile(): string | null {
    return this.#options.configFile
  }

  get loadErrors(): LoadError[] {
    return [...this.settings.fileErrors, ...this.#result!.context.loadErrors]
  }

  /** Folders in which plugins are looked for, the built-in one apart. */
  get directories(): string[] {
    const { config, workingDirectory } = this.#options
    return [
      ...this.settings.plugins.dirs,
      ...config.pluginDirs.map(folder => (isAbsolute(folder) ? folder : resolve(workingDirectory, folder))),
    ]
  }

  /** What a change of would reload, as far as it is known yet: folders with all below them, and single files. */
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

  /** Reloads as the control plane, SIGHUP and the watcher do; reloads that arrive together share a run (`RunQueue`). */
  reload({ force = false }: { force?: boolean } = {}): Promise<ReloadResult> {
    return this.#queue.reload(force)
  }

  /** Turns a plugin on or off until the process ends; `svc.yaml` comes second. */
  switch(name: string, isOn: boolean, cascade: boolean): Promise<SwitchResult> {
    return this.#queue.enqueue(async () => {
      const plan = planSwitch({ name, isOn, cascade, records: this.records() })
      if (plan.outcome !== 'change') return plan
      for (const changed of plan.names) this.#overrides.set(changed, isOn)
      await this.#rebuild()
      return this.#switched(name)
    })
  }

  /** Forgets the API's choice for one plugin. */
  clearOverride(name: string): Promise<ClearResult> {
    return this.#queue.enqueue(async () => {
      const record = this.records().find(other => other.name === name)
      if (record === undefined) return { outcome: 'unknown' }
      if (!this.#overrides.delete(name)) return { outcome: 'unchanged', record }
      await this.#rebuild()
      return this.#switched(name)
    })
  }

  #switched(name: string): ClearResult {
    const record = this.records().find(other => other.name === name)!
    return record.state === 'failed' ? { outcome: 'failed', record } : { outcome: 'switched', record }
  }

  /** The plugin in whose files an error was thrown, by its stack; undefined when none has a part in it. */
  ownerOf(error: unknown): string | undefined {
    const stack = error instanceof Error ? (error.stack ?? '') : ''
    const named = this.#found
      .map(plugin => ({ name: plugin.name, at: stack.indexOf(`${plugin.folder}/`) }))
      .filter(({ at }) => at !== -1)
    return named.sort((a, b) => a.at - b.at)[0]?.name
  }

  /** Lets plugins finish their work when the process stops; errors are logged. */
  async stopped(): Promise<void> {
    for (const { plugin, run } of this.#result?.context.stopped ?? []) {
      try {
        await run()
      } catch (error) {
        this.#reportError(plugin, error)
      }
    }
  }

  /** Closes every generation, drained or not. */
  async close(): Promise<void> {
    const all = [...this.#draining.splice(0), ...(this.#result === null ? [] : [this.#result])]
    await Promise.all(all.map(result => this.#retire(result)))
  }

  async #reload(force: boolean): Promise<ReloadResult> {
    const startedAt = performance.now()
    const isStart = this.#result === null
    const before = isStart ? [] : this.records()
    const isRead = this.settings.read()
    for (const { file, at, message, line } of this.settings.fileErrors)
      this.#options.log.warn('load error', { file, at, message, line })
    if (!isRead && !isStart) return this.#unchanged(startedAt, false)
    await this.#look()
    const bytes = await this.#hash(fingerprintPath)
    if (!isStart && !force && bytes === this.#bytes) return this.#unchanged(startedAt, true)
    await this.#rebuild()
    // What the plugins asked to be watched is known only now; what has changed since then is the next reload's.
    this.#bytes = await this.#hash(path => this.#result!.context.watched.get(path)!)
    return this.#outcome(before, startedAt)
  }

  async #look(): Promise<void> {
    this.#found = await discover({
      builtinFolder: this.#options.builtinFolder,
      folders: this.directories,
      packages: this.settings.plugins.packages,
      workingDirectory: this.#options.workingDirectory,
    })
  }

  /** Hash of all that a generation is made of, as it was read; of watched paths as they are, or were when first watched. */
  async #hash(fingerprintOf: (path: string) => string | Promise<string>): Promise<string> {
    const hash = createHash('sha256').update(this.settings.text)
    for (const plugin of this.#found) hash.update(`${plugin.folder} ${plugin.fingerprint} ${plugin.problem}\n`)
    for (const path of this.#result?.context.watched.keys() ?? []) hash.update(`${path} ${await fingerprintOf(path)}\n`)
    return hash.digest('hex')
  }

  async #rebuild(): Promise<void> {
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
    const requested = { ...this.settings.plugins, overrides: this.#overrides, failed }
    const problems = this.#checkDeclarations(candidates, requested)
    const result = await buildGeneration(
      {
        number,
        candidates,
        problems,
        requested,
        loadErrors: errors,
        locate: (plugin, error) => {
          const at =
            error.at === null || error.file !== undefined ? error.at : this.#inventory.placeInFile(plugin, error.at)
          return this.settings.locate({ ...error, at }, this.#inventory.sectionOf(plugin))
        },
      },
      this.#options.build,
    )
    this.#swap(result)
  }

  /** Definitions that can't be used; warns once of each variable of the others whose value is wrong. */
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

  /** One assignment; what began in the old generation ends there. */
  #swap(result: BuildResult): void {
    const old = this.#result
    this.#result = result
    this.#inMemory++
    this.#collected.register(result.generation, null)
    this.#loadedAt = new Date()
    for (const { name, error } of this.records())
      if (error !== null && error.phase !== 'options') this.#logFailure(name, error)
    for (const { file, at, message, line } of result.context.loadErrors)
      this.#options.log.warn('load error', { file, at, message, line })
    if (old !== null) {
      this.#draining.push(old)
      old.generation.onDrained = () => void this.#retire(old)
      old.generation.replace()
      while (this.#draining.length >= MAX_GENERATIONS) this.#cutOldest()
    }
    this.onSwap()
  }

  /** Where in its files a plugin failed, as far as it is known. */
  causesOf(name: string): readonly FailureCause[] {
    const found = this.#found.find(plugin => plugin.name === name && plugin.problem === null)
    const loaded = found === undefined ? null : this.#inventory.look(found)
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

  #cutOldest(): void {
    const oldest = this.#draining.shift()!
    this.#options.streams.endAll({ generation: oldest.generation.number, reason: 'reload' })
    void this.#retire(oldest)
  }

  async #retire(result: BuildResult): Promise<void> {
    const index = this.#draining.indexOf(result)
    if (index !== -1) this.#draining.splice(index, 1)
    await result.generation.close((plugin, error) => this.#reportError(plugin, error))
    result.release()
  }

  #reportError(plugin: string | null, error: unknown): void {
    this.#options.log.error('error while closing', { plugin: plugin ?? undefined, error })
  }

  #unchanged(startedAt: number, applied: boolean): ReloadResult {
    return {
      applied,
      changed: false,
      generation: this.current().number,
      plugins: { added: [], reloaded: [], removed: [], failed: [] },
      load_errors: this.loadErrors,
      took_ms: Math.round(performance.now() - startedAt),
    }
  }

  #outcome(before: PluginRecord[], startedAt: number): ReloadResult {
    const after = this.records()
    const enabled = (records: PluginRecord[]): Map<string, PluginRecord> =>
      new Map(records.filter(record => record.state === 'enabled').map(record => [record.name, record]))
    const was = enabled(before)
    const is = enabled(after)
    const { number } = this.current()
    return {
      applied: true,
      changed: true,
      generation: number,
      plugins: {
        added: [...is.keys()].filter(name => !was.has(name)),
        reloaded: [...is.values()]
          .filter(record => was.has(record.name) && record.generation === number)
          .map(record => record.name),
        removed: [...was.keys()].filter(name => !is.has(name)),
        failed: after.filter(record => record.error !== null).map(record => record.name),
      },
      load_errors: this.loadErrors,
      took_ms: Math.round(performance.now() - startedAt),
    }
  }
}
