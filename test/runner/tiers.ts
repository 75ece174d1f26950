/** Assigns test files to tiers. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

export const TIERS = ['main', 'docs', 'sdk', 'browser', 'programs', 'fuzz', 'probe', 'replicas'] as const
export type Tier = (typeof TIERS)[number]

/** Path prefixes below `test/`; all other files are in `main`. */
const FOLDERS: Record<Exclude<Tier, 'main'>, string[]> = {
  docs: ['docs/', 'requirements/', 'integration/kit/'],
  sdk: ['sdk/'],
  browser: ['browser/'],
  programs: ['programs/'],
  fuzz: ['fuzz/', 'soak/', 'integration/attacks/', 'integration/store-memory/'],
  probe: ['probe/'],
  replicas: ['replicas/', 'sdk/replicas/'],
}

export interface TestFile {
  /** Path below `test/`. */
  name: string
  path: string
  tier: Tier
  /**
   * How the file runs: with others in one process; alone, if it has a comment `Runs alone: <reason>`; or through a loader, if
   * it has imports with computed names.
   */
  mode: 'shared' | 'alone' | 'loader'
  /** The file spends most of its time waiting, as its comment `Mostly waits: <for what>` says. They do not count as jobs. */
  waits: boolean
}

/** All test files below a folder, sorted by name. */
export function findTestFiles(folder: string): TestFile[] {
  return filesBelow(folder)
    .filter(path => path.endsWith('.test.ts'))
    .sort()
    .map(path => {
      const source = readFileSync(path, 'utf8')
      const name = relative(folder, path)
      return { name, path, tier: tierOf(name), mode: modeOf(source), waits: /\bMostly waits: /.test(source) }
    })
}

/** Neither fixtures nor packages, of which some folders have thousands. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name)
    if (entry.isFile()) return [path]
    return entry.isDirectory() && entry.name !== 'fixtures' && entry.name !== 'node_modules' ? filesBelow(path) : []
  })
}

export function tierOf(name: string): Tier {
  const found = Object.entries(FOLDERS)
    .flatMap(([tier, folders]) => folders.map(folder => ({ tier: tier as Tier, folder })))
    .filter(({ folder }) => name.startsWith(folder))
    .sort((one, other) => other.folder.length - one.folder.length)
  return found[0]?.tier ?? 'main'
}

function modeOf(source: string): TestFile['mode'] {
  if (/\bimport\((?!['"])|\)\.cache\b/.test(source)) return 'loader'
  return /\bRuns alone: /.test(source) ? 'alone' : 'shared'
}
