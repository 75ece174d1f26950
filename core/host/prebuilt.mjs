/**
 * What `packing/build.ts` has built, where this is a package: the core, the built-in plugins, and the packages that only
 * they use. A checkout is known by its lock file, which npm never packs: there all of it is bundled at start, from the
 * sources as they are.
 *
 * JavaScript, since it is what loads the TypeScript.
 */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** Null in a checkout, and where nothing was built. `product` is the product's folder. */
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
