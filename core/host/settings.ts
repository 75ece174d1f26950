/** The last good `svc.yaml`: the host's own section, the plugins' sections, and where each item stands. */
import { basename } from 'node:path'
import { isRecord } from '../contract/record.ts'
import { unknownName } from '../contract/unknown-name.ts'
import { placed, readSvcYaml } from '../config/svc-yaml.ts'
import type { PluginsSection, SvcYaml } from '../config/svc-yaml.ts'
import type { LoadError, ReportedError } from '../contract/plugin.ts'

const NO_PLUGINS: PluginsSection = { enable: [], disable: [], dirs: [], packages: [] }

export class Settings {
  readonly #file: string | null
  readonly #publicMode: boolean
  #document: SvcYaml | null = null
  /** Text of the file as it was last read. */
  text = ''
  /** Values that replace what the file says, by their place. */
  readonly #substitutes = new Map<string, Substitute>()
  /** Problem of the file as a whole, at the last reading. */
  #fileError: LoadError | null = null

  constructor(file: string | null, publicMode: boolean) {
    this.#file = file
    this.#publicMode = publicMode
  }

  /** Reads the file anew; false when it can't be read, and then what was read before stays. */
  read(): boolean {
    const result = readSvcYaml(this.#file, { publicMode: this.#publicMode })
    if (result.ok) {
      this.#document = result.document
      for (const substitute of this.#substitutes.values()) replaceIn(result.document.sections, substitute)
      this.text = result.text
    }
    this.#fileError = result.ok ? null : result.error
    return result.ok
  }

  /** From the next reading on, `value` is what the file says there; undefined: the key is not in it. False when no key of a mapping is there. */
  substitute(at: string, value: unknown): boolean {
    const substitute = { path: segmentsOf(at), value }
    if (this.#document === null || !replaceIn(this.#document.sections, substitute)) return false
    this.#substitutes.set(at, substitute)
    return true
  }

  get plugins(): PluginsSection {
    return this.#document?.plugins ?? NO_PLUGINS
  }

  /** Problems of the file and of the host's own section. */
  get fileErrors(): LoadError[] {
    return [...(this.#fileError === null ? [] : [this.#fileError]), ...(this.#document?.errors ?? [])]
  }

  section(name: string): unknown {
    return this.#document?.sections[name]
  }

  unknownSections(known: ReadonlySet<string>, removed: RemovedPlugins): LoadError[] {
    return Object.keys(this.#document?.sections ?? {})
      .filter(name => !known.has(name))
      .map(name => {
        const plugin = removed.bySection.get(name)
        return plugin === undefined
          ? this.locate({ at: name, ...unknownName('key', name, ['plugins', ...known]) }, name)
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
          ? this.locate({ at, ...unknownName('plugin', name, [...known]) }, 'plugins')
          : this.#removedFolder(plugin, at)
      }),
    )
  }

  /** The file still speaks of a plugin, so its folder was hardly removed on purpose. */
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

  /** Adds file and place to a problem; a plugin states `at` from the top of the file. */
  locate(error: ReportedError, section: string): LoadError {
    const file = error.file ?? this.#file
    const isOwnFile = error.file === undefined
    return {
      file: file === null ? null : this.#publicMode ? basename(file) : file,
      at: error.at,
      message: error.message,
      ...(error.line != null
        ? { line: error.line }
        : placed(isOwnFile ? (this.#document?.locate(segmentsOf(error.at ?? section)) ?? null) : null)),
      ...(error.remedy === undefined ? {} : { remedy: error.remedy }),
    }
  }
}

export interface RemovedPlugin {
  name: string
  folder: string
}

/** Plugins whose folder was removed while the server runs. */
export interface RemovedPlugins {
  byName: ReadonlyMap<string, RemovedPlugin>
  bySection: ReadonlyMap<string, RemovedPlugin>
}

interface Substitute {
  path: readonly (string | number)[]
  value: unknown
}

/** False when no mapping below the top is around the place. */
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

/** `orders.items[0].sizes[1]` as the way through the document. */
export function segmentsOf(at: string): (string | number)[] {
  return at
    .split(/[.[]/)
    .map(part => (part.endsWith(']') ? Number(part.slice(0, -1)) : part))
    .filter(part => part !== '')
}
