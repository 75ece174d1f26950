/** Loads the code of plugins, once per content, and checks their options. */
import { existsSync } from 'node:fs'
import { applySchema, InvalidSchema, printPath, type CheckedOptions, type ValidatorCache } from '../config/options.ts'
import { unknownName } from '../toolkit/unknown-name.ts'
import { CORE_SECTIONS } from './core-sections.ts'
import { reasonOf, type FoundPlugin } from './discovery.ts'
import { failureCauses, type FailureCause } from './failure-causes.ts'
import type { Candidate, LoadedPlugin } from './build.ts'
import { loadPlugin, type EarlyBundles, type LoadOptions } from './module-loader.ts'
import type { LoadError, Plugin } from '../contract/plugin.ts'
import { segmentsOf, type RemovedPlugins, type Settings } from './settings.ts'

/** `phase` is `options` if the code was loaded, but its schema of the options can't be used. */
type Loaded = { code: LoadedPlugin } | { error: string; phase: 'load' | 'options'; causes: FailureCause[] }

export interface Candidates {
  candidates: Map<string, Candidate>
  /** Plugins that failed, with the reason. */
  failed: Map<string, string>
  /** Problems in the sections of the plugins in `svc.yaml`. */
  errors: LoadError[]
}

/**
 * Plugin code that several hosts in one process can share, as in tests. This works because modules keep no state. A single
 * host does not share its code, so that old versions can be garbage-collected.
 */
export interface KnownCode {
  /** Definitions by entry file and fingerprint. */
  definitions: Map<string, Plugin>
  schemas: ValidatorCache
  isShared?: boolean
  /** Fingerprints of built-in plugins by folder, for hosts whose files do not change while the process runs. */
  fingerprints?: Map<string, string>
  /** Bundles that the launcher has started to build. */
  early?: EarlyBundles
}

/** Optional plugins that a definition probably misspells. Others may be installed later. */
function misspelledUses(candidates: ReadonlyMap<string, Candidate>, names: ReadonlySet<string>): LoadError[] {
  return [...candidates.values()].flatMap(({ name: plugin, current: { definition, found } }) =>
    (definition.uses ?? [])
      .filter(used => !names.has(used))
      .flatMap(used => {
        const { message, remedy } = unknownName('plugin', used, [...names])
        if (!message.includes('did you mean')) return []
        return { file: found.entry, at: null, line: null, message: `uses of the plugin ${plugin}: ${message}`, remedy }
      }),
  )
}

export class Inventory {
  readonly #known: KnownCode

  readonly #loading: Omit<LoadOptions, 'early'>

  constructor(
    known: KnownCode = { definitions: new Map(), schemas: new WeakMap() },
    loading: Omit<LoadOptions, 'early'> = {},
  ) {
    this.#known = known
    this.#loading = loading
  }

  /** Loaded code by folder; replaced when the content of the folder changes. */
  readonly #loaded = new Map<string, { fingerprint: string; loaded: Loaded }>()
  /** Section of each plugin that was ever loaded, so that it is not an unknown key if the plugin fails to load later. */
  readonly #sections = new Map<string, string>()
  /** Folder of each plugin that was ever loaded. */
  readonly #seen = new Map<string, string>()
  /** Plugins that can't run with their options, for example because a required one is missing. */
  readonly #invalid = new Map<string, string>()
  /** By section: maps paths in the validated options to paths in the file. */
  readonly #originalPaths = new Map<string, CheckedOptions['originalPath']>()

  /** Key of the plugin's section in `svc.yaml`. */
  sectionOf(plugin: string): string {
    return this.#sections.get(plugin) ?? plugin
  }

  /**
   * Returns the path of an item in the file. List indexes can differ from those that the plugin reports, because invalid
   * entries are removed before the plugin gets its options.
   */
  placeInFile(plugin: string, at: string): string {
    const section = this.sectionOf(plugin)
    const [top, ...path] = segmentsOf(at)
    const originalPath = this.#originalPaths.get(section)
    return top === section && originalPath ? printPath(section, originalPath(path)) : at
  }

  /** The loaded code of a plugin, or why it failed to load. Null if it was not loaded. */
  loadedOf(found: FoundPlugin): Loaded | null {
    return this.#loaded.get(found.folder)?.loaded ?? null
  }

  /** Why a plugin can't run with its options; undefined if it can. */
  invalidOptions(name: string): string | undefined {
    return this.#invalid.get(name)
  }

