/** Files whose content rules respond with: `body_file` of `respond`. */
import { readFile, realpath, stat } from 'node:fs/promises'
import { dirname, extname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { isRecord } from '../contract/record.ts'
import { InputProblem } from '../toolkit/input-problem.ts'
import type { FileRule } from './file-rules.ts'

const MAX_FILE_BYTES = 4 * 1024 * 1024
/** Of all files together: their content is kept. */
const MAX_BYTES = 64 * 1024 * 1024
const MAX_PATH = 1000

const TYPES: Readonly<Record<string, string>> = {
  '.avif': 'image/avif',
  '.css': 'text/css; charset=utf-8',
  '.csv': 'text/csv; charset=utf-8',
  '.gif': 'image/gif',
  '.gz': 'application/gzip',
  '.htm': 'text/html; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/vnd.microsoft.icon',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webp': 'image/webp',
  '.xml': 'application/xml',
  '.yaml': 'application/yaml',
  '.yml': 'application/yaml',
  '.zip': 'application/zip',
}
const BYTES_TYPE = 'application/octet-stream'

export interface BodyFile {
  content: Buffer
  /** The media type that belongs to the ending of the name. */
  type: string
}

/** Finds the file that a rule names. Throws an `InputProblem`. */
export type FindBodyFile = (path: string, at: string) => BodyFile

/** The files that the rules of one generation respond with, by absolute path. */
export class BodyFiles {
  readonly #watch: (path: string) => void
  readonly #files = new Map<string, BodyFile | { problem: string }>()
  #bytes = 0

  /** `watch`: a change of the file, which need not exist, reloads. */
  constructor(watch: (path: string) => void) {
    this.#watch = watch
  }

  /** Reads the files that rules name; what is wrong is found by `in`. */
  async load(rules: readonly FileRule[]): Promise<void> {
    for (const { value, folder } of rules)
      for (const path of folder === null ? [] : pathsOf(value)) {
        const file = resolve(folder!, path)
        if (this.#files.has(file) || !isBelow(path)) continue
        this.#watch(file)
        this.#files.set(file, await this.#read(file, folder!))
      }
  }

  /** Finds files of rules in a folder. */
  in(folder: string | null): FindBodyFile | null {
    if (folder === null) return null
    return (path, at) => {
      if (!isBelow(path)) throw new InputProblem(at, 'expected a relative path of a file below the folder of this file')
      const found = this.#files.get(resolve(folder, path)) ?? { problem: 'there is no such file' }
      if ('problem' in found) throw new InputProblem(at, `${path.slice(0, 200)}: ${found.problem}`)
      return found
    }
  }

  async #read(file: string, folder: string): Promise<BodyFile | { problem: string }> {
    try {
      const root = await realpath(folder)
      const target = await realpath(file)
      if (!`${dirname(target)}${sep}`.startsWith(join(root, sep)))
        return { problem: 'a symbolic link leaves the folder of this file' }
      const facts = await stat(target)
      if (!facts.isFile()) return { problem: 'it is not a file' }
      if (facts.size > MAX_FILE_BYTES) return { problem: `the file has more than ${MAX_FILE_BYTES} bytes` }
      if (this.#bytes + facts.size > MAX_BYTES)
        return { problem: `all files together have more than ${MAX_BYTES} bytes` }
      const content = await readFile(target)
      this.#bytes += content.length
      return { content, type: TYPES[extname(file).toLowerCase()] ?? BYTES_TYPE }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      return { problem: code === 'ENOENT' ? 'there is no such file' : `the file cannot be read (${code ?? 'unknown'})` }
    }
  }
}

/** The paths that the steps of a rule name. */
function pathsOf(rule: unknown): string[] {
  if (!isRecord(rule)) return []
  return [rule.then].flat().flatMap(step => {
    const respond = isRecord(step) ? step.respond : undefined
    const path = isRecord(respond) ? respond.body_file : undefined
    return typeof path === 'string' ? [path] : []
  })
}

function isBelow(path: string): boolean {
  const inside = relative('.', path)
  return (
    path !== '' &&
    path.length <= MAX_PATH &&
    !path.includes('\0') &&
    !isAbsolute(path) &&
    inside !== '' &&
    inside.split(sep)[0] !== '..'
  )
}
