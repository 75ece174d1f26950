/** Writes `SHA256SUMS` into a folder: `npm run release:checksums -- <folder>`. */
import { resolve } from 'node:path'
import { writeChecksums } from './checksums.ts'

const [folder] = process.argv.slice(2)
if (folder === undefined) {
  process.stderr.write('expected a folder: npm run release:checksums -- <folder>\n')
  process.exitCode = 2
} else {
  writeChecksums(resolve(folder))
}
