/** Which files of the tests a file imports, also through others. */
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

const IMPORT = /^(?:import|export)\b(?!\s+type\b)[^']*?from '(\.[^']+)'/gm

/** Whether a file imports another one, itself or through files below `folder`. */
export function importsFile(path: string, wanted: string, folder: string): boolean {
  const seen = new Set([path])
  for (const file of seen) {
    if (file === wanted) return true
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      const imported = resolve(dirname(file), name)
      if (imported.startsWith(folder) && imported.endsWith('.ts')) seen.add(imported)
    }
  }
  return false
}
