#!/usr/bin/env -S node --max-semi-space-size=64
/**
 * Starts svc. The V8 flag is in the first line, and in the script `start`, because it has no effect after Node has started. A
 * larger semi-space halves the number of garbage collections under load.
 *
 * The npm package contains the core as one script. In a checkout, the core is bundled in memory at start, so there is nothing
 * to build.
 */
import { existsSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { bundle, bundleAll, runScript } from '../core/host/bundle.mjs'
import { createBundler } from '../core/host/bundler.mjs'
import { openPrebuilt } from '../core/host/prebuilt.mjs'

// esbuild is a Go process; make it collect garbage less often.
process.env.GOGC ??= '400'
const product = fileURLToPath(new URL('..', import.meta.url))
const entry = join(product, 'core', 'main.ts')
const prebuilt = openPrebuilt(product)
if (prebuilt === null) await bundleAndRun()
else await runScript(entry, prebuilt.core(), prebuilt.requireFrom(entry)).main()

async function bundleAndRun() {
  const bundler = createBundler()
  const bundling = bundle(entry, bundler)
  // The core is needed first. A plugin that can't be bundled fails later, on its own.
  const early = bundling
    .then(() => (isServing(process.argv[2]) ? bundlePlugins(bundler) : new Map()))
    .catch(() => new Map())
  // Load the largest packages in the meantime.
  const require = createRequire(entry)
  for (const name of ['fastify', 'yaml', 'ajv/dist/2020.js', 'prom-client']) {
    require(name)
    await nextTurn()
  }
  const { main } = runScript(entry, await bundling)
  await main({ early, bundler })
}

/** The server needs all plugins, most other commands none. */
function isServing(argument) {
  return (
    argument === undefined ||
    argument === 'serve' ||
    (argument.startsWith('--') && !['--version', '--help'].includes(argument))
  )
}

/** Bundles the built-in plugins. */
function bundlePlugins(bundler) {
  const folder = join(product, 'plugins')
  return bundleAll(
    readdirSync(folder)
      .map(name => join(folder, name, 'index.ts'))
      .filter(path => existsSync(path)),
    folder,
    {},
    bundler,
  )
}
