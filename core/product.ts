/** The folder and the version of svc. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isSea } from 'node:sea'
import { fileURLToPath } from 'node:url'

export const PRODUCT_FOLDER = fileURLToPath(new URL('..', import.meta.url))
/** Whether this is the executable: svc is in the file of Node, and `PRODUCT_FOLDER` is in its memory. */
export const IS_EXECUTABLE = isSea()
export const BUILTIN_FOLDER = join(PRODUCT_FOLDER, 'plugins')
export const VERSION = (JSON.parse(readFileSync(join(PRODUCT_FOLDER, 'package.json'), 'utf8')) as { version: string })
  .version
