/**
 * Bundles the files of a folder into one CommonJS script in memory. One script loads much faster than many files and is
 * garbage-collected when nothing uses it. Packages are not bundled.
 *
 * This file is JavaScript because it loads the TypeScript.
 */
import { realpathSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { RESIDENT } from './bundler.mjs'
import { dirname, extname, relative, resolve } from 'node:path'
import { compileFunction } from 'node:vm'
import { registerSourceMap } from './stack-traces.mjs'

/** Bundles an entry file. Rejects with esbuild's `BuildFailure`. */
export async function bundle(entry, bundler = RESIDENT) {
  return (await bundleAll([entry], dirname(entry), {}, bundler)).get(entry)
}

/**
 * Bundles several entry files below `folder`, which is faster than one by one. Returns the bundles by entry; rejects if one
 * of them can't be bundled. `more` are additional esbuild options.
 */
export async function bundleAll(entries, folder, more = {}, bundler = RESIDENT) {
  const startedAt = Date.now()
  // Name each script after its entry: esbuild resolves symbolic links, for example in a mounted ConfigMap.
  const scripts = entries.map(entry => ({ entry, out: relative(folder, entry).slice(0, -extname(entry).length) }))
  const { outputFiles, metafile } = await bundler.build({
    entryPoints: scripts.map(({ entry, out }) => ({ in: entry, out })),
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    // `import()` of a package becomes `require`, so that it is resolved like all other packages; Node's `import()` in a
    // compiled function is experimental.
    supported: { 'dynamic-import': false },
    sourcemap: 'external',
    sourcesContent: false,
    outdir: folder,
    absWorkingDir: folder,
    metafile: true,
    logLevel: 'silent',
    // Support for `import.meta`.
    banner: { js: 'const __entryUrl = require("node:url").pathToFileURL(__filename).href;' },
    define: {
      'import.meta.url': '__entryUrl',
      'import.meta.dirname': '__dirname',
      'import.meta.filename': '__filename',
    },
    ...more,
  })
  const texts = new Map(outputFiles.map(file => [file.path, file]))
  // esbuild's names are relative to the real path of the folder.
  const real = realpathSync(folder)
  const outputs = new Map(Object.entries(metafile.outputs).map(([name, output]) => [resolve(real, name), output]))
  return new Map(
    scripts.map(({ entry, out }) => {
      const script = resolve(folder, `${out}.js`)
      const { inputs, imports } = outputs.get(script)
      return [
        entry,
        {
          code: withNamespaces(texts.get(script).text),
          map: texts.get(`${script}.map`).text,
          startedAt,
          inputs: Object.keys(inputs).map(file => resolve(real, file)),
          packages: imports.filter(({ external }) => external).map(({ path }) => path),
          imported: [...new Set(Object.keys(inputs).flatMap(file => importedBy(metafile.inputs[file])))],
        },
      ]
    }),
  )
}

/**
 * esbuild's helper for imports takes each module for a CommonJS one in a file of a folder with `"type": "module"`: its default
 * import is then the namespace of an ES module. ES modules need no helper.
 */
function withNamespaces(code) {
  const isNamespace = 'require("node:util").types.isModuleNamespaceObject(mod)'
  return code.replace(
    /\b__toESM ?= ?(?=\()/,
    `__toESM = (mod, ...rest) => ${isNamespace} ? mod : __fromCommonJs(mod, ...rest), __fromCommonJs = `,
  )
}

/** The packages that import statements of a file name. Outputs do not tell: there, all of them are required. */
function importedBy({ imports }) {
  return imports.filter(({ external, kind }) => external && kind === 'import-statement').map(({ path }) => path)
}

/** Whether the bundled files have not changed since the bundle was created. */
export function isCurrent({ startedAt, inputs }) {
  return inputs.every(file => {
    const stat = statSync(file, { throwIfNoEntry: false })
    return stat !== undefined && stat.ctimeMs < startedAt
  })
}

/** Runs a script like a CommonJS module and returns its exports. Stack traces show the original files and lines. */
export function runScript(entry, script, require = createRequire(entry)) {
  registerSourceMap(entry, () => script.map)
  const run = compileFunction(script.code, ['exports', 'require', 'module', '__filename', '__dirname'], {
    filename: entry,
  })
  const module = { exports: {} }
  run.call(module.exports, module.exports, require, module, entry, dirname(entry))
  return module.exports
}
