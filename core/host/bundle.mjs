/**
 * Modules of the product and of plugins as they run: a folder's own files become one CommonJS script in memory. One
 * script loads in a fraction of the time of its files, and goes away with whoever holds it. Packages stay outside.
 *
 * JavaScript, since it is what loads the TypeScript.
 */
import { statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, extname, relative, resolve } from 'node:path'
import { compileFunction } from 'node:vm'
import { showSources } from './stack-traces.mjs'

/** The script of an entry file and its source map; rejects with the bundler's own failure. */
export async function bundle(entry) {
  return (await bundleAll([entry], dirname(entry))).get(entry)
}

/**
 * Bundles of several entry files below `folder`, by entry; rejects when one of them can't be bundled. Cheaper than one by
 * one. `more` are further options of the bundler.
 */
export async function bundleAll(entries, folder, more = {}) {
  const startedAt = Date.now()
  // A packed product without plugins of others never needs the bundler.
  const esbuild = createRequire(import.meta.url)('esbuild')
  // Each script has its entry's name: where that is a link, as in a mounted ConfigMap, the bundler knows only the file it leads to.
  const scripts = entries.map(entry => ({ entry, out: relative(folder, entry).slice(0, -extname(entry).length) }))
  const { outputFiles, metafile } = await esbuild.build({
    entryPoints: scripts.map(({ entry, out }) => ({ in: entry, out })),
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    // `import()` of a package becomes a require, so that it is looked for where all others are; Node's own import in a
    // compiled function is experimental. Packages that are ES modules work, unless they await at their top level.
    supported: { 'dynamic-import': false },
    sourcemap: 'external',
    sourcesContent: false,
    outdir: folder,
    absWorkingDir: folder,
    metafile: true,
    logLevel: 'silent',
    // An ES module may ask where it is.
    banner: { js: 'const __entryUrl = require("node:url").pathToFileURL(__filename).href;' },
    define: {
      'import.meta.url': '__entryUrl',
      'import.meta.dirname': '__dirname',
      'import.meta.filename': '__filename',
    },
    ...more,
  })
  const texts = new Map(outputFiles.map(file => [file.path, file]))
  const outputs = new Map(Object.entries(metafile.outputs).map(([name, output]) => [resolve(folder, name), output]))
  return new Map(
    scripts.map(({ entry, out }) => {
      const script = resolve(folder, `${out}.js`)
      const { inputs, imports } = outputs.get(script)
      return [
        entry,
        {
          code: texts.get(script).text,
          map: texts.get(`${script}.map`).text,
          startedAt,
          inputs: Object.keys(inputs).map(file => resolve(folder, file)),
          packages: imports.filter(({ external }) => external).map(({ path }) => path),
        },
      ]
    }),
  )
}

/** Whether a bundle that was made earlier holds its files as they are now. */
export function isCurrent({ startedAt, inputs }) {
  return inputs.every(file => {
    const stat = statSync(file, { throwIfNoEntry: false })
    return stat !== undefined && stat.ctimeMs < startedAt
  })
}

/** Runs the script of an entry file as Node runs a CommonJS module; returns its exports. Stack traces show its own files and lines. */
export function runScript(entry, script, require = createRequire(entry)) {
  showSources(entry, () => script.map)
  const run = compileFunction(script.code, ['exports', 'require', 'module', '__filename', '__dirname'], {
    filename: entry,
  })
  const module = { exports: {} }
  run.call(module.exports, module.exports, require, module, entry, dirname(entry))
  return module.exports
}
