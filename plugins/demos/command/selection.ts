/** Which demos the arguments name. */
import { resolve } from 'node:path'
import type { CommandContext } from 'svc/plugin'
import { ArgumentError, isRecord, unknownName } from 'svc/toolkit'
import { baseOf, readCatalog } from '../catalog/catalog.ts'
import { readDemos, type FoundDemo } from '../catalog/read-folder.ts'
import { AREAS, type Area } from '../file/demo.ts'
import { problemText } from '../file/demo-document.ts'

/**
 * All demos: those that come with svc, those of plugins and those of svc.yaml. Throws `ArgumentError` for one that is not valid.
 */
export async function allDemos(context: CommandContext, folder: string): Promise<FoundDemo[]> {
  return readAll(context, folder, (await context.use('demos.files'))?.list() ?? [])
}

async function readAll(context: CommandContext, pluginFolder: string, added: readonly string[]): Promise<FoundDemo[]> {
  const { demos, problems } = await readCatalog({
    pluginFolder,
    added,
    section: sectionOf(context.section),
    base: baseOf(context.environment.SVC_CONFIG_FILE, context.workingDirectory),
  })
  const [first] = problems
  if (first !== undefined) throw new ArgumentError(problemText(first.file, first.problem))
  return [...demos]
}

/** The section as it was written: what is wrong in it is reported by `svc check`. */
function sectionOf(section: unknown): { folders: string[]; files: string[] } {
  const texts = (value: unknown): string[] =>
    Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []
  return isRecord(section)
    ? { folders: texts(section.folders), files: texts(section.files) }
    : { folders: [], files: [] }
}

/** The demo of that name. Throws `ArgumentError` with the nearest name. */
export async function named(name: string, context: CommandContext, folder: string): Promise<FoundDemo> {
  const isNamed = ({ demo }: FoundDemo): boolean => demo.demo === name
  // To know the demos of plugins, all plugins must be loaded.
  const near = (await readAll(context, folder, [])).find(isNamed)
  if (near !== undefined) return near
  const known = await allDemos(context, folder)
  const found = known.find(isNamed)
  if (found !== undefined) return found
  const { message, remedy } = unknownName(
    'demo',
    name,
    known.map(({ demo }) => demo.demo),
  )
  throw new ArgumentError(`${message}; ${remedy}`)
}

export function checkArea(area: string): asserts area is Area {
  if (AREAS.some(one => one === area)) return
  const { message, remedy } = unknownName('area', area, AREAS)
  throw new ArgumentError(`${message}; ${remedy}`)
}

/** The demos that the words name: those of the catalog, and files. */
export async function chosenDemos(
  { words, area, isAll }: { words: readonly string[]; area: string | undefined; isAll: boolean },
  context: CommandContext,
  folder: string,
): Promise<FoundDemo[]> {
  if (isAll || area !== undefined) {
    if (words.length > 0) throw new ArgumentError('names cannot be combined with --all or --area')
    if (area !== undefined) checkArea(area)
    return (await allDemos(context, folder)).filter(({ demo }) => area === undefined || demo.area === area)
  }
  if (words.length === 0) throw new ArgumentError('expected the name of a demo, a file, --area or --all')
  const chosen: FoundDemo[] = []
  for (const word of words) {
    if (!/[./\\]/.test(word)) {
      chosen.push(await named(word, context, folder))
      continue
    }
    const { demos, problems } = await readDemos(resolve(context.workingDirectory, word))
    if (problems.length > 0)
      throw new ArgumentError(problems.map(({ problem }) => problemText(word, problem)).join('\n'))
    chosen.push(...demos)
  }
  return chosen
}
