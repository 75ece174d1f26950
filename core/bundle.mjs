/**
 * Modules of the product and of plugins as they run: a folder's own files become one CommonJS script in memory. One
 * script loads in a fraction of the time of its files, and goes away with whoever holds it. Packages stay outside.
 *
 * JavaScript, since it is what loads the TypeScript.
 */
import * as esbuild from 'esbuild'
import Module, { createRequire } from 'node:module'
import { dirname } from 'node:path'

/** The script of an entry file; rejects with the bundler's own failure. */
export async function bundle(entry) {
  const { outputFiles } = await esbuild.build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    sourcemap: 'inline',
    sourcesContent: false,
    outdir: dirname(entry),
    logLevel: 'silent',
    // An ES module may ask where it is.
    banner: { js: 'const __entryUrl = require("node:url").pathToFileURL(__filename).href;' },
    define: { 'import.meta.url': '__entryUrl', 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' },
  })
  return outputFiles[0].text
}

/** Runs the script of an entry file; answers its exports. Its stack traces show its own files and lines. */
export function runScript(entry, code, require = createRequire(entry)) {
  const module = new Module(entry)
  module.filename = entry
  module.paths = Module._nodeModulePaths(dirname(entry))
  module.require = withoutSourceMaps(require)
  process.setSourceMapsEnabled(true)
  module._compile(code, entry)
  return module.exports
}

/** Node reads the source maps of whatever is loaded while they are on: those of packages cost more than the packages. */
function withoutSourceMaps(require) {
  return id => {
    process.setSourceMapsEnabled(false)
    try {
      return require(id)
    } finally {
      process.setSourceMapsEnabled(true)
    }
  }
}
