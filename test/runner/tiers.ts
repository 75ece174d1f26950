/** Assigns test files to tiers. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

export const TIERS = ['main', 'long', 'docs', 'sdk', 'browser', 'programs', 'fuzz', 'probe', 'replicas'] as const
export type Tier = (typeof TIERS)[number]

/** Path prefixes below `test/`; all other files are in `main`, or in `long` if they have a comment `Takes long: <reason>`. */
const FOLDERS: Record<Exclude<Tier, 'main' | 'long'>, string[]> = {
  docs: ['docs/', 'requirements/', 'integration/kit/'],
  sdk: ['sdk/'],
  browser: ['browser/'],
  programs: ['programs/'],
  fuzz: ['fuzz/', 'soak/', 'integration/attacks/', 'integration/store-memory/'],
  probe: ['probe/'],
  replicas: ['replicas/', 'sdk/replicas/'],
}

/** What runs in these folders mostly waits: for Chromium, and for gateways that do not reply. */
const WAITING_FOLDERS = ['browser/', 'probe/']

export interface TestFile {
  /** Path below `test/`. */
  name: string
  path: string
  tier: Tier
  /**
   * How the file runs: with others in one process; alone, if it has a comment `Runs alone: <reason>` or measures; or through a
   * loader, if it has imports with computed names.
   */
  mode: 'shared' | 'alone' | 'loader'
  /** The file spends most of its time waiting, as its folder or its comment `Mostly waits: <for what>` says. They do not count as jobs. */
  waits: boolean
  /** The file has bounds on time or memory, as its comment `Measures: <what>` says. It runs when nothing else runs. */
  measures: boolean
}

/** All test files below a folder, sorted by name. */
export function findTestFiles(folder: string): TestFile[] {
  return filesBelow(folder)
    .filter(path => path.endsWith('.test.ts'))
    .sort()
    .map(path => {
      const source = readFileSync(path, 'utf8')
      const name = relative(folder, path)
      const marks = headerOf(source)
      const measures = /\bMeasures: /.test(marks)
      return {
        name,
        path,
        tier: tierOf(name, marks),
        mode: modeOf(source, marks),
        waits: !measures && waits(name, marks),
        measures,
      }
    })
}

/** The comment at the beginning of a file, which has its marks. */
function headerOf(source: string): string {
  return source.slice(0, Math.max(0, source.search(/^import\b/m)))
}

/** Neither fixtures nor packages, of which some folders have thousands. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name)
    if (entry.isFile()) return [path]
    return entry.isDirectory() && entry.name !== 'fixtures' && entry.name !== 'node_modules' ? filesBelow(path) : []
  })
}

/** The tier of a file with this path and these marks in its first comment. */
export function tierOf(name: string, marks = ''): Tier {
  const found = Object.entries(FOLDERS)
    .flatMap(([tier, folders]) => folders.map(folder => ({ tier: tier as Tier, folder })))
    .filter(({ folder }) => name.startsWith(folder))
    .sort((one, other) => other.folder.length - one.folder.length)
  return found[0]?.tier ?? (/\bTakes long: /.test(marks) ? 'long' : 'main')
}

function waits(name: string, marks: string): boolean {
  return WAITING_FOLDERS.some(folder => name.startsWith(folder)) || /\bMostly waits: /.test(marks)
}

function modeOf(source: string, marks: string): TestFile['mode'] {
  if (/\bimport\((?!['"])|\)\.cache\b/.test(source)) return 'loader'
  return /\b(?:Runs alone|Measures): /.test(marks) ? 'alone' : 'shared'
}
