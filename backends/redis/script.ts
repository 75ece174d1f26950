/** Lua scripts: every change of the state store is one atomic step. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PRODUCT_FOLDER } from '../../core/product.ts'

export interface Script {
  readonly text: string
  /** SHA-1 of the text, by which the server knows the script. */
  readonly sha: string
}

const FOLDER = join(PRODUCT_FOLDER, 'backends', 'redis', 'lua')

/** Reads a script from the folder `lua`. A line `--@include <file>` stands for that file. */
export function loadScript(file: string): Script {
  const text = readWithIncludes(file)
  return { text, sha: createHash('sha1').update(text).digest('hex') }
}

function readWithIncludes(file: string): string {
  return readFileSync(join(FOLDER, file), 'utf8').replace(/^--@include (\S+)\n/gm, (_line, name: string) =>
    readWithIncludes(name),
  )
}
