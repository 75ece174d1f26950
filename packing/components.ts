/** The packages that are part of the published one, bundled or installed with it, with what the lock file says of them. */
import { readFileSync, realpathSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { homeOf } from './packages.ts'
import { isAllowed } from './allowed-licenses.ts'

export interface Component {
  name: string
  version: string
  /** An SPDX expression. */
  license: string
  /** Of the archive in the registry, base64 as in the lock file; null for a package without one. */
  sha512: string | null
  isBundled: boolean
  /** Path of its folder below the checkout, which is absent if the package is for another platform. */
  place: string
}

interface LockedPackage {
  version: string
  name?: string
  license?: string
  integrity?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}
type Lock = Record<string, LockedPackage>

/**
 * `inputs` are the absolute paths of the bundled files, `installed` the names of the packages that npm installs. In the order
 * of names and versions. Throws an error that names the package if a license is not on the list.
 */
export function componentsOf(product: string, inputs: readonly string[], installed: readonly string[]): Component[] {
  const lock = (JSON.parse(readFileSync(join(product, 'package-lock.json'), 'utf8')) as { packages: Lock }).packages
  const modules = realpathSync(join(product, 'node_modules'))
  const bundled = new Set(
    inputs
      .filter(file => file.includes(`node_modules${sep}`))
      .map(file => join('node_modules', relative(modules, homeOf(realpathSync(file)).folder)).replaceAll(sep, '/')),
  )
  const places = new Set([...bundled, ...placesOf(installed, lock)])
  const found = new Map<string, Component>()
  for (const place of [...places].sort()) {
    const component = componentAt(place, lock, bundled.has(place))
    const key = `${component.name}@${component.version}`
    if (found.get(key)?.isBundled !== true) found.set(key, component)
  }
  return [...found.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, component]) => component)
}

function componentAt(place: string, lock: Lock, isBundled: boolean): Component {
  const locked = lock[place]
  const name = locked?.name ?? place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)
  if (locked === undefined) throw new Error(`${name} is not in package-lock.json`)
  const { version, license, integrity = '' } = locked
  if (license === undefined || !isAllowed(license))
    throw new Error(`the license of ${name} ${version} is not on the list: ${license ?? 'none'}`)
  const [, sha512 = null] = /(?:^| )sha512-(\S+)/.exec(integrity) ?? []
  return { name, version, license, sha512, isBundled, place }
}

/** The packages that npm installs for these, on any platform. */
function placesOf(names: readonly string[], lock: Lock): Set<string> {
  const places = new Set<string>()
  const add = (dependent: string, name: string): void => {
    const place = placeOf(dependent, name, lock)
    if (place === null || places.has(place)) return
    places.add(place)
    const { dependencies, optionalDependencies } = lock[place]!
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) add(place, needed)
  }
  for (const name of names) add('', name)
  return places
}

/** Where Node finds a package that `dependent` imports. */
function placeOf(dependent: string, name: string, lock: Lock): string | null {
  for (let folder = dependent; ; ) {
    const place = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
    if (Object.hasOwn(lock, place)) return place
    if (folder === '') return null
    folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))
  }
}
