#!/usr/bin/env node
/**
 * Starts the command line. The product's own modules are bundled to one script on the way, in memory: there is nothing to
 * build, and two hundred files load in the time of one. Signals and exit codes are the server's own.
 */
import './tick-shape.mjs'
import { existsSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundle, runScript } from '../core/bundle.mjs'

const entry = fileURLToPath(new URL('../core/main.ts', import.meta.url))
const bundling = bundle(entry)
const early = new Map(isServing(process.argv[2]) ? pluginEntries().map(path => [path, bundle(path)]) : [])
// Whoever takes one sees its failure.
for (const begun of early.values()) begun.catch(() => {})
// The bundler is a process of its own: meanwhile this one loads the largest packages.
const require = createRequire(entry)
for (const name of ['fastify', 'ajv/dist/2020.js', 'yaml', 'prom-client']) require(name)
const { main } = runScript(entry, await bundling)
await main(early)

/** The server wants all plugins, most other commands none. */
function isServing(argument) {
  return argument === undefined || argument === 'serve' || argument === '--config'
}

/** Those of the built-in plugins. */
function pluginEntries() {
  const folder = fileURLToPath(new URL('../plugins', import.meta.url))
  return readdirSync(folder).map(name => join(folder, name, 'index.ts')).filter(path => existsSync(path))
}
