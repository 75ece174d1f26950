/**
 * Loads plugins in JavaScript with Node's own loader, for the executable, which has no compiler. Node keeps the old versions of
 * ES modules until the process ends.
 *
 * This file is JavaScript and never bundled, because `import()` is `require` in a bundle.
 */
import { createRequire, registerHooks } from 'node:module'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** The URLs of modules that are those of the running host, for `import` and for `require`. */
const HOST = { module: 'svc-host:', commonjs: 'svc-host-require:' }
/** The parameter of URLs that makes Node load a changed file again. */
const VERSION = 'svc-version'
/** Where the source of a module of the host finds its exports. */
const MODULES = Symbol.for('svc.host-modules')
const TYPESCRIPT = /\.[cm]?tsx?$/
const { cache } = createRequire(import.meta.url)

let loads = 0

/**
 * `own(id)` returns the module that all plugins get by this name, or undefined; `missing(id, folder, error)` the one of a
 * package that a file in `folder` can't find, or throws; `refuse(file)` throws for a file in TypeScript.
 */
export function createNodeLoader({ own, missing, refuse }) {
  const modules = new Map()
  Object.defineProperty(globalThis, MODULES, { value: modules })
  const hosted = (id, module, { conditions }) => {
    modules.set(id, module)
    const format = conditions.includes('require') ? 'commonjs' : 'module'
    return { url: HOST[format] + id, format, shortCircuit: true }
  }
  registerHooks({
    resolve(id, context, next) {
      const module = own(id)
      if (module !== undefined) return hosted(id, module, context)
      const parent = context.parentURL ?? ''
      let found
      try {
        found = next(id, context)
      } catch (error) {
        const isPackage = /^[^./#]/.test(id) && !id.includes(':')
        if (!isPackage || !parent.startsWith('file:') || !String(error.code).endsWith('MODULE_NOT_FOUND')) throw error
        return hosted(id, missing(id, dirname(fileURLToPath(parent)), error), context)
      }
      if (!found.url.startsWith('file:')) return found
      const url = new URL(found.url)
      if (TYPESCRIPT.test(url.pathname)) refuse(fileURLToPath(found.url))
      // Other files of the plugin are as new as the one that imports them.
      const version = parent.startsWith('file:') ? new URL(parent).searchParams.get(VERSION) : null
      if (version === null || !context.conditions.includes('import') || !/^\.\.?\//.test(id)) return found
      url.searchParams.set(VERSION, version)
      return { ...found, url: url.href }
    },
    load(url, context, next) {
      const format = Object.keys(HOST).find(name => url.startsWith(HOST[name]))
      if (format === undefined) return next(url, context)
      const id = url.slice(HOST[format].length)
      const exported = `globalThis[Symbol.for('${MODULES.description}')].get(${JSON.stringify(id)})`
      if (format === 'commonjs') return { format, source: `module.exports = ${exported}`, shortCircuit: true }
      const names = Object.keys(modules.get(id)).filter(name => name !== 'default' && /^[\w$]+$/.test(name))
      const source = `const module = ${exported}
export default module.default ?? module
${names.map((name, index) => `const name${index} = module.${name}\nexport { name${index} as ${name} }\n`).join('')}`
      return { format, source, shortCircuit: true }
    },
  })
  return async entry => {
    const folder = dirname(entry) + sep
    for (const file of Object.keys(cache))
      if (file.startsWith(folder) && !file.includes(join(sep, 'node_modules', sep))) delete cache[file]
    const url = pathToFileURL(entry)
    url.searchParams.set(VERSION, String(++loads))
    return import(url.href)
  }
}
