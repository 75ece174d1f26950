/** Writes what was imported as a folder with which svc starts. */
import { mkdir, readdir, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import { type JsonObject, Pacer } from 'svc/plugin'
import { ArgumentError, writeYaml } from 'svc/toolkit'
import type { WrittenFile } from '../types.ts'
import type { Imported } from './convert.ts'

const WIDTH = 120

/** The rule of `--closed`: what no imported rule answers. */
const UNMATCHED: JsonObject = {
  name: 'unmatched',
  priority: -1000,
  match: { path: '/**' },
  then: { respond: { status: 404, body: 'No imported rule matches {{request.method}} {{request.url}}\n' } },
}

/** The files, with paths below the folder. `isClosed`: what no rule answers is a 404. */
export async function writtenFiles(imported: Imported, { isClosed }: { isClosed: boolean }): Promise<WrittenFile[]> {
  const files: WrittenFile[] = []
  const names = new Set<string>()
  const items: JsonObject[] = []
  for (const { file, rules } of imported.rules) {
    if (rules.length === 0) continue
    const path = rulesPath(file.name, names)
    files.push({ path, content: await yaml({ rules: [...rules] }) })
    items.push({ file: path })
  }
  const config: JsonObject = {}
  if (isClosed) items.push(UNMATCHED)
  if (items.length > 0) config.rules = items
  if (imported.notify.length > 0) config.notify = { allow: [...imported.notify] }
  if (imported.proxy.length > 0) config.proxy = [...imported.proxy]
  if (imported.mocks.length > 0) config.mocks = [...imported.mocks]
  if (imported.providers.length > 0) config.llm = { providers: [...imported.providers] }
  const known = new Map<string, WrittenFile>()
  for (const file of imported.files) if (!known.has(file.path)) known.set(file.path, file)
  return [{ path: 'svc.yaml', content: await yaml(config) }, ...files, ...known.values()]
}

function yaml(value: JsonObject): Promise<string> {
  return writeYaml(value, new Pacer(), { lineWidth: WIDTH, aliasDuplicateObjects: false })
}

/** `rules/<name>.yaml`, with the folders in the name. */
function rulesPath(name: string, used: Set<string>): string {
  const plain = name
    .replace(/\.[^./]+$/, '')
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replaceAll(/^[-.]+/g, '')
    .slice(0, 100)
  let path = `rules/${plain === '' ? 'rules' : plain}.yaml`
  for (let number = 2; used.has(path); number++) path = `rules/${plain}-${number}.yaml`
  used.add(path)
  return path
}

/** Throws an `ArgumentError` for a folder that cannot be the output. */
export async function checkOutput(
  out: string,
  sources: readonly string[],
  { isForced }: { isForced: boolean },
): Promise<void> {
  const facts = await stat(out).catch(() => null)
  if (facts !== null && !facts.isDirectory()) throw new ArgumentError(`--out: ${out} is not a folder`)
  const target = facts === null ? resolve(out) : await realpath(out)
  for (const source of sources) {
    const path = await realpath(source).catch(() => source)
    if (path === target || path.startsWith(target + sep))
      throw new ArgumentError(`--out: ${out} is or contains the source`)
  }
  if (facts !== null && !isForced && (await readdir(out)).length > 0)
    throw new ArgumentError(`--out: ${out} has files; choose another folder, or write there with --force`)
}

/** Writes the files. What an earlier import wrote and this one does not is removed with `rules/`. */
export async function writeFiles(out: string, files: readonly WrittenFile[]): Promise<void> {
  try {
    await rm(join(out, 'rules'), { recursive: true, force: true })
    for (const { path, content } of files) {
      const file = resolve(out, path)
      if (!file.startsWith(resolve(out) + sep)) continue
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, content)
    }
  } catch (error) {
    throw new ArgumentError(`--out: ${(error as Error).message}`)
  }
}
