/** Reads the files with rules that plugins name: `testing.rules`. */
import { lstat, readdir, readFile, realpath, stat } from 'node:fs/promises'
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path'
import { parseYaml, YamlProblem, type ItemPath } from '../config/yaml-document.ts'
import { isTextNestedWithin } from '../toolkit/json-depth.ts'
import type { JsonObject } from '../contract/json.ts'
import { forPlugin, type PersonalPoint, type ReportedError } from '../contract/plugin.ts'
import { isRecord } from '../contract/record.ts'
import type { RuleFileOptions, RuleFiles, RuleFileSet } from '../contract/testing.ts'
import type { FileRule } from './file-rules.ts'

const MAX_RULES = 2000
const MAX_FILES = 500
const MAX_BYTES = 16 * 1024 * 1024
/** Folders that are searched below one path. */
const MAX_FOLDERS = 1000
/** Positions in longer files are not searched. */
const MAX_LOCATED = 2 * 1024 * 1024
const MAX_DEPTH = 150
/** Problems of one file that are reported. */
const MAX_PROBLEMS = 20
const NAMES = /\.(?:ya?ml|json)$/i
const MAX_NAME = 64

export interface RuleFileServices {
  /** Paths are relative to this folder. */
  folder: string
  watch(path: string): void
  /** Reports a problem of the configuration. */
  report(plugin: string, error: ReportedError): void
  /** Logs a problem that was found later. */
  warn(plugin: string, error: ReportedError): void
}

/** The files of one call, and what was read from them. */
interface Source {
  readonly options: RuleFileOptions
  rules: FileRule[]
  files: number
  bytes: number
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

  get rules(): FileRule[] {
    return this.#sources.flatMap(({ rules }) => rules)
  }

  async #add(options: RuleFileOptions, plugin: string): Promise<RuleFileSet> {
    const source: Source = { options, rules: [], files: 0, bytes: 0 }
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
    const { options } = source
    for (const [index, path] of options.paths.entries()) {
      const at = options.paths.length === 1 ? options.at : `${options.at}[${index}]`
      const found = await this.#find(resolve(this.#services.folder, path), options, report)
      if (found === null && options.isOwn !== true)
        report({
          at,
          message: `there is no file or folder ${path.slice(0, 200)}`,
          remedy: 'correct the path, which is relative to svc.yaml',
        })
      for (const file of found ?? []) await this.#read(file, source, report)
    }
  }

  #sum(of: 'files' | 'bytes'): number {
    return this.#sources.reduce((sum, source) => sum + source[of], 0)
  }

  /** The files of a path, with their names relative to it; null if it does not exist. */
  async #find(
    path: string,
    { isOwn = false }: RuleFileOptions,
    report: (error: ReportedError) => void,
  ): Promise<FoundFile[] | null> {
    if (!isOwn) this.#services.watch(path)
    const facts = await stat(path).catch(() => null)
    if (facts === null) return null
    if (facts.isFile()) return [{ path, name: basename(path) }]
    if (!facts.isDirectory()) return null
    const root = await realpath(path)
    const found: FoundFile[] = []
    const folders = [path]
    for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
      if (folder !== path && !isOwn) this.#services.watch(folder)
      const { files, below } = await filesOf(folder, root)
      found.push(...files.map(file => ({ path: file, name: relative(path, file) })))
      folders.unshift(...below)
      if (found.length <= MAX_FILES && folders.length <= MAX_FOLDERS) continue
      report({ file: path, at: null, message: `the folder has more than ${MAX_FILES} files or ${MAX_FOLDERS} folders` })
      break
    }
    return found.slice(0, MAX_FILES)
  }

  async #read({ path, name }: FoundFile, source: Source, report: (error: ReportedError) => void): Promise<void> {
    const wrong: Report = error => report({ file: path, ...error })
    const text = await this.#text(path, source, wrong)
    if (text === null) return
    const file = parseFile(path, text)
    if ('problem' in file) return wrong({ at: null, line: file.line, message: file.problem })
    const read = rulesOf(file.document, source.options)
    if ('problem' in read) return wrong({ at: null, message: read.problem })
    for (const { at, message } of read.problems.slice(0, MAX_PROBLEMS)) wrong({ at, message, line: file.lineOf(at) })
    const free = Math.max(0, MAX_RULES - this.rules.length)
    if (read.rules.length > free)
      wrong({
        at: null,
        message: `only ${MAX_RULES} rules of files are used; ${read.rules.length - free} are left out`,
      })
    const stem = this.#stemOf(path, name)
    for (const [index, { rule, at }] of read.rules.slice(0, free).entries())
      source.rules.push({
        value: isRecord(rule) && rule.name === undefined ? { name: nameOf(stem, index), ...rule } : rule,
        source: 'fixture',
        at,
        file: path,
        line: file.lineOf(at),
      })
  }

  /** The text of a file; null if it cannot be read or is too much. */
  async #text(path: string, source: Source, wrong: Report): Promise<string | null> {
    try {
      const { size } = await stat(path)
      if (this.#sum('files') >= MAX_FILES || this.#sum('bytes') + size > MAX_BYTES) {
        wrong({ at: null, message: `only ${MAX_FILES} files and ${MAX_BYTES} bytes are read; this one is left out` })
        return null
      }
      source.files++
      source.bytes += size
      return await readFile(path, 'utf8')
    } catch (error) {
      wrong({ at: null, message: `the file cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})` })
      return null
    }
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

