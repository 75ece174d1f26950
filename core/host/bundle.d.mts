import type { BuildOptions } from 'esbuild'

export interface Bundle {
  /** A CommonJS script. */
  code: string
  /** Its source map, JSON text. */
  map: string
  /** When its files began to be read, in milliseconds since the epoch. */
  startedAt: number
  /** Absolute paths of its files. */
  inputs: string[]
  /** Names under which it imports what stays outside, Node's own modules included. */
  packages: string[]
}

/** The script of an entry file with all its own modules; rejects with the bundler's `BuildFailure`. */
export function bundle(entry: string): Promise<Bundle>

/**
 * Bundles of several entry files below `folder`, by entry; rejects when one of them can't be bundled. Cheaper than one by
 * one. `more` are further options of the bundler.
 */
export function bundleAll(entries: string[], folder: string, more?: BuildOptions): Promise<Map<string, Bundle>>

/** Whether a bundle that was made earlier holds its files as they are now. */
export function isCurrent(bundle: Pick<Bundle, 'startedAt' | 'inputs'>): boolean

/** Runs the script of an entry file; answers its exports. `require` is what its packages are loaded with. */
export function runScript(
  entry: string,
  bundle: Pick<Bundle, 'code' | 'map'>,
  require?: (id: string) => unknown,
): unknown
