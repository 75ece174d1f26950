/** All demos: those that come with svc, those of other plugins, and the user's own. */
import { dirname, resolve } from 'node:path'
import { MAX_DEMOS } from '../file/bounds.ts'
import type { DemosSection } from '../options.ts'
import {
  builtInFolder,
  readDemos,
  takenName,
  wholeProblem,
  type FoundDemo,
  type FoundDemos,
  type FoundProblem,
} from './read-folder.ts'

export interface ListedDemo extends FoundDemo {
  /** `builtin`, or where the file is: a folder or file of svc.yaml, or of a plugin. */
  source: 'builtin' | 'plugin' | 'svc.yaml'
}

export interface DemoCatalog {
  demos: readonly ListedDemo[]
  problems: readonly FoundProblem[]
}

export interface CatalogSources {
  /** Of the plugin `demos`. */
  pluginFolder: string
  /** Folders of other plugins. */
  added: readonly string[]
  section: Pick<DemosSection, 'folders' | 'files'>
  /** To which paths of the section are relative. */
  base: string
}

/** A demo of svc.yaml may replace a built-in one; every other name that exists already is a problem. */
export async function readCatalog({ pluginFolder, added, section, base }: CatalogSources): Promise<DemoCatalog> {
  const demos = new Map<string, ListedDemo>()
  const problems: FoundProblem[] = []
  const take = (found: FoundDemos, source: ListedDemo['source']): void => {
    problems.push(...found.problems)
    for (const one of found.demos) {
      const known = demos.get(one.demo.demo)
      const replaces = known?.source === 'builtin' && source === 'svc.yaml'
      if (known !== undefined && !replaces) problems.push(wholeProblem(one.file, takenName(one.demo.demo)))
      else if (known === undefined && demos.size >= MAX_DEMOS)
        problems.push(wholeProblem(one.file, `expected at most ${MAX_DEMOS} demos in all`))
      else demos.set(one.demo.demo, { ...one, source })
    }
  }
  take(await readDemos(builtInFolder(pluginFolder)), 'builtin')
  for (const folder of added) take(await readDemos(folder), 'plugin')
  for (const path of ownPaths(section, base)) take(await readDemos(path), 'svc.yaml')
  return { demos: [...demos.values()].toSorted((a, b) => (a.demo.demo < b.demo.demo ? -1 : 1)), problems }
}

/** The folders and files of svc.yaml. */
export function ownPaths(
  { folders = [], files = [] }: Pick<DemosSection, 'folders' | 'files'>,
  base: string,
): string[] {
  return [...folders, ...files].map(path => resolve(base, path))
}

/** The folder of svc.yaml. */
export function baseOf(configFile: string | null | undefined, workingDirectory: string): string {
  return configFile == null || configFile === '' ? workingDirectory : dirname(resolve(workingDirectory, configFile))
}
