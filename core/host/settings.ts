/** The last valid `svc.yaml`: the sections of the host and the plugins, and the position of each item. */
import { basename } from 'node:path'
import { isRecord } from '../contract/record.ts'
import { unknownName } from '../toolkit/unknown-name.ts'
import { placed, readSvcYaml, type PluginsSection, type ReadOptions, type SvcYaml } from '../config/svc-yaml.ts'
import type { LoadError, ReportedError } from '../contract/plugin.ts'

const NO_PLUGINS: PluginsSection = { enable: [], disable: [], dirs: [], packages: [] }

/** Sections of a subcommand, by name. */
export type AddedSections = Readonly<Record<string, Readonly<Record<string, unknown>>>>

export class Settings {
  readonly #file: string | null
  readonly #reading: ReadOptions
  #document: SvcYaml | null = null
  /** Text of the file when it was last read. */
  text = ''
  /** Values that replace those in the file, by path. */
  readonly #substitutes = new Map<string, Substitute>()
  /** Why the file could not be read the last time. */
  #fileError: LoadError | null = null
  readonly #added: AddedSections

  constructor(file: string | null, reading: ReadOptions, added: AddedSections = {}) {
    this.#file = file
    this.#reading = reading
    this.#added = added
  }

  /** Reads the file again. Returns false if this fails; the previous content then stays in use. */
  read(): boolean {
    const result = readSvcYaml(this.#file, this.#reading)
    if (result.ok) {
      this.#document = result.document
      for (const substitute of this.#substitutes.values()) replaceIn(result.document.sections, substitute)
      this.text = result.text
    }
    this.#fileError = result.ok ? null : result.error
    return result.ok
  }

  /** Whether the file can be read and its text has changed since it was last read. */
  isOutdated(): boolean {
    const result = readSvcYaml(this.#file, this.#reading)
    return result.ok && result.text !== this.text
  }

  /**
   * Replaces the value of a key of a mapping now and every time the file is read; undefined removes the key. Returns false if
   * `at` is not a key of a mapping.
   */
  substitute(at: string, value: unknown): boolean {
    const substitute = { path: segmentsOf(at), value }
    if (this.#document === null || !replaceIn(this.#document.sections, substitute)) return false
    this.#substitutes.set(at, substitute)
    return true
  }

  get plugins(): PluginsSection {
    return this.#document?.plugins ?? NO_PLUGINS
  }

  /** Problems of the file and of the host's section. */
  get fileErrors(): LoadError[] {
    return [...(this.#fileError === null ? [] : [this.#fileError]), ...(this.#document?.errors ?? [])]
  }

  section(name: string): unknown {
    const given = this.#document?.sections[name]
    const added = this.#added[name]
    return added === undefined ? given : joined(isRecord(given) ? given : {}, added)
  }

  /** Whether an item, by its path from the top of the file, is one of the added sections. */
  isAdded(at: string): boolean {
    const [section, key, index] = segmentsOf(at)
    const added = this.#added[String(section)]?.[String(key)]
    if (added === undefined) return false
    return !Array.isArray(added) || (typeof index === 'number' && index >= this.#givenItems(section, key))
  }

  /** Number of items that the file has in a list. */
  #givenItems(section: string | number | undefined, key: string | number | undefined): number {
    const given = this.#document?.sections[String(section)]
    const list = isRecord(given) ? given[String(key)] : undefined
    return Array.isArray(list) ? list.length : 0
  }

  unknownSections(known: ReadonlySet<string>, removed: RemovedPlugins): LoadError[] {
    return Object.keys(this.#document?.sections ?? {})
      .filter(name => !known.has(name))
      .map(name => {
        const plugin = removed.bySection.get(name)
        return plugin === undefined
          ? this.locate({ at: name, ...unknownName('key', name, suggestible(known, removed)) }, name)
          : this.#removedFolder(plugin, name)
      })
  }

  unknownPlugins(known: ReadonlySet<string>, removed: RemovedPlugins): LoadError[] {
    return (['enable', 'disable'] as const).flatMap(list =>
      this.plugins[list].flatMap((name, index) => {
        if (known.has(name)) return []
        const at = `plugins.${list}[${index}]`
        const plugin = removed.byName.get(name)
        return plugin === undefined
          ? this.locate({ at, ...unknownName('plugin', name, suggestible(known, removed)) }, 'plugins')
          : this.#removedFolder(plugin, at)
      }),
    )
  }

  /** An error for a plugin that the file still mentions although its folder was removed. */
  #removedFolder({ name, folder }: RemovedPlugin, at: string): LoadError {
    return this.locate(
      {
        file: folder,
        at: null,
        message: `the folder of the plugin ${name} was removed`,
        remedy: `put it back, or remove ${at} from ${basename(this.#file ?? 'svc.yaml')}`,
      },
      at,
    )
  }

  /** Adds file and position to a problem. `at` is the path from the top of the file. */
  locate(error: ReportedError, section: string): LoadError {
    const file = error.file ?? (error.at !== null && this.isAdded(error.at) ? null : this.#file)
    const isOwnFile = error.file === undefined
    return {
      file: file === null ? null : this.#reading.publicMode ? basename(file) : file,
      at: error.at,
      message: error.message,
      ...(error.line != null
        ? { line: error.line }
        : placed(
            isOwnFile && file !== null ? (this.#document?.locate(segmentsOf(error.at ?? section)) ?? null) : null,
          )),
      ...(error.remedy === undefined ? {} : { remedy: error.remedy }),
    }
  }
}

function suggestible(known: ReadonlySet<string>, { missing }: RemovedPlugins): string[] {
  return [...known].filter(name => !missing.has(name))
}

export interface RemovedPlugin {
  name: string
  folder: string
}

/** Plugins that are not there. */
export interface RemovedPlugins {
  /** Packages that can't be resolved. */
  missing: ReadonlySet<string>
  /** Folders that were removed while the server was running. */
  byName: ReadonlyMap<string, RemovedPlugin>
  bySection: ReadonlyMap<string, RemovedPlugin>
}

/** The section of the file with what is added: items of lists behind those of the file, other keys in their place. */
function joined(given: Record<string, unknown>, added: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const result = { ...given }
  for (const [key, value] of Object.entries(added)) {
    const before = given[key]
    result[key] = Array.isArray(value) && Array.isArray(before) ? [...before, ...value] : value
  }
  return result
}

interface Substitute {
  path: readonly (string | number)[]
  value: unknown
}

/** Returns false if the path is not a key of a mapping below the top level. */
function replaceIn(sections: Record<string, unknown>, { path, value }: Substitute): boolean {
  const key = path.at(-1)
  const around = path
    .slice(0, -1)
    .reduce<unknown>(
      (inner, step) =>
        isRecord(inner) || Array.isArray(inner) ? (inner as Record<string | number, unknown>)[step] : undefined,
      sections,
    )
  if (path.length < 2 || typeof key !== 'string' || !isRecord(around)) return false
  if (value === undefined) delete around[key]
  else around[key] = value
  return true
}

/** Splits a path such as `orders.items[0].sizes[1]` into keys and indexes. */
export function segmentsOf(at: string): (string | number)[] {
  return at
    .split(/[.[]/)
    .map(part => (part.endsWith(']') ? Number(part.slice(0, -1)) : part))
    .filter(part => part !== '')
}
