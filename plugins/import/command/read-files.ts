/** Reads the files that `svc import` is given. */
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path'
import { ArgumentError } from 'svc/toolkit'
import { DocumentProblem, readDocument } from '../source/document.ts'
import type { Position } from '../source/json-positions.ts'
import type { ImportFile, ItemPath, Severity } from '../types.ts'
import {
  MAX_BODY_BYTES,
  MAX_BYTES,
  MAX_DEPTH,
  MAX_ENTRIES,
  MAX_FILE_BYTES,
  MAX_FILES,
  MAX_FOLDER_DEPTH,
} from './bounds.ts'

const NAMES = /\.(?:json|ya?ml|har)$/i
/** Folders of WireMock with bodies: files in them are not read as stubs. */
const BODIES = '__files'

export interface ReadFile extends ImportFile {
  /** Where it is. */
  readonly path: string
  locate(path: ItemPath): Position
}

export interface SkippedFile {
  name: string
  position: Position
  severity: Severity
  message: string
}

export interface ReadFiles {
  files: readonly ReadFile[]
  skipped: readonly SkippedFile[]
}

interface Found {
  path: string
  name: string
  folder: string
  /** The command names it. */
  isGiven: boolean
}

/** Reads files, and those of folders with their folders, by sorted names. Throws an `ArgumentError` for a path that cannot be read. */
export async function readFiles(paths: readonly string[], workingDirectory: string): Promise<ReadFiles> {
  const files: ReadFile[] = []
  const skipped: SkippedFile[] = []
  const skip = (name: string, message: string, position: Position = { line: 1, column: 1 }): void =>
    void skipped.push({ name, position, severity: 'skipped', message })
  let bytes = 0
  const all: Found[] = []
  for (const path of paths) all.push(...(await filesOf(path, resolve(workingDirectory, path), skip)))
  for (const [index, { path, name, folder }] of all.entries()) {
    if (index === MAX_FILES) {
      skip(name, `at most ${MAX_FILES} files are read; ${all.length - MAX_FILES} are left out`)
      break
    }
    const { size } = await stat(path)
    if (size > MAX_FILE_BYTES) skip(name, `the file has more than ${MAX_FILE_BYTES} bytes`)
    else if (bytes + size > MAX_BYTES) skip(name, `all files together have more than ${MAX_BYTES} bytes`)
    else {
      bytes += size
      const text = (await readFile(path, 'utf8')).replace(/^\uFEFF/, '')
      const format = sourceFormat(name, text)
      if (format !== null) {
        skip(name, format)
        continue
      }
      try {
        const { value, isJson, locate } = readDocument(name, text, MAX_DEPTH)
        const stem = basename(name, extname(name))
        files.push({ path, name, stem, document: value, text, isJson, folder, directory: dirname(path), locate })
      } catch (error) {
        if (!(error instanceof DocumentProblem)) throw error
        skip(name, error.message, error.position)
      }
    }
  }
  return { files, skipped }
}

/** What is known about files that are neither JSON nor YAML. */
function sourceFormat(name: string, text: string): string | null {
  const ending = extname(name).toLowerCase()
  if (ending === '.wsdl' || /^\s*<[^]{0,2000}(?:wsdl:)?definitions/.test(text)) return 'WSDL is not imported'
  if (ending === '.proto') return 'Protocol Buffers definitions are not imported'
  if (['.graphql', '.gql', '.graphqls'].includes(ending)) return 'GraphQL schemas are not imported'
  if (/\.[cm]?[jt]sx?$/.test(ending))
    return `code is not imported${/\bnock\b/.test(text) ? ' (nock)' : /\bmsw\b/.test(text) ? ' (msw)' : ''}`
  return null
}

type Skip = (name: string, message: string) => void

async function filesOf(given: string, path: string, skip: Skip): Promise<Found[]> {
  const facts = await stat(path).catch(() => null)
  if (facts === null) throw new ArgumentError(`there is no file or folder ${given.slice(0, 200)}`)
  if (facts.isFile()) return [{ path, name: shown(given), folder: dirname(path), isGiven: true }]
  // The others, such as pipes and devices, have no size, and reading them may never end.
  if (!facts.isDirectory()) throw new ArgumentError(`${given.slice(0, 200)} is neither a file nor a folder`)
  const root = await realpath(path)
  const found: Found[] = []
  /** Real paths: symbolic links can lead to a folder in any number of ways. */
  const walked = new Set<string>([root])
  let entriesLeft = MAX_ENTRIES
  await walk(path, 0)
  if (entriesLeft <= 0) skip(shown(given), `at most ${MAX_ENTRIES} entries of folders are read`)
  return found

  async function walk(folder: string, depth: number): Promise<void> {
    const entries = (await readdir(folder)).sort()
    for (const name of entries) {
      if (found.length > 2 * MAX_FILES || --entriesLeft <= 0) return
      if (name.startsWith('.') || name === 'node_modules' || name === BODIES) continue
      const file = join(folder, name)
      const shownName = shown(relative(path, file))
      const target = await realpath(file).catch(() => null)
      if (target === null || !isWithin(root, target)) {
        skip(shownName, target === null ? 'the file cannot be read' : 'a symbolic link leaves the folder')
        continue
      }
      const facts_ = await stat(target)
      if (facts_.isDirectory()) {
        if (walked.has(target)) continue
        walked.add(target)
        if (depth < MAX_FOLDER_DEPTH) await walk(file, depth + 1)
        else skip(shownName, `folders are read ${MAX_FOLDER_DEPTH} levels deep`)
      } else if (!NAMES.test(name)) continue
      else if (facts_.isFile()) found.push({ path: file, name: shownName, folder: path, isGiven: false })
      else skip(shownName, 'it is not a file')
    }
  }
}

function shown(path: string): string {
  return path.split(sep).join('/')
}

function isWithin(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep)
}

/**
 * A file of at most `bytesLeft` bytes below the folder of the source, or of its parent for stubs in `mappings`; otherwise why it
 * cannot be used.
 */
export async function readBodyFile(
  file: ImportFile,
  path: string,
  folders: readonly string[],
  bytesLeft: number,
): Promise<Buffer | { problem: string }> {
  let problem = 'there is no such file'
  for (const folder of folders) {
    const base = await realpath(resolve(file.folder, folder)).catch(() => null)
    const target = base === null ? null : await realpath(resolve(base, path)).catch(() => null)
    if (base === null || target === null) continue
    if (!isWithin(base, target)) problem = 'the file is not below the folder of the source'
    else {
      const facts = await stat(target)
      if (!facts.isFile()) problem = 'it is not a file'
      else if (facts.size > MAX_BODY_BYTES) problem = `the file has more than ${MAX_BODY_BYTES} bytes`
      else if (facts.size > bytesLeft) problem = 'all files with bodies together are too large'
      else return readFile(target)
    }
  }
  return { problem }
}
