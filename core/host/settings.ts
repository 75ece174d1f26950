/** The last good `svc.yaml`: the host's own section, the plugins' sections, and where each item stands. */
import { basename } from 'node:path'
import { unknownName } from '../config/unknown-name.ts'
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
      this.text = result.text
    }
    this.#fileError = result.ok ? null : result.error
    return result.ok
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

  unknownSections(known: ReadonlySet<string>): LoadError[] {
    return Object.keys(this.#document?.sections ?? {})
      .filter(name => !known.has(name))
      .map(name => this.locate({ at: name, ...unknownName('key', name, ['plugins', ...known]) }, name))
  }

  unknownPlugins(known: ReadonlySet<string>): LoadError[] {
    return (['enable', 'disable'] as const).flatMap(list =>
      this.plugins[list].flatMap((name, index) =>
        known.has(name)
          ? []
          : [this.locate({ at: `plugins.${list}[${index}]`, ...unknownName('plugin', name, [...known]) }, 'plugins')],
      ),
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

/** `orders.items[0].sizes[1]` as the way through the document. */
export function segmentsOf(at: string): (string | number)[] {
  return at
    .split(/[.[]/)
    .map(part => (part.endsWith(']') ? Number(part.slice(0, -1)) : part))
    .filter(part => part !== '')
}
