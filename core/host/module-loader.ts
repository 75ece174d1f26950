/**
 * Loading a plugin's folder as one unit: its own files are bundled into one script, which is run with a `require` of that
 * folder. Packages and the contract stay outside.
 *
 * Why not `import('…?v=2')`: modules imported that way never leave memory, what they import stays stale, and CommonJS
 * files do not reload at all. A bundle is an ordinary object that goes away with the last generation that holds it.
 */
import type { BuildFailure } from 'esbuild'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundle, isCurrent, runScript } from './bundle.mjs'
import type { Bundle } from './bundle.mjs'
import * as contract from '../contract/plugin.ts'
import type { Plugin } from '../contract/plugin.ts'
import { PRODUCT_FOLDER } from '../product.ts'
import { checkDefinition } from './definition-check.ts'
import type { FoundPlugin } from './discovery.ts'
import { openPrebuilt } from './prebuilt.mjs'
import type { Script } from './prebuilt.mjs'

const CONTRACT_NAME = 'svc/plugin'
const prebuilt = openPrebuilt(PRODUCT_FOLDER)
const hostRequire = prebuilt?.requireFrom(fileURLToPath(import.meta.url)) ?? createRequire(import.meta.url)

/** Bundles that were begun before they were asked for, by entry; each serves once. */
export type EarlyBundles = Promise<Map<string, Bundle>>

/** Runs the plugin's module and answers its definition; throws with the reason when there is none. */
export async function loadPlugin(found: FoundPlugin, early?: EarlyBundles): Promise<Plugin> {
  const entry = found.entry!
  const exported = runScript(
    entry,
    packed(found) ?? (await takeEarly(entry, early)) ?? (await bundled(entry)),
    makeRequire(found),
  ) as { default?: unknown }
  return checkDefinition(exported.default ?? exported)
}

/** Null: this is a checkout, the plugin is not a built-in one, or its files were changed since. */
function packed({ source, name, fingerprint }: FoundPlugin): Script | null {
  return source === 'builtin' ? (prebuilt?.plugin(name, fingerprint) ?? null) : null
}

/** Null: there is none, or one that is out of date. */
async function takeEarly(entry: string, early: EarlyBundles | undefined): Promise<Bundle | null> {
  const bundles = await early
  const begun = bundles?.get(entry)
  bundles?.delete(entry)
  return begun !== undefined && isCurrent(begun) ? begun : null
}

async function bundled(entry: string): Promise<Bundle> {
  try {
    return await bundle(entry)
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

/** The contract is the running host's; a package is the folder's own, else the host's. For a built-in plugin packed ones come first. */
function makeRequire({ source, entry }: FoundPlugin): (id: string) => unknown {
  const folderRequire = source === 'builtin' && prebuilt !== null ? prebuilt.requireFrom(entry!) : createRequire(entry!)
  return id => {
    if (id === CONTRACT_NAME) return contract
    try {
      return folderRequire(id)
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      if (code !== 'MODULE_NOT_FOUND' || !message.includes(`'${id}'`)) throw error
      return hostRequire(id)
    }
  }
}
