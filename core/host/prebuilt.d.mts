import type { Bundle } from './bundle.mjs'

export interface Prebuilt {
  /** Absolute path of `dist`. */
  folder: string
  core(): Script
  /** Null: the plugin is not a built-in one, or its files are not those that were packed. */
  plugin(name: string, fingerprint: string): Script | null
  /** What loads packages for a script named `file`: those that were packed first, then installed ones. */
  requireFrom(file: string): (id: string) => unknown
}

/** The map is read when it is asked for. */
export type Script = Pick<Bundle, 'code' | 'map'>

/** Null in a checkout, and where nothing was built. `product` is the product's folder. */
export function openPrebuilt(product: string): Prebuilt | null
