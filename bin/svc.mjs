#!/bin/sh
':' //; exec "${npm_node_execpath:-node}" --max-semi-space-size=64 "$0" "$@"
/**
 * Starts the command line. To a shell, the second line is a command that runs this file with Node; to Node it is a string
 * and a comment. It is the one place that sets V8's flag, which has no effect once Node is running: room for young objects
 * halves the garbage collections under load.
 *
 * In a package the product's own modules are one script already; in a checkout they are bundled on
 * the way, in memory: there is nothing to build, and two hundred files load in the time of one. Signals and exit codes are
 * the server's own.
 */
import { existsSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { bundle, bundleAll, runScript } from '../core/host/bundle.mjs'
import { openPrebuilt } from '../core/host/prebuilt.mjs'

// The bundler is a process of its own, written in Go: it collects garbage less often.
process.env.GOGC ??= '400'
const product = fileURLToPath(new URL('..', import.meta.url))
const entry = join(product, 'core', 'main.ts')
const prebuilt = openPrebuilt(product)
if (prebuilt === null) await bundleAndRun()
else await runScript(entry, prebuilt.core(), prebuilt.requireFrom(entry)).main()

async function bundleAndRun() {
  const bundling = bundle(entry)
  // The core is needed first; a plugin that can't be bundled fails by itself, later.
  const early = bundling.then(() => (isServing(process.argv[2]) ? bundlePlugins() : new Map())).catch(() => new Map())
  // Meanwhile this process loads the largest packages.
  const require = createRequire(entry)
  for (const name of ['fastify', 'yaml', 'ajv/dist/2020.js', 'prom-client']) {
    require(name)
    await nextTurn()
  }
  const { main } = runScript(entry, await bundling)
  await main(early)
}

/** The server wants all plugins, most other commands none. */
function isServing(argument) {
  return argument === undefined || argument === 'serve' || argument === '--config'
}

/** The built-in ones. */
function bundlePlugins() {
  const folder = join(product, 'plugins')
  return bundleAll(
    readdirSync(folder)
      .map(name => join(folder, name, 'index.ts'))
      .filter(path => existsSync(path)),
    folder,
  )
}
