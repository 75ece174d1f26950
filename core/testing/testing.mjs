/**
 * Entry point of `svc/testing`: loads the TypeScript sources with any test runner; see `index.ts` for the API. It has no
 * top-level await, so that CommonJS modules can require it.
 */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runScript } from '../host/bundle.mjs'
import { openPrebuilt } from '../host/prebuilt.mjs'

export { connect, TestClientError, VerificationError } from './client.mjs'

const PRODUCT_FOLDER = fileURLToPath(new URL('../..', import.meta.url))
/** The packed core. It is loaded once for all servers of the process. */
let packedCore

export async function startTestServer(options) {
  const prebuilt = openPrebuilt(PRODUCT_FOLDER)
  if (prebuilt !== null) return runCore(prebuilt).launchTestServer(options)
  await ensureTypeScript()
  const { launch } = await import('./launch.ts')
  return launch(options)
}

export async function startReplicas(count, options) {
  const prebuilt = openPrebuilt(PRODUCT_FOLDER)
  if (prebuilt !== null) return runCore(prebuilt).launchTestReplicas(count, options)
  await ensureTypeScript()
  const { launchReplicas } = await import('./replicas.ts')
  return launchReplicas(count, options)
}

function runCore(prebuilt) {
  const entry = join(PRODUCT_FOLDER, 'core', 'main.ts')
  return (packedCore ??= runScript(entry, prebuilt.core(), prebuilt.requireFrom(entry)))
}

/**
 * Registers a TypeScript loader if importing TypeScript fails. It tries another module first, because a module that failed
 * to load cannot be imported again.
 */
async function ensureTypeScript() {
  try {
    await import('./types.ts')
  } catch (error) {
    if (!['ERR_UNKNOWN_FILE_EXTENSION', 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING'].includes(error.code)) throw error
    const { register } = await import('tsx/esm/api')
    register()
  }
}