interface FoundFile {
  path: string
  name: string
}

function nameOf(stem: string, index: number): string {
  const number = `-${index + 1}`
  return stem.slice(0, MAX_NAME - number.length) + number
}

/** The files of a folder and its folders, by name. Symbolic links that leave `root`, and those to folders, are left out. */
async function filesOf(folder: string, root: string): Promise<{ files: string[]; below: string[] }> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const files: string[] = []
  const below: string[] = []
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name)
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue
    if (entry.isDirectory()) below.push(path)
    else if (NAMES.test(entry.name) && (await isFileWithin(path, root))) files.push(path)
  }
  return { files, below }
}

async function isFileWithin(path: string, root: string): Promise<boolean> {
  try {
    if ((await lstat(path)).isSymbolicLink() && !`${dirname(await realpath(path))}${sep}`.startsWith(root + sep))
      return false
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}

type ParsedFile = { document: unknown; lineOf(at: string): number | null } | { problem: string; line: number | null }

function parseFile(path: string, text: string): ParsedFile {
  const isJson = /\.json$/i.test(path)
  try {
    const value = isJson ? parseJson(text) : undefined
    const yaml = isJson && text.length > MAX_LOCATED ? null : tryYaml(text, isJson)
    return {
      document: isJson ? value : yaml!.value,
      lineOf: at => yaml?.locate(itemPathOf(at))?.line ?? null,
    }
  } catch (error) {
    const { position } = error as Partial<YamlProblem>
    const message = (error as Error).message.slice(0, 300)
    return { problem: `the file is not valid ${isJson ? 'JSON' : 'YAML'}: ${message}`, line: position?.line ?? null }
  }
}

function parseJson(text: string): unknown {
  if (!isTextNestedWithin(text, MAX_DEPTH)) throw new Error(`nested more than ${MAX_DEPTH} levels deep`)
  return JSON.parse(text)
}

/** JSON is parsed as YAML to find positions only. */
function tryYaml(text: string, isJson: boolean): ReturnType<typeof parseYaml> | null {
  try {
    return parseYaml(text)
  } catch (error) {
    if (isJson && error instanceof YamlProblem) return null
    throw error
  }
}

/** `rules[3].then` as a path. */
function itemPathOf(at: string): ItemPath {
  return at.split(/[.[\]]+/).flatMap(step => (step === '' ? [] : [/^\d+$/.test(step) ? Number(step) : step]))
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
