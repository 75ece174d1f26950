/** A module `x.ts` with a sibling `x.packed.ts` is replaced by it in a packed product. */
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
