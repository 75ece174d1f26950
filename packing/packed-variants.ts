/** esbuild plugin: replaces a module `x.ts` with its sibling `x.packed.ts`, if it exists. */
import type { Plugin } from 'esbuild'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

export const packedVariants: Plugin = {
  name: 'packed-variants',
  setup(build) {
    build.onResolve({ filter: /^\..*\.ts$/ }, ({ path, resolveDir }) => {
      const variant = resolve(resolveDir, path.replace(/\.ts$/, '.packed.ts'))
      return existsSync(variant) ? { path: variant } : null
    })
  },
}
