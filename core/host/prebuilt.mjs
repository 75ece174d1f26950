/**
 * Opens what `packing/build.ts` built for the npm package: the core, the built-in plugins, and packages that only they use.
 * In a checkout everything is bundled at start instead. A checkout has a lock file, which npm never packs.
 *
 * This file is JavaScript because it loads the TypeScript.
 */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** Returns null in a checkout, or if nothing was built. `product` is the folder of svc. */
export function openPrebuilt(product) {
  const folder = join(product, 'dist')
  const list = join(folder, 'manifest.json')
  if (existsSync(join(product, 'package-lock.json')) || !existsSync(list)) return null
  const { plugins, packages } = JSON.parse(readFileSync(list, 'utf8'))
  const requireOwn = createRequire(list)
  const script = file => ({
    code: readFileSync(join(folder, `${file}.js`), 'utf8'),
    get map() {
      return readFileSync(join(folder, `${file}.js.map`), 'utf8')
    },
  })
  return {
    folder,
    core: () => script('core'),
    plugin: (name, fingerprint) =>
      Object.hasOwn(plugins, name) && plugins[name] === fingerprint ? script(`plugins/${name}`) : null,
    requireFrom(file) {
      const requireInstalled = createRequire(file)
      return id => (Object.hasOwn(packages, id) ? requireOwn(`./packages/${packages[id]}`) : requireInstalled(id))
    },
  }
}
