/** Removes type declarations that no module of the package's `exports` leads to. The compiler writes one for each file. */
import { readFileSync, readdirSync, rmSync, rmdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** Static imports and exports, and `import('…')` of types. Packages are not followed. */
const SPECIFIER = /(?:\bfrom\s*|\bimport\s*\(?\s*)['"](\.{1,2}\/[^'"]+)['"]/g
const DECLARATION = /\.d\.(ts|mts)$/

/** `folder` has the declarations, `entries` are absolute paths. Throws if a file that is needed is missing. */
export function keepReachableTypes(folder: string, entries: readonly string[]): void {
  const needed = new Set(entries.map(entry => resolve(entry)))
  // The set grows while it is read.
  for (const file of needed)
    for (const [, specifier] of readFileSync(file, 'utf8').matchAll(SPECIFIER))
      needed.add(resolve(dirname(file), declarationOf(specifier!)))
  const all = readdirSync(folder, { recursive: true, withFileTypes: true })
  for (const entry of all) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() && DECLARATION.test(path) && !needed.has(path)) rmSync(path)
  }
  const folders = all.filter(entry => entry.isDirectory()).map(entry => join(entry.parentPath, entry.name))
  for (const path of folders.sort((a, b) => b.length - a.length)) if (readdirSync(path).length === 0) rmdirSync(path)
}

function declarationOf(specifier: string): string {
  return specifier.replace(/(\.d)?\.(m?)[jt]s$/, '.d.$2ts')
}
