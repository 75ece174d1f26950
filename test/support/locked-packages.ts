/** The packages that an installation of svc brings along, without asking a registry: by the lock file, from the checkout. */
import { cpSync, existsSync, linkSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'

interface LockedPackage {
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
}
type Lock = Record<string, LockedPackage>

/** Bytes from which on a file may be one with another. */
const LINKED_BYTES = 1024 * 1024

/** Copies `dependencies` and all that they need to `folder/node_modules`; answers their places there. */
export function installLocked(dependencies: readonly string[], checkout: string, folder: string): string[] {
  const { packages } = JSON.parse(readFileSync(join(checkout, 'package-lock.json'), 'utf8')) as { packages: Lock }
  // What is meant for other machines is in the lock file only.
  const places = placesOf(dependencies, packages).filter(place => existsSync(join(checkout, place)))
  for (const place of places) {
    const from = join(checkout, place)
    cpSync(from, join(folder, place), { recursive: true, filter: file => file !== join(from, 'node_modules') })
  }
  keepLinks(places, checkout, folder)
  return places
}

/** One file under two names stays one: so the bundler's program lies in two packages. */
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

/** Megabytes (1024 × 1024 bytes) that a folder's files take on a disk of 4 KiB blocks. */
export function megabytesOf(folder: string): number {
  const files = new Map(
    filesBelow(folder).map(path => {
      const { ino, size } = statSync(path)
      return [ino, size]
    }),
  )
  return ([...files.values()].reduce((sum, size) => sum + Math.ceil(size / 4096), 0) * 4096) / 1024 / 1024
}
