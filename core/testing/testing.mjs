/**
 * The door of `svc/testing`: reads TypeScript whatever the test runner, then does what `index.ts` says. Nothing is
 * awaited at the top, so that CommonJS can require it.
 */

export async function startTestServer(options) {
  await ensureTypeScript()
  const { launch } = await import('./launch.ts')
  return launch(options)
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
