/** Finds plugins: folders in plugin folders, and npm packages listed in the configuration. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, type Dirent } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { Pacer } from '../contract/budgets.ts'
import { packedPlugins } from './packed.ts'

/** A plugin that was found on disk; none of its code has run. */
export interface FoundPlugin {
  name: string
  source: 'builtin' | 'directory' | 'package'
  /** Absolute path of its folder. */
  folder: string
  /** Absolute path of its entry file, which a packed plugin has no more; null if the package was not found. */
  entry: string | null
  /** `version` of the `package.json` in its folder. */
  version: string | null
  /** SHA-256 of the names and bytes of its files; the same for all packed plugins, which do not change. */
  fingerprint: string
  /** Why it can't be used, for example because its name is already used. */
  problem: string | null
}

export interface DiscoveryOptions {
  builtinFolder: string
  folders: string[]
  packages: string[]
  /** Folder from which packages are resolved. */
  workingDirectory: string
  /** Fingerprints of built-in plugins by folder, if their files do not change while the process runs. */
  fingerprints?: Map<string, string> | undefined
}

/** Valid plugin names. */
export const PLUGIN_NAME = /^[a-z][a-z0-9-]{0,39}$/
const ENTRIES = ['index.ts', 'index.js', 'index.mjs', 'index.cjs']
/** Limits of a fingerprint. A larger folder is a mistake; changes of files above the limits are not detected. */
const MAX_FILES = 2_000
const MAX_BYTES = 64 * 1024 * 1024

/** Returns all plugins in the order of their sources. If several have the same name, all but the first get a `problem`. */
export async function discover(options: DiscoveryOptions): Promise<FoundPlugin[]> {
  const pacer = new Pacer()
  const found: FoundPlugin[] =
    packedIn(options.builtinFolder) ?? (await pluginsIn(options.builtinFolder, 'builtin', pacer, options.fingerprints))
  for (const folder of options.folders) found.push(...(await pluginsIn(folder, 'directory', pacer)))
  for (const name of options.packages) found.push(await findPackage(name, options.workingDirectory, pacer))
  const taken = new Map<string, FoundPlugin>()
  for (const plugin of found) {
    const first = taken.get(plugin.name)
    if (first === undefined) taken.set(plugin.name, plugin)
    else if (first.folder !== plugin.folder || plugin.entry === null)
      plugin.problem ??= `the name "${plugin.name}" is already used by a ${first.source} plugin${first.source === 'directory' ? `, in ${first.folder}` : ''}`
  }
  // A folder that is listed twice, for example on its own and within another one, is one plugin.
  return found.filter(plugin => plugin.entry === null || plugin.problem !== null || taken.get(plugin.name) === plugin)
}

/** The plugins that the npm package contains as scripts; null for any other folder. */
function packedIn(builtinFolder: string): FoundPlugin[] | null {
  const names = packedPlugins(builtinFolder)
  if (names === null) return null
  return names.map(name => {
    const folder = join(builtinFolder, name)
    const rest = { version: null, fingerprint: 'packed', problem: null }
    return { name, source: 'builtin', folder, entry: join(folder, ENTRIES[0]!), ...rest }
  })
}

/** Returns the plugin in a folder or, if it has no entry file, the plugins in its subfolders. Empty if it does not exist. */
export async function pluginsIn(
  folder: string,
  source: 'builtin' | 'directory',
  pacer = new Pacer(),
  fingerprints?: Map<string, string>,
): Promise<FoundPlugin[]> {
  const own = await pluginAt(folder, { source, pacer, fingerprints })
  if (own !== null) return [own]
  const names = entriesOf(folder)
    .filter(entry => entry.isDirectory() || entry.isSymbolicLink())
    .map(entry => entry.name)
  const found: FoundPlugin[] = []
  for (const name of names) {
    if (name.startsWith('.') || name.startsWith('_') || name === 'node_modules') continue
    const plugin = await pluginAt(join(folder, name), { source, pacer, fingerprints })
    if (plugin !== null) found.push(plugin)
  }
  return found
}

/** Returns null if the folder has no entry file. */
async function pluginAt(
  folder: string,
  {
    source,
    pacer,
    fingerprints,
  }: { source: 'builtin' | 'directory'; pacer: Pacer; fingerprints: Map<string, string> | undefined },
): Promise<FoundPlugin | null> {
  const entry = ENTRIES.map(file => join(folder, file)).find(existsSync)
  if (entry === undefined) return null
  const name = basename(folder)
  const problem = PLUGIN_NAME.test(name)
    ? null
    : `"${name}" is not a valid plugin name (expected up to 40 characters from a-z, 0-9 and "-", the first a letter)`
  const fingerprint = fingerprints?.get(folder) ?? (await fingerprintFolder(folder, pacer))
  fingerprints?.set(folder, fingerprint)
  return { name, source, folder, entry, version: versionOf(folder), fingerprint, problem }
}

async function findPackage(packageName: string, workingDirectory: string, pacer: Pacer): Promise<FoundPlugin> {
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
      fingerprint: await fingerprintFolder(folder, pacer),
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

/** Hash of the relative names and bytes of all files below a folder, except `node_modules` and dot files. */
export async function fingerprintFolder(folder: string, pacer = new Pacer()): Promise<string> {
  const hash = createHash('sha256')
  const budget = { files: MAX_FILES, bytes: MAX_BYTES }
  // Files are read synchronously, which is faster for small files.
  for (const { path, name } of filesBelow(folder, '', budget)) {
    addFile(path, name, hash, budget)
    if (pacer.isDue) await pacer.pause()
  }
  return hash.digest('hex')
}

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

function addFile(path: string, name: string, hash: ReturnType<typeof createHash>, budget: { bytes: number }): void {
  try {
    const stat = statSync(path)
    // Reading a pipe would block.
    if (!stat.isFile()) throw new Error('not a file')
    const { size } = stat
    budget.bytes -= size
    hash.update(`${name}\0${size}\0`)
    if (budget.bytes >= 0) hash.update(readFileSync(path))
  } catch {
    // Not a file, or removed since the folder was listed; then the next fingerprint is different.
    hash.update(`${name}\0gone\0`)
  }
}

/** Hash of a watched file or folder, or `missing` if it does not exist. */
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

/** The first line of an error message, without the stack and the list of requiring modules. */
export function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.split('\n', 1)[0]!
}
