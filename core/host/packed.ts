/** What the npm package contains instead of the sources of the core and of the built-in plugins. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { BUILTIN_FOLDER, PRODUCT_FOLDER } from '../product.ts'
import { openPrebuilt } from './prebuilt.mjs'

/** Null in a checkout. */
export const prebuilt = openPrebuilt(PRODUCT_FOLDER)

/** The names of the plugins that the package contains, if `folder` is the one of the built-in plugins; null in a checkout. */
export function packedPlugins(folder: string): string[] | null {
  return prebuilt !== null && folder === BUILTIN_FOLDER ? [...prebuilt.plugins.keys()] : null
}

/** Whether a built-in plugin has this name. */
export function isBuiltin(name: string): boolean {
  return prebuilt?.plugins.has(name) ?? existsSync(join(BUILTIN_FOLDER, name))
}
