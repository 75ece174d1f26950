/**
 * Loads a plugin: bundles its files into one script and runs it with the `require` of its folder. Packages, the
 * contract and the toolkit are not bundled.
 *
 * `import('…?v=2')` is not an option: modules imported that way are never garbage-collected, their own imports stay stale,
 * and CommonJS files are not reloaded at all. A bundle is collected with the last generation that uses it.
 */
import type { BuildFailure } from 'esbuild'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Bundler } from '../contract/bundler.ts'
import { RESIDENT } from './bundler.mjs'
import { bundle, isCurrent, runScript, type Bundle } from './bundle.mjs'
import * as contract from '../contract/plugin.ts'
import type { Plugin } from '../contract/plugin.ts'
import * as toolkit from '../toolkit/toolkit.ts'
import { PRODUCT_FOLDER } from '../product.ts'
import { ownTurn } from '../contract/turns.ts'
import { MAX_RUN_MS, runLimited } from './time-limit.ts'
import { isRecord } from '../contract/record.ts'
import { checkDefinition } from './definition-check.ts'
import type { FoundPlugin } from './discovery.ts'
import { openPrebuilt, type Script } from './prebuilt.mjs'

/** What plugins import from the running host. */
const OWN_MODULES = new Map<string, unknown>([
  ['svc/plugin', contract],
  ['svc/toolkit', toolkit],
])
const prebuilt = openPrebuilt(PRODUCT_FOLDER)
const hostRequire = prebuilt?.requireFrom(fileURLToPath(import.meta.url)) ?? createRequire(import.meta.url)

/** Bundles that the launcher has started to build, by entry file. Each is used once. */
export type EarlyBundles = Promise<Map<string, Bundle>>

export interface LoadOptions {
  early?: EarlyBundles | undefined
  /** How long the code may run without a pause. Default: 10 s. */
  maxRunMs?: number
  /** Default: esbuild, whose service then stays resident. */
  bundler?: Bundler | undefined
}

/** Runs a plugin's module and returns its definition. Throws an error with the reason if it has none. */
export async function loadPlugin(
  found: FoundPlugin,
  { early, maxRunMs = MAX_RUN_MS, bundler = RESIDENT }: LoadOptions = {},
): Promise<Plugin> {
  const entry = found.entry!
  const script = packedScript(found) ?? (await takeEarlyBundle(entry, early)) ?? (await bundlePlugin(entry, bundler))
  await ownTurn()
  const exported = runLimited(maxRunMs, 'loading the code', () => runScript(entry, script, makeRequire(found))) as {
    default?: unknown
  }
  if (isModuleWithoutDefault(exported))
    throw new Error(`${basename(entry)} has no default export: write "export default definePlugin({ … })"`)
  return checkDefinition(exported.default ?? exported)
}

/** An ES module, which esbuild marks; a CommonJS module exports the definition itself. */
function isModuleWithoutDefault(exported: unknown): boolean {
  return isRecord(exported) && '__esModule' in exported && !('default' in exported)
}

/** The packed script of a built-in plugin; null in a checkout, or if the files of the plugin have changed. */
function packedScript({ source, name, fingerprint }: FoundPlugin): Script | null {
  return source === 'builtin' ? (prebuilt?.plugin(name, fingerprint) ?? null) : null
}

/** The early bundle of an entry file; null if there is no current one. */
async function takeEarlyBundle(entry: string, early: EarlyBundles | undefined): Promise<Bundle | null> {
  const bundles = await early
  const begun = bundles?.get(entry)
  bundles?.delete(entry)
  return begun !== undefined && isCurrent(begun) ? begun : null
}

async function bundlePlugin(entry: string, bundler: Bundler): Promise<Bundle> {
  try {
    return await bundle(entry, bundler)
  } catch (error) {
    const [first] = (error as BuildFailure).errors ?? []
    if (first === undefined) throw error
    const where =
      first.location === null
        ? ''
        : `${relative(process.cwd(), join(dirname(entry), first.location.file))}:${first.location.line}:${first.location.column + 1}: `
    throw new Error(`${where}${first.text}`, { cause: error })
  }
}

/**
 * Creates the `require` of a plugin. It returns the contract and the toolkit of the running host. Packages come from the plugin's folder,
 * otherwise from the host. Built-in plugins use packed packages first.
 */
function makeRequire({ source, entry }: FoundPlugin): (id: string) => unknown {
  const folderRequire = source === 'builtin' && prebuilt !== null ? prebuilt.requireFrom(entry!) : createRequire(entry!)
  return id => {
    const own = OWN_MODULES.get(id)
    if (own !== undefined) return own
    try {
      return folderRequire(id)
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      if (code !== 'MODULE_NOT_FOUND' || !message.includes(`'${id}'`)) throw error
      return hostRequire(id)
    }
  }
}
