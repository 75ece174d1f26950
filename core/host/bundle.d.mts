import type { BuildOptions } from 'esbuild'
import type { Bundler } from '../contract/bundler.ts'

export interface Bundle {
  /** A CommonJS script. */
  code: string
  /** Source map as JSON text. */
  map: string
  /** Time before the files were read, in milliseconds since the epoch. */
  startedAt: number
  /** Absolute paths of the bundled files. */
  inputs: string[]
  /** Names of the imported modules that are not bundled, including Node's built-in modules. */
  packages: string[]
  /** Those that import statements name: they are loaded with the plugin. */
  imported: string[]
}

/** Bundles an entry file. Rejects with esbuild's `BuildFailure`. */
export function bundle(entry: string, bundler?: Bundler): Promise<Bundle>

/**
 * Bundles several entry files below `folder`, which is faster than one by one. Returns the bundles by entry; rejects if one
 * of them can't be bundled. `more` are additional esbuild options.
 */
export function bundleAll(
  entries: string[],
  folder: string,
  more?: BuildOptions,
  bundler?: Bundler,
): Promise<Map<string, Bundle>>

/** Whether the bundled files have not changed since the bundle was created. */
export function isCurrent(bundle: Pick<Bundle, 'startedAt' | 'inputs'>): boolean

/** Runs a script like a CommonJS module and returns its exports. `require` loads its packages. */
export function runScript(
  entry: string,
  bundle: Pick<Bundle, 'code' | 'map'>,
  require?: (id: string) => unknown,
): unknown
