/** Finding plugins: sub-folders of plugin folders and npm packages named in the configuration. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import type { Dirent } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** A plugin as found, before any of its code has run. */
export interface FoundPlugin {
  name: string
  source: 'builtin' | 'directory' | 'package'
  /** Absolute path of its folder. */
  folder: string
  /** Absolute path of its definition; null when it could not be found. */
  entry: string | null
  /** `version` of the `package.json` beside the definition. */
  version: string | null
  /** SHA-256 over names and bytes of its files. */
  fingerprint: string
  /** Why it can't be used, for example a name that is taken. */
  problem: string | null
}

export interface DiscoveryOptions {
  builtinFolder: string
  folders: string[]
  packages: string[]
  /** Packages are resolved from here. */
  workingDirectory: string
}

/** What a plugin may be called. */
export const PLUGIN_NAME = /^[a-z][a-z0-9-]{0,39}$/
const ENTRIES = ['index.ts', 'index.js', 'index.mjs']
/** Files beyond this are no plugin's source: a folder that large is a mistake, and its change would not be seen. */
const MAX_FILES = 2_000
const MAX_BYTES = 64 * 1024 * 1024

/** All plugins in the order of their sources; of one name the first counts, the others carry a `problem`. */
export async function discover(options: DiscoveryOptions): Promise<FoundPlugin[]> {
  const found: FoundPlugin[] = [...(await pluginsIn(options.builtinFolder, 'builtin'))]
  for (const folder of options.folders) found.push(...(await pluginsIn(folder, 'directory')))
  for (const name of options.packages) found.push(await findPackage(name, options.workingDirectory))
  const taken = new Map<string, FoundPlugin>()
  for (const plugin of found) {
    const first = taken.get(plugin.name)
    if (first === undefined) taken.set(plugin.name, plugin)
    else plugin.problem ??= `the name "${plugin.name}" is already used by a ${first.source} plugin`
  }
  return found
}

/** The plugin that a folder is, if it has a definition itself, else those in its sub-folders; none when it is not there. */
export async function pluginsIn(folder: string, source: 'builtin' | 'directory'): Promise<FoundPlugin[]> {
  const own = await pluginAt(folder, source)
  if (own !== null) return [own]
  const names = entriesOf(folder)
    .filter(entry => entry.isDirectory() || entry.isSymbolicLink())
    .map(entry => entry.name)
  const found: FoundPlugin[] = []
  for (const name of names) {
    if (name.startsWith('.') || name.startsWith('_') || name === 'node_modules') continue
    const plugin = await pluginAt(join(folder, name), source)
    if (plugin !== null) found.push(plugin)
  }
  return found
}

/** Null: the folder has no definition. */
async function pluginAt(folder: string, source: 'builtin' | 'directory'): Promise<FoundPlugin | null> {
  const entry = ENTRIES.map(file => join(folder, file)).find(existsSync)
  if (entry === undefined) return null
  const name = basename(folder)
  const problem = PLUGIN_NAME.test(name)
    ? null
    : `"${name}" is not a valid plugin name (expected up to 40 characters from a-z, 0-9 and "-", the first a letter)`
  return {
    name,
    source,
    folder,
    entry,
    version: versionOf(folder),
    fingerprint: await fingerprintFolder(folder),
    problem,
  }
}

async function findPackage(packageName: string, workingDirectory: string): Promise<FoundPlugin> {
  const name = basename(packageName).replace(/^svc-plugin-/, '')
  const missing = {
    name,
    source: 'package',
    folder: workingDirectory,
    entry: null,
    version: null,
    fingerprint: '',
  } as const
  if (!PLUGIN_NAME.test(name))
    return { ...missing, problem: `"${name}", from the package "${packageName}", is not a valid plugin name` }
  try {
    const entry = createRequire(join(workingDirectory, 'package.json')).resolve(packageName)
    const folder = packageFolder(entry)
    return {
      name,
      source: 'package',
      folder,
      entry,
      version: versionOf(folder),
      fingerprint: await fingerprintFolder(folder),
      problem: null,
    }
  } catch (error) {
    return { ...missing, problem: `the package "${packageName}" can't be resolved: ${reasonOf(error)}` }
  }
}

function packageFolder(entry: string): string {
  let folder = dirname(entry)
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder)
  return folder
}

function versionOf(folder: string): string | null {
  try {
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version?: unknown }
    return typeof version === 'string' ? version : null
  } catch {
    return null
  }
}

/** Hash over relative names and bytes of all files below; `node_modules` and dot files do not count. */
export async function fingerprintFolder(folder: string): Promise<string> {
  const hash = createHash('sha256')
  const budget = { files: MAX_FILES, bytes: MAX_BYTES }
  let rest = BYTES_A_TURN
  for (const { path, name } of filesBelow(folder, '', budget)) {
    rest -= addFile(path, name, hash, budget)
    if (rest > 0) continue
    rest = BYTES_A_TURN
    await nextTurn()
  }
  return hash.digest('hex')
}

/** Files are read at once: a promise costs more than most of them. After so many bytes the event loop gets its turn. */
const BYTES_A_TURN = 1024 * 1024

function* filesBelow(
  folder: string,
  prefix: string,
  budget: { files: number },
): Generator<{ path: string; name: string }> {
  for (const entry of entriesOf(folder)) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules' || --budget.files < 0) continue
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* filesBelow(path, `${prefix}${entry.name}/`, budget)
    else yield { path, name: `${prefix}${entry.name}` }
  }
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    return []
  }
}

/** Answers the bytes that were read. */
function addFile(path: string, name: string, hash: ReturnType<typeof createHash>, budget: { bytes: number }): number {
  try {
    const stat = statSync(path)
    // A pipe would keep its reader waiting.
    if (!stat.isFile()) throw new Error('no file')
    const { size } = stat
    budget.bytes -= size
    hash.update(`${name}\0${size}\0`)
    if (budget.bytes < 0) return 0
    hash.update(readFileSync(path))
    return size
  } catch {
    // No file, or one that disappears between listing and reading: the next look sees a folder without it.
    hash.update(`${name}\0gone\0`)
    return 0
  }
}

/** Hash of a watched file or folder; `missing` when there is none. */
export async function fingerprintPath(path: string): Promise<string> {
  try {
    if ((await stat(path)).isDirectory()) return await fingerprintFolder(path)
    return createHash('sha256')
      .update(await readFile(path))
      .digest('hex')
  } catch {
    return 'missing'
  }
}

/** One line that says why something failed: no stack, no list of who required it. */
export function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.split('\n', 1)[0]!
}
