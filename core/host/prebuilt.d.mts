import type { Bundle } from './bundle.mjs'

export interface Prebuilt {
  /** Absolute path of `dist`. */
  folder: string
  core(): Script
  /** The built-in plugins, each with the words of its entry file, by name in alphabetical order. */
  plugins: ReadonlyMap<string, string>
  /** The script of a built-in plugin. */
  plugin(name: string): Script
  /** A script by its path below `dist`, without the ending. */
  script(name: string): Script
  /** Returns a `require` for the script `file`, which uses packed packages first, then installed ones. */
  requireFrom(file: string): (id: string) => unknown
}

/** The source map is read on first access. */
export type Script = Pick<Bundle, 'code' | 'map'>

/** Returns null in a checkout, or if nothing was built. `product` is the folder of svc. */
export function openPrebuilt(product: string): Prebuilt | null
