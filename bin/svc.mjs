#!/usr/bin/env node
/**
 * Starts the command line. The product's own modules are bundled to one script on the way, in memory: there is nothing to
 * build, and two hundred files load in the time of one. Signals and exit codes are the server's own.
 */
import './tick-shape.mjs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { bundle, runScript } from '../core/bundle.mjs'

const entry = fileURLToPath(new URL('../core/main.ts', import.meta.url))
const bundling = bundle(entry)
// The bundler is a process of its own: meanwhile this one loads the largest packages.
const require = createRequire(entry)
for (const name of ['fastify', 'ajv/dist/2020.js', 'yaml', 'prom-client', 'jose']) require(name)
runScript(entry, await bundling)