  /** Loads new and changed plugins, and validates the options of all plugins. */
  async candidates(
    found: readonly FoundPlugin[],
    generation: number,
    running: ReadonlyMap<string, LoadedPlugin> | undefined,
    settings: Settings,
  ): Promise<Candidates> {
    this.#invalid.clear()
    const usable = found.filter(plugin => plugin.problem === null)
    await Promise.all(usable.map(plugin => this.#load(plugin, generation)))
    this.#forget(new Set(found.map(plugin => plugin.folder)))
    const candidates = new Map<string, Candidate>()
    const failed = new Map<string, string>()
    const errors: LoadError[] = []
    for (const plugin of usable) {
      const { name } = plugin
      const before = running?.get(name) ?? null
      const loaded = this.#withOptions(plugin, settings, errors)
      if ('error' in loaded) {
        if (before === null) failed.set(name, loaded.error)
        else {
          const options = this.#options(before.definition, plugin, settings, errors)
          candidates.set(name, { name, current: before, lastGood: null, options })
        }
        continue
      }
      const { code, options } = loaded
      const lastGood = before !== null && before.found.fingerprint !== code.found.fingerprint ? before : null
      candidates.set(name, { name, current: code, lastGood, options })
      const invalid = this.#invalid.get(plugin.name)
      if (invalid !== undefined) failed.set(plugin.name, invalid)
    }
    const sections = new Set([...CORE_SECTIONS, ...failed.keys(), ...found.map(plugin => this.sectionOf(plugin.name))])
    const names = new Set(found.map(plugin => plugin.name))
    const removed = this.#removed(names)
    // What is missing is reported on its own; it must not be suggested.
    const missing = new Set(found.filter(({ entry }) => entry === null).map(({ name }) => name))
    const absent = { ...removed, missing }
    errors.push(
      ...settings.unknownSections(sections, absent),
      ...settings.unknownPlugins(names, absent),
      ...misspelledUses(candidates, names),
    )
    return { candidates, failed, errors }
  }

  /** Plugins whose folder was removed after they were loaded. */
  #removed(names: ReadonlySet<string>): Omit<RemovedPlugins, 'missing'> {
    const missing = [...this.#seen]
      .filter(([name, folder]) => !names.has(name) && !existsSync(folder))
      .map(([name, folder]) => ({ name, folder }))
    return {
      byName: new Map(missing.map(plugin => [plugin.name, plugin])),
      bySection: new Map(missing.map(plugin => [this.sectionOf(plugin.name), plugin])),
    }
  }

  async #load(found: FoundPlugin, generation: number): Promise<void> {
    if (this.#loaded.get(found.folder)?.fingerprint === found.fingerprint) return
    let loaded: Loaded
    try {
      const definition = await this.#definition(found)
      this.#sections.set(found.name, definition.section ?? found.name)
      loaded = { code: { found, definition, loadedIn: generation } }
    } catch (error) {
      loaded = { error: reasonOf(error), phase: 'load', causes: failureCauses(error, found) }
    }
    this.#seen.set(found.name, found.folder)
    this.#loaded.set(found.folder, { fingerprint: found.fingerprint, loaded })
  }

  async #definition(found: FoundPlugin): Promise<Plugin> {
    const key = `${found.entry} ${found.fingerprint}`
    const definition =
      this.#known.definitions.get(key) ?? (await loadPlugin(found, { ...this.#loading, early: this.#known.early }))
    if (this.#known.isShared) this.#known.definitions.set(key, definition)
    return definition
  }

  #forget(folders: ReadonlySet<string>): void {
    for (const folder of this.#loaded.keys()) if (!folders.has(folder)) this.#loaded.delete(folder)
  }

  /** The loaded code of a plugin with its checked options. A schema that can't be used is an error of the plugin. */
  #withOptions(
    plugin: FoundPlugin,
    settings: Settings,
    errors: LoadError[],
  ): { code: LoadedPlugin; options: Record<string, unknown> } | Extract<Loaded, { error: string }> {
    const { fingerprint, loaded } = this.#loaded.get(plugin.folder)!
    if ('error' in loaded) return loaded
    try {
      return { ...loaded, options: this.#options(loaded.code.definition, plugin, settings, errors) }
    } catch (error) {
      if (!(error instanceof InvalidSchema)) throw error
      const failed = { error: error.message, phase: 'options', causes: [] } as const
      this.#loaded.set(plugin.folder, { fingerprint, loaded: { ...failed, causes: [] } })
      return { ...failed, causes: [] }
    }
  }

  #options(
    definition: Plugin,
    { name, source }: FoundPlugin,
    settings: Settings,
    errors: LoadError[],
  ): Record<string, unknown> {
    const section = this.sectionOf(name)
    const given = settings.section(section)
    if (definition.options === undefined) {
      if (given !== undefined)
        errors.push(
          settings.locate(
            { at: section, message: `the plugin ${name} has no options`, remedy: 'remove the section' },
            section,
          ),
        )
      return {}
    }
    const isList = (definition.options as { type?: unknown }).type === 'array'
    const isTrusted = source === 'builtin'
    const {
      value,
      errors: wrong,
      isValid,
      originalPath,
    } = applySchema(definition.options, given ?? (isList ? [] : {}), section, { cache: this.#known.schemas, isTrusted })
    this.#originalPaths.set(section, originalPath)
    if (!isValid) this.#invalid.set(name, wrong.at(-1)?.message ?? 'its options are not valid')
    for (const { at, message, remedy } of wrong) errors.push(settings.locate({ at, message, remedy }, section))
    return value as Record<string, unknown>
  }
}
