/** Reads demos from folders: every YAML and JSON file that is not a snippet of another demo. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { MAX_DEMOS, MAX_FILE_BYTES } from '../file/bounds.ts'
import type { Demo } from '../file/demo.ts'
import { readDemoText, type DemoProblem } from '../file/demo-document.ts'

export interface FoundDemo {
  demo: Demo
  /** As written, with defaults left out. */
  value: unknown
  file: string
}

export interface FoundProblem {
  file: string
  problem: DemoProblem
}

export interface FoundDemos {
  demos: FoundDemo[]
  problems: FoundProblem[]
}

const NAMES = /\.(?:ya?ml|json)$/i

/** A file, or the files of a folder; folders in it belong to the demos, with their snippets. */
export async function readDemos(path: string): Promise<FoundDemos> {
  const found: FoundDemos = { demos: [], problems: [] }
  const fail = (file: string, details: string): void => void found.problems.push(wholeProblem(file, details))
  let files: string[]
  try {
    const isFolder = (await stat(path)).isDirectory()
    files = isFolder ? (await readdir(path)).filter(name => NAMES.test(name)).map(name => join(path, name)) : [path]
  } catch (error) {
    fail(path, unreadable(error))
    return found
  }
  if (files.length > MAX_DEMOS) fail(path, `expected at most ${MAX_DEMOS} demos`)
  for (const file of files.toSorted().slice(0, MAX_DEMOS)) {
    let text: string
    try {
      if ((await stat(file)).size > MAX_FILE_BYTES) {
        fail(file, `expected at most ${MAX_FILE_BYTES} bytes (the bound of a file)`)
        continue
      }
      text = await readFile(file, 'utf8')
    } catch (error) {
      fail(file, unreadable(error))
      continue
    }
    const read = readDemoText(text)
    if ('problems' in read) for (const problem of read.problems) found.problems.push({ file, problem })
    else if (found.demos.some(({ demo }) => demo.demo === read.demo.demo)) fail(file, takenName(read.demo.demo))
    else found.demos.push({ demo: read.demo, value: read.value, file })
  }
  return found
}

function unreadable(error: unknown): string {
  return `cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})`
}

export function takenName(name: string): string {
  return `another file has the demo ${name}`
}

export function wholeProblem(file: string, details: string): FoundProblem {
  return { file, problem: { at: '', details, line: null } }
}

/** The demos that come with svc. */
export function builtInFolder(pluginFolder: string): string {
  return join(pluginFolder, 'demos')
}
