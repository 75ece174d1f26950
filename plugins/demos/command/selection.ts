/** Which demos the arguments name. */
import { resolve } from 'node:path'
import type { CommandContext } from 'svc/plugin'
import { ArgumentError, unknownName } from 'svc/toolkit'
import { builtInFolder, readDemos, type FoundDemo } from '../catalog/read-folder.ts'
import { AREAS, type Area } from '../file/demo.ts'
import { problemText } from '../file/demo-document.ts'

/** Throws `ArgumentError` for a demo that is not valid: one that comes with svc is. */
export async function builtIn(folder: string): Promise<FoundDemo[]> {
  const { demos, problems } = await readDemos(builtInFolder(folder))
  const [first] = problems
  if (first !== undefined) throw new ArgumentError(problemText(first.file, first.problem))
  return demos
}

export function named(name: string, demos: readonly FoundDemo[]): FoundDemo {
  const found = demos.find(({ demo }) => demo.demo === name)
  if (found !== undefined) return found
  const { message, remedy } = unknownName(
    'demo',
    name,
    demos.map(({ demo }) => demo.demo),
  )
  throw new ArgumentError(`${message}; ${remedy}`)
}

export function checkArea(area: string): asserts area is Area {
  if (AREAS.some(one => one === area)) return
  const { message, remedy } = unknownName('area', area, AREAS)
  throw new ArgumentError(`${message}; ${remedy}`)
}

/** The demos that the words name: demos that come with svc, and files. */
export async function chosenDemos(
  { words, area, isAll }: { words: readonly string[]; area: string | undefined; isAll: boolean },
  context: CommandContext,
  folder: string,
): Promise<FoundDemo[]> {
  const known = await builtIn(folder)
  if (isAll || area !== undefined) {
    if (words.length > 0) throw new ArgumentError('names cannot be combined with --all or --area')
    if (area !== undefined) checkArea(area)
    return known.filter(({ demo }) => area === undefined || demo.area === area)
  }
  if (words.length === 0) throw new ArgumentError('expected the name of a demo, a file, --area or --all')
  const chosen: FoundDemo[] = []
  for (const word of words) {
    if (!/[./\\]/.test(word)) {
      chosen.push(named(word, known))
      continue
    }
    const { demos, problems } = await readDemos(resolve(context.workingDirectory, word))
    if (problems.length > 0)
      throw new ArgumentError(problems.map(({ problem }) => problemText(word, problem)).join('\n'))
    chosen.push(...demos)
  }
  return chosen
}
