/** Reads the YAML and JSON files that plugins name: `core.documents`. */
import { lstat, readdir, readFile, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import type { DocumentFile, DocumentFileOptions, DocumentFiles } from '../contract/documents.ts'
import { forPlugin, type PersonalPoint } from '../contract/plugin.ts'
import type { ReportedError } from '../contract/reload.ts'
import { isTextNestedWithin } from '../toolkit/json-depth.ts'
import { parseYaml, YamlProblem, type ItemPath } from './yaml-document.ts'

const MAX_FILES = 500
const MAX_BYTES = 16 * 1024 * 1024
/** Folders that are searched below one path. */
const MAX_FOLDERS = 1000
/** Positions in longer files are not searched. */
const MAX_LOCATED = 2 * 1024 * 1024
const MAX_DEPTH = 150
const NAMES = /\.(?:ya?ml|json)$/i

export interface DocumentReaderServices {
  /** Paths are relative to this folder. */
  folder: string
  watch(path: string): void
}

/** The extension point. The bounds count for each plugin. */
export function documentFiles(
  reader: DocumentReader,
  report: (plugin: string, error: ReportedError) => void,
): PersonalPoint<DocumentFiles> {
  const openFor = (plugin: string): DocumentFiles => {
    const use: FileUse = { files: 0, bytes: 0 }
    return {
      async read(options) {
        const files: DocumentFile[] = []
        for await (const file of reader.read(options, use, error => report(plugin, error))) files.push(file)
        return files
      },
    }
  }
  return { [forPlugin]: openFor }
}

/** Files and bytes that were read. */
export interface FileUse {
  files: number
  bytes: number
}

type Report = (error: ReportedError) => void

export class DocumentReader {
  readonly #services: DocumentReaderServices

  constructor(services: DocumentReaderServices) {
    this.#services = services
  }

  /**
   * Reads the files of paths. `use` counts them; `usedBefore` is what else counts for the bounds. Reports what is wrong.
   */
  async *read(
    options: DocumentFileOptions,
    use: FileUse,
    report: Report,
    usedBefore: () => FileUse = () => ({ files: 0, bytes: 0 }),
  ): AsyncGenerator<DocumentFile> {
    for (const [index, path] of options.paths.entries()) {
      const at = options.paths.length === 1 ? options.at : `${options.at}[${index}]`
      const found = await this.#find(resolve(this.#services.folder, path), options, report)
      if (found === null && options.isOwn !== true)
        report({
          at,
          message: `there is no file or folder ${path.slice(0, 200)}`,
          remedy: 'correct the path, which is relative to svc.yaml',
        })
      for (const file of found ?? []) {
        const wrong: Wrong = error => report({ file: file.path, ...error })
        const text = await readText(file.path, use, usedBefore(), wrong)
        if (text === null) continue
        const parsed = parseFile(file.path, text)
        if ('problem' in parsed) wrong({ at: null, line: parsed.line, message: parsed.problem })
        else yield { ...file, ...parsed }
      }
    }
  }

  /** The files of a path, with their names relative to it; null if it does not exist. */
  async #find(path: string, { isOwn = false }: DocumentFileOptions, report: Report): Promise<FoundFile[] | null> {
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
}

type Wrong = (error: Omit<ReportedError, 'file'>) => void

interface FoundFile {
  path: string
  name: string
}

/** The text of a file; null if it cannot be read or is too much. */
async function readText(path: string, use: FileUse, before: FileUse, wrong: Wrong): Promise<string | null> {
  try {
    const { size } = await stat(path)
    if (before.files + use.files >= MAX_FILES || before.bytes + use.bytes + size > MAX_BYTES) {
      wrong({ at: null, message: `only ${MAX_FILES} files and ${MAX_BYTES} bytes are read; this one is left out` })
      return null
    }
    use.files++
    use.bytes += size
    return await readFile(path, 'utf8')
  } catch (error) {
    wrong({ at: null, message: `the file cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})` })
    return null
  }
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

type ParsedFile = Pick<DocumentFile, 'document' | 'lineOf'> | { problem: string; line: number | null }

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
