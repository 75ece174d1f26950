import type { Bundle } from './bundle.mjs'

export interface Prebuilt {
  /** Absolute path of `dist`. */
  folder: string
  core(): Script
  /** Returns null if the plugin is not built in, or if its files have changed since they were packed. */
  plugin(name: string, fingerprint: string): Script | null
  /** Returns a `require` for the script `file`, which uses packed packages first, then installed ones. */
  requireFrom(file: string): (id: string) => unknown
}

/** The source map is read on first access. */
export type Script = Pick<Bundle, 'code' | 'map'>

/** Returns null in a checkout, or if nothing was built. `product` is the folder of svc. */
export function openPrebuilt(product: string): Prebuilt | null
