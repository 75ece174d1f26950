/** The argument for Node with which the processes of a run share their bundles, see `bundle-cache.mjs`. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const MODULE = pathToFileURL(join(import.meta.dirname, 'bundle-cache.mjs')).href

/** `folder` is where the bundles are kept. */
export function bundleCacheArgument(folder: string): string {
  return `--import=${MODULE}?folder=${encodeURIComponent(folder)}`
}

/** The same folder as that of this process; empty if it has none, as in a run of a single file by hand. */
export function ownBundleCache(): string[] {
  return process.execArgv.filter(argument => argument.startsWith(`--import=${MODULE}`))
}

/** The folder itself; undefined if there is none. */
export function ownBundleFolder(): string | undefined {
  const [argument] = ownBundleCache()
  return argument === undefined
    ? undefined
    : (new URL(argument.slice('--import='.length)).searchParams.get('folder') ?? undefined)
}
