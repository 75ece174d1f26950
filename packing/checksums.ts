/** Checksums of the files of a release, in the format of `sha256sum`. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const CHECKSUMS = 'SHA256SUMS'

/** Writes `SHA256SUMS` of all other files directly in a folder, in the order of names. `sha256sum --check` reads it there. */
export function writeChecksums(folder: string): void {
  const names = readdirSync(folder, { withFileTypes: true })
    .filter(entry => entry.isFile() && entry.name !== CHECKSUMS)
    .map(entry => entry.name)
    .sort()
  const lines = names.map(
    name =>
      `${createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex')}  ${name}\n`,
  )
  writeFileSync(join(folder, CHECKSUMS), lines.join(''))
}
