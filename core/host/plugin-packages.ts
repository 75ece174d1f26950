/** What a plugin imports: the contract and the toolkit of the running host, and packages. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Bundler } from '../contract/bundler.ts'
import * as contract from '../contract/plugin.ts'
import { PRODUCT_FOLDER } from '../product.ts'
import * as toolkit from '../toolkit/toolkit.ts'
import type { FoundPlugin } from './discovery.ts'
import { prebuilt } from './packed.ts'

/** What plugins import from the running host. */
const OWN_MODULES = new Map<string, unknown>([
  ['svc/plugin', contract],
  ['svc/toolkit', toolkit],
])
/** Packages of the host that all plugins may import without installing them. */
const SHARED_PACKAGES = ['fastify', 'fastify-plugin', '@fastify/websocket']
/** An ES module with top-level `await`, and a package that exports nothing for `require`. */
const NEEDS_IMPORT = ['ERR_REQUIRE_ASYNC_MODULE', 'ERR_PACKAGE_PATH_NOT_EXPORTED']

const nodeRequire = createRequire(import.meta.url)
const hostRequire = prebuilt?.requireFrom(fileURLToPath(import.meta.url)) ?? nodeRequire

/** The module that a plugin imports by this name. */
export type RequireModule = (id: string) => unknown

/**
 * Creates the `require` of a plugin. Packages come from the plugin's folder, otherwise from the host if they are shared.
 * Built-in plugins use packed packages first, and any package of the host. It throws an error that says what to install.
 */
export function makeRequire({ source, entry, folder }: FoundPlugin): RequireModule {
  const folderRequire = source === 'builtin' && prebuilt !== null ? prebuilt.requireFrom(entry!) : createRequire(entry!)
  return id => {
    const own = ownModule(id)
    if (own !== undefined) return own
    try {
      return folderRequire(id)
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      if (code !== 'MODULE_NOT_FOUND' || !message.includes(`'${id}'`)) throw error
      return source === 'builtin' ? hostRequire(id) : packageOfHost(id, folder, error)
    }
  }
}

/** The contract or the toolkit of the running host; undefined for any other name. */
export function ownModule(id: string): unknown {
  return OWN_MODULES.get(id)
}

/** A package that a plugin in `folder` has not installed: the one of the host if it is shared; throws otherwise. */
export function packageOfHost(id: string, folder: string, cause: unknown): unknown {
  if (SHARED_PACKAGES.includes(id)) return hostRequire(id)
  const name = packageOf(id)
  throw new Error(`the package ${name} is not installed: run "npm install ${name}" in ${folder}`, { cause })
}

/** A file of svc that is never bundled. */
export function requireFile(file: string): unknown {
  return nodeRequire(file)
}

/** `@scope/name` of `@scope/name/part`. */
function packageOf(id: string): string {
  return id.split('/', id.startsWith('@') ? 2 : 1).join('/')
}

export interface ImportOptions {
  /** The folder whose packages are meant. */
  folder: string
  bundler: Bundler
  /** How long a package may take that Node can only import. */
  maxRunMs: number
  /** Calls `work`, within the time that code may run without a pause. */
  run<T>(work: () => T): T
}

/** A `require` that also returns those of the packages `ids` that Node can only import. */
export async function importPackages(
  ids: readonly string[],
  require: RequireModule,
  { folder, bundler, maxRunMs, run }: ImportOptions,
): Promise<RequireModule> {
  const imported = new Map<string, unknown>()
  for (const id of ids.filter(name => run(() => needsImport(name, require)))) {
    const url = await resolveImport(id, folder, bundler)
    if (url !== null) imported.set(id, await withinTime(nativeImport(url), maxRunMs, `the package ${id}`))
  }
  return id => imported.get(id) ?? explained(id, require)
}

/** Other errors are those of the plugin, which gets them when its code requires the package. */
function needsImport(id: string, require: RequireModule): boolean {
  try {
    require(id)
    return false
  } catch (error) {
    return isImportNeeded(error)
  }
}

function isImportNeeded(error: unknown): error is Error {
  return error instanceof Error && NEEDS_IMPORT.includes((error as NodeJS.ErrnoException).code ?? '')
}

/** `import()` in a plugin is `require`, too. */
function explained(id: string, require: RequireModule): unknown {
  try {
    return require(id)
  } catch (error) {
    if (!isImportNeeded(error)) throw error
    throw new Error(`${id} can only be imported with an import statement: write "import … from '${id}'"`, {
      cause: error,
    })
  }
}

function nativeImport(url: string): Promise<unknown> {
  const file = join(prebuilt?.folder ?? join(PRODUCT_FOLDER, 'core', 'host'), 'native-import.mjs')
  return (requireFile(file) as typeof import('./native-import.mjs')).nativeImport(url)
}

/** A top-level `await` may never end. */
export async function withinTime<T>(loading: Promise<T>, ms: number, what: string): Promise<T> {
  const timer = new AbortController()
  const late = sleep(ms, null, { signal: timer.signal }).then(() => {
    throw new Error(`${what} was not loaded within ${ms / 1000} s`)
  })
  try {
    return await Promise.race([loading, late])
  } finally {
    timer.abort()
    late.catch(() => {})
  }
}

/** The URL that an import statement in `folder`, otherwise in the host, leads to; null: there is none. */
async function resolveImport(id: string, folder: string, bundler: Bundler): Promise<string | null> {
  let path: string | undefined
  await bundler.build({
    stdin: { contents: '', resolveDir: folder },
    write: false,
    platform: 'node',
    conditions: [],
    logLevel: 'silent',
    plugins: [
      {
        name: 'resolve',
        setup(build) {
          build.onStart(async () => {
            for (const resolveDir of [folder, PRODUCT_FOLDER])
              path ??= (await build.resolve(id, { kind: 'import-statement', resolveDir })).path || undefined
          })
        },
      },
    ],
  })
  return path === undefined ? null : pathToFileURL(path).href
}
