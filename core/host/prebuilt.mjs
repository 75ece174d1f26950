/**
 * Opens what `packing/build.ts` built for the npm package: the core, the built-in plugins, and all packages that they use.
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
  /** A package in a file of its own, or one of a shared file, which is run when it is used. */
  const packed = id => {
    const { name, isShared } = packages[id]
    return isShared ? requireOwn(name)[id]() : requireOwn(name)
  }
  return {
    folder,
    core: () => scriptAt(join(folder, 'core')),
    plugins: new Map(Object.entries(plugins)),
    plugin: name => scriptAt(join(folder, 'plugins', name)),
    script: name => scriptAt(join(folder, name)),
    requireFrom(file) {
      const requireInstalled = createRequire(file)
      return id => (Object.hasOwn(packages, id) ? packed(id) : requireInstalled(id))
    },
  }
}

function scriptAt(path) {
  return {
    code: readFileSync(`${path}.js`, 'utf8'),
    get map() {
      return readFileSync(`${path}.js.map`, 'utf8')
    },
  }
}
