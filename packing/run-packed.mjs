/**
 * Runs a packed script that is not part of a server: in a worker thread, or for `svc/plugin` in a test. This file is bundled into the package (`dist/run-packed.mjs`); it is JavaScript
 * because nothing is compiled there.
 */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runScript } from '../core/host/bundle.mjs'
import { openPrebuilt } from '../core/host/prebuilt.mjs'

const PRODUCT_FOLDER = fileURLToPath(new URL('..', import.meta.url))

/** `name` is the path of the script below `dist`, without the ending. Returns what it exports. */
export function runPacked(name) {
  const prebuilt = openPrebuilt(PRODUCT_FOLDER)
  const entry = join(prebuilt.folder, `${name}.ts`)
  return runScript(entry, prebuilt.script(name), prebuilt.requireFrom(entry))
}
