/**
 * The definition of `svc/testing`: reads TypeScript whatever the test runner, then does what `index.ts` says. Nothing is
 * awaited at the top, so that CommonJS can require it.
 */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runScript } from '../host/bundle.mjs'
import { openPrebuilt } from '../host/prebuilt.mjs'

const PRODUCT_FOLDER = fileURLToPath(new URL('../..', import.meta.url))
/** The packed core, once it runs: one for all servers of the process, as its modules would be. */
let packedCore

export async function startTestServer(options) {
  const prebuilt = openPrebuilt(PRODUCT_FOLDER)
  if (prebuilt !== null) return runCore(prebuilt).launchTestServer(options)
  await ensureTypeScript()
  const { launch } = await import('./launch.ts')
  return launch(options)
}

function runCore(prebuilt) {
  const entry = join(PRODUCT_FOLDER, 'core', 'main.ts')
  return (packedCore ??= runScript(entry, prebuilt.core(), prebuilt.requireFrom(entry)))
}

/** Registers a loader unless the runner has brought one. A module that failed to load stays failed, hence the trial. */
async function ensureTypeScript() {
  try {
    await import('./types.ts')
  } catch (error) {
    if (!['ERR_UNKNOWN_FILE_EXTENSION', 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING'].includes(error.code)) throw error
    const { register } = await import('tsx/esm/api')
    register()
  }
}
