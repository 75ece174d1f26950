/**
 * Loads a plugin: bundles its files into one script and runs it with the `require` of its folder. Packages, the
 * contract and the toolkit are not bundled.
 *
 * `import('…?v=2')` is not an option: modules imported that way are never garbage-collected, their own imports stay stale,
 * and CommonJS files are not reloaded at all. A bundle is collected with the last generation that uses it.
 */
import type { BuildFailure } from 'esbuild'
import { basename, dirname, join, relative } from 'node:path'
import { types } from 'node:util'
import type { Bundler } from '../contract/bundler.ts'
import { RESIDENT } from './bundler.mjs'
import { bundle, isCurrent, runScript, type Bundle } from './bundle.mjs'
import type { Plugin } from '../contract/plugin.ts'
import { ownTurn } from '../contract/turns.ts'
import { MAX_RUN_MS, runLimited } from './time-limit.ts'
import { isRecord } from '../contract/record.ts'
import { IS_EXECUTABLE } from '../product.ts'
import { checkDefinition } from './definition-check.ts'
import type { FoundPlugin } from './discovery.ts'
import { importPlugin } from './executable-plugins.ts'
import { prebuilt } from './packed.ts'
import { importPackages, makeRequire } from './plugin-packages.ts'
import type { Script } from './prebuilt.mjs'

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
  if (IS_EXECUTABLE && found.source !== 'builtin') return definitionOf(await importPlugin(found, maxRunMs), entry)
  const script = packedScript(found) ?? (await takeEarlyBundle(entry, early)) ?? (await bundlePlugin(entry, bundler))
  await ownTurn()
  const run = <T>(work: () => T): T => runLimited(maxRunMs, 'loading the code', work)
  const ids = found.source === 'builtin' ? [] : ((script as Partial<Bundle>).imported ?? [])
  const require = await importPackages(ids, makeRequire(found), { folder: dirname(entry), bundler, maxRunMs, run })
  return definitionOf(run(() => runScript(entry, script, require)) as { default?: unknown }, entry)
}

function definitionOf(exported: { default?: unknown }, entry: string): Plugin {
  if (isModuleWithoutDefault(exported))
    throw new Error(`${basename(entry)} has no default export: write "export default definePlugin({ … })"`)
  return checkDefinition(exported.default ?? exported)
}

/** An ES module, which esbuild marks if it has bundled it; a CommonJS module exports the definition itself. */
function isModuleWithoutDefault(exported: unknown): boolean {
  const isModule = types.isModuleNamespaceObject(exported) || (isRecord(exported) && '__esModule' in exported)
  return isModule && !('default' in (exported as object))
}

/** The packed script of a built-in plugin; null in a checkout. */
function packedScript({ source, name }: FoundPlugin): Script | null {
  return source === 'builtin' && prebuilt?.plugins.has(name) === true ? prebuilt.plugin(name) : null
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
    const errors = ((error as BuildFailure).errors ?? []).map(found => ({ ...found, text: inOwnWords(found.text) }))
    const [first] = errors
    if (first === undefined) throw error
    const where =
      first.location === null
        ? ''
        : `${relative(process.cwd(), join(dirname(entry), first.location.file))}:${first.location.line}:${first.location.column + 1}: `
    throw new Error(`${where}${first.text}`, { cause: Object.assign(new Error(first.text), { errors }) })
  }
}

/** esbuild's message is about the format of the bundle, which the author has not chosen. */
function inOwnWords(text: string): string {
  return text.startsWith('Top-level await')
    ? 'the files of a plugin cannot use top-level await: await in register, which can be async (packages can use it)'
    : text
}
