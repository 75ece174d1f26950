/** Installs the dependencies of svc from the checkout by the lock file, without a registry. */
import { cpSync, existsSync, linkSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'

interface LockedPackage {
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
}
type Lock = Record<string, LockedPackage>

/** Files of at least this size in bytes are checked for hard links. */
const LINKED_BYTES = 1024 * 1024

/** Copies `dependencies` and their dependencies to `folder/node_modules`; returns their paths there. */
export function installLocked(dependencies: readonly string[], checkout: string, folder: string): string[] {
  const { packages } = JSON.parse(readFileSync(join(checkout, 'package-lock.json'), 'utf8')) as { packages: Lock }
  // Packages for other platforms are only in the lock file.
  const places = placesOf(dependencies, packages).filter(place => existsSync(join(checkout, place)))
  for (const place of places) {
    const from = join(checkout, place)
    cpSync(from, join(folder, place), { recursive: true, filter: file => file !== join(from, 'node_modules') })
  }
  keepLinks(places, checkout, folder)
  return places
}

/** Keeps hard links: the bundler's binary is in two packages. */
function keepLinks(places: readonly string[], checkout: string, folder: string): void {
  const copies = new Map<number, string>()
  for (const path of places.flatMap(place => filesBelow(join(checkout, place)))) {
    const { ino, size } = statSync(path)
    const copy = join(folder, relative(checkout, path))
    const first = copies.get(ino)
    if (size < LINKED_BYTES || !existsSync(copy)) continue
    copies.set(ino, first ?? copy)
    if (first === undefined) continue
    rmSync(copy)
    linkSync(first, copy)
  }
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
}

function placesOf(names: readonly string[], lock: Lock): string[] {
  const places = new Set<string>()
  const add = (dependent: string, name: string): void => {
    const place = placeOf(dependent, name, lock)
    if (place === null || places.has(place)) return
    places.add(place)
    const { dependencies, optionalDependencies, peerDependencies = {}, peerDependenciesMeta = {} } = lock[place]!
    const peers = Object.keys(peerDependencies).filter(peer => peerDependenciesMeta[peer]?.optional !== true)
    for (const needed of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]) add(place, needed)
  }
  for (const name of names) add('', name)
  return [...places].sort()
}

/** Where Node finds a package that `dependent` imports. */
function placeOf(dependent: string, name: string, lock: Lock): string | null {
  for (let folder = dependent; ; ) {
    const place = join(folder, 'node_modules', name)
    if (Object.hasOwn(lock, place)) return place
    if (folder === '') return null
    folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))
  }
}

/** Disk usage of a folder in MiB, with blocks of 4 KiB. */
export function megabytesOf(folder: string): number {
  const files = new Map(
    filesBelow(folder).map(path => {
      const { ino, size } = statSync(path)
      return [ino, size]
    }),
  )
  return ([...files.values()].reduce((sum, size) => sum + Math.ceil(size / 4096), 0) * 4096) / 1024 / 1024
}
