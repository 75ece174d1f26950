/** Reads the files with rules that plugins name: `testing.rules`. */
import { dirname, extname, sep } from 'node:path'
import type { DocumentReader, FileUse } from '../config/document-files.ts'
import type { DocumentFile } from '../contract/documents.ts'
import type { JsonObject } from '../contract/json.ts'
import { forPlugin, type PersonalPoint, type ReportedError } from '../contract/plugin.ts'
import { isRecord } from '../contract/record.ts'
import type { RuleFileOptions, RuleFiles, RuleFileSet } from '../contract/testing.ts'
import type { FileRule } from './file-rules.ts'

const MAX_RULES = 2000
/** Problems of one file that are reported. */
const MAX_PROBLEMS = 20
const MAX_NAME = 64

export interface RuleFileServices {
  documents: DocumentReader
  /** Reports a problem of the configuration. */
  report(plugin: string, error: ReportedError): void
  /** Logs a problem that was found later. */
  warn(plugin: string, error: ReportedError): void
}

/** The files of one call, and what was read from them. */
interface Source extends FileUse {
  readonly options: RuleFileOptions
  readonly of: 'svc.yaml' | 'fixture'
  rules: FileRule[]
}

/** The rules of one generation's files, in the order of evaluation. */
export class RuleFileReader implements PersonalPoint<RuleFiles> {
  readonly #services: RuleFileServices
  readonly #sources: Source[] = []
  /** Beginnings of names, by file. */
  readonly #stems = new Map<string, string>()
  /** Called when files were read again, once the generation is built. */
  onRefresh: () => void = () => {}

  constructor(services: RuleFileServices) {
    this.#services = services
  }

  [forPlugin](plugin: string): RuleFiles {
    return { add: options => this.#add(options, plugin) }
  }

  /** Those that plugins have added. */
  get rules(): FileRule[] {
    return this.#sources.flatMap(({ of, rules }) => (of === 'fixture' ? rules : []))
  }

  /** Reads the rules of a file or folder that the section `rules` names. */
  async readSection(path: string, at: string): Promise<FileRule[]> {
    const source: Source = { options: { paths: [path], at }, of: 'svc.yaml', rules: [], files: 0, bytes: 0 }
    this.#sources.push(source)
    await this.#fill(source, error => this.#services.report('rules', error))
    return source.rules
  }

  async #add(options: RuleFileOptions, plugin: string): Promise<RuleFileSet> {
    const source: Source = { options, of: 'fixture', rules: [], files: 0, bytes: 0 }
    this.#sources.push(source)
    await this.#fill(source, error => this.#services.report(plugin, error))
    return {
      refresh: async () => {
        Object.assign(source, { rules: [], files: 0, bytes: 0 })
        await this.#fill(source, error => this.#services.warn(plugin, error))
        this.onRefresh()
      },
    }
  }

  async #fill(source: Source, report: (error: ReportedError) => void): Promise<void> {
    const others = (): FileUse => ({
      files: this.#sum('files') - source.files,
      bytes: this.#sum('bytes') - source.bytes,
    })
    for await (const file of this.#services.documents.read(source.options, source, report, others))
      this.#addRules(file, source, error => report({ file: file.path, ...error }))
  }

  #sum(of: 'files' | 'bytes'): number {
    return this.#sources.reduce((sum, source) => sum + source[of], 0)
  }

  #addRules({ path, name, document, lineOf }: DocumentFile, source: Source, wrong: Report): void {
    const read = rulesOf(document, source.options)
    if ('problem' in read) return wrong({ at: null, message: read.problem })
    for (const { at, message } of read.problems.slice(0, MAX_PROBLEMS)) wrong({ at, message, line: lineOf(at) })
    const free = Math.max(0, MAX_RULES - this.#sources.reduce((sum, { rules }) => sum + rules.length, 0))
    if (read.rules.length > free)
      wrong({
        at: null,
        message: `only ${MAX_RULES} rules of files are used; ${read.rules.length - free} are left out`,
      })
    const stem = this.#stemOf(path, name)
    for (const [index, { rule, at }] of read.rules.slice(0, free).entries())
      source.rules.push({
        value: isRecord(rule) && rule.name === undefined ? { name: nameOf(stem, index), ...rule } : rule,
        source: source.of,
        at,
        file: path,
        line: lineOf(at),
        folder: dirname(path),
      })
  }

  /** The file name without its extension; with the folders, or a number, if another file has the same one. */
  #stemOf(path: string, name: string): string {
    const before = this.#stems.get(path)
    if (before !== undefined) return before
    const used = new Set(this.#stems.values())
    const parts = name.slice(0, -extname(name).length).split(sep)
    const candidates = [parts.at(-1)!, parts.join('-')].map(text => text.replaceAll(/[^A-Za-z0-9._-]/g, '-'))
    for (let number = 2; ; number++) {
      const stem = candidates.find(candidate => !used.has(candidate))
      if (stem !== undefined) {
        this.#stems.set(path, stem)
        return stem
      }
      candidates.push(`${candidates[1]}-${number}`)
    }
  }
}

type Report = (error: Omit<ReportedError, 'file'>) => void

function nameOf(stem: string, index: number): string {
  const number = `-${index + 1}`
  return stem.slice(0, MAX_NAME - number.length) + number
}

interface ReadRules {
  rules: { rule: unknown; at: string }[]
  problems: readonly { at: string; message: string }[]
}

function rulesOf(document: unknown, { translate }: RuleFileOptions): ReadRules | { problem: string } {
  if (isRecord(document)) {
    const { rules } = document
    if (Array.isArray(rules))
      return {
        rules: rules.map((rule: unknown, index) => ({ rule, at: `rules[${index}]` })),
        problems: Object.keys(document)
          .filter(key => key !== 'rules')
          .map(key => ({ at: key.slice(0, 100), message: `unknown key "${key.slice(0, 100)}"; expected only rules` })),
      }
    const translated = translate?.(document as JsonObject) ?? null
    if (translated !== null) return { rules: [...translated.rules], problems: translated.problems }
  }
  return { problem: 'expected a mapping with a list of rules, such as "rules:" and "- name: …"' }
}
