/** Reads the files of skills from disk. */
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'
import { MAX_SKILL_BYTES, MAX_SKILL_FILES } from './skill.ts'

const MAX_DEPTH = 8

/** The files below a folder, by path with `/`. Hidden files are ignored. Throws if there are too many. */
export function readSkillFolder(folder: string): Map<string, Buffer> {
  const root = realpathSync(folder)
  const files = new Map<string, Buffer>()
  let bytes = 0
  const readAll = (at: string, depth: number): void => {
    for (const entry of readdirSync(join(root, at)).sort()) {
      if (entry.startsWith('.')) continue
      const path = at === '' ? entry : `${at}/${entry}`
      const real = realpathSync(join(root, path))
      if (!real.startsWith(root + sep)) throw new Error(`${path} is a symbolic link that leaves the folder`)
      const stats = statSync(real)
      if (stats.isDirectory()) {
        if (depth >= MAX_DEPTH) throw new Error(`${path} is nested deeper than ${MAX_DEPTH} folders`)
        readAll(path, depth + 1)
      } else if (stats.isFile()) {
        bytes += stats.size
        if (files.size >= MAX_SKILL_FILES) throw new Error(`it has more than ${MAX_SKILL_FILES} files`)
        if (bytes > MAX_SKILL_BYTES) throw new Error(`it has more than ${MAX_SKILL_BYTES} bytes`)
        files.set(path, readFileSync(real))
      }
    }
  }
  readAll('', 0)
  return files
}

/** The folders below a folder that have a SKILL.md. */
export function skillFolders(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(entry => entry.isDirectory() || entry.isSymbolicLink())
    .map(entry => entry.name)
    .filter(name => statSync(join(folder, name, 'SKILL.md'), { throwIfNoEntry: false })?.isFile() === true)
    .sort()
}
