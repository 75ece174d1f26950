/**
 * Bundles packages that only svc itself uses, each with its dependencies into one file. This reduces the number of packages
 * to install to a tenth, and the load time. Bundles refer to each other instead of containing copies.
 */
import {
  build,
  type OnLoadArgs,
  type OnLoadResult,
  type OnResolveArgs,
  type OnResolveResult,
  type PluginBuild,
} from 'esbuild'
import { cpSync, readdirSync, realpathSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'

export interface PackedPackages {
  /** File names by import id. */
  files: Record<string, string>
  /** Absolute paths of the bundled files. */
  inputs: string[]
}

/** Data files that packages read from their own folder. */
const DATA = /\.(proto|wasm)$/

/** Writes a bundle for each of `ids` to the folder `out`. They are resolved from the folder `product`. */
export async function bundlePackages(ids: readonly string[], out: string, product: string): Promise<PackedPackages> {
  const files = Object.fromEntries(ids.map(id => [id, `${id.replaceAll('/', '__')}.cjs`]))
  // esbuild returns real paths.
  const modules = realpathSync(join(product, 'node_modules'))
  const inputs = new Set<string>()
  for (const id of ids) {
    const { metafile } = await build({
      stdin: { contents: `module.exports = require(${JSON.stringify(id)})`, resolveDir: product },
      outfile: join(out, files[id]!),
      bundle: true,
      format: 'cjs',
      platform: 'node',
      target: 'node20',
      minifyWhitespace: true,
      minifySyntax: true,
      legalComments: 'none',
      absWorkingDir: product,
      metafile: true,
      logLevel: 'error',
      plugins: [{ name: 'packed-packages', setup: setup => connect(setup, { id, files, modules, out }) }],
    })
    const used = Object.keys(metafile.inputs)
      .filter(file => file !== '<stdin>')
      .map(file => resolve(product, file))
    checkSingle(id, used, ids, modules)
    for (const file of used) inputs.add(file)
  }
  return { files, inputs: [...inputs] }
}

/** `@scope/name` of `@scope/name/part`. */
export function packageOf(id: string): string {
  return id.split('/', id.startsWith('@') ? 2 : 1).join('/')
}

interface Packed {
  id: string
  files: Record<string, string>
  modules: string
  out: string
}

function connect(setup: PluginBuild, { id, files, modules, out }: Packed): void {
  setup.onResolve(
    { filter: /^[^./]/ },
    async ({ path, kind, importer, resolveDir, pluginData }: OnResolveArgs): Promise<OnResolveResult | null> => {
      if ((path === id && importer === '<stdin>') || !Object.hasOwn(files, path) || pluginData === 'nested') return null
      // If a package depends on another version, bundle that version.
      const found = await setup.resolve(path, { kind, importer, resolveDir, pluginData: 'nested' })
      return found.path.startsWith(join(modules, packageOf(path)) + sep)
        ? { path: `./${files[path]}`, external: true }
        : null
    },
  )
  setup.onLoad({ filter: /node_modules.*\.c?js$/ }, args => keepData(args, out))
}

/** Copies the data files of packages that use `__dirname`, and changes `__dirname` to their new folder. */
async function keepData({ path }: OnLoadArgs, out: string): Promise<OnLoadResult | null> {
  const text = await readFile(path, 'utf8')
  if (!/\b__dirname\b/.test(text)) return null
  const home = homeOf(path)
  const target = join('data', home.name)
  for (const file of readdirSync(home.folder, { recursive: true, encoding: 'utf8' })) {
    if (DATA.test(file) && !file.includes('node_modules')) cpSync(join(home.folder, file), join(out, target, file))
  }
  const place = JSON.stringify(join(target, relative(home.folder, dirname(path))))
  return { contents: text.replaceAll(/\b__dirname\b/g, `require('node:path').join(__dirname, ${place})`), loader: 'js' }
}

/** Name and folder of the package that a file belongs to. */
export function homeOf(file: string): { name: string; folder: string } {
  const at = file.lastIndexOf(`node_modules${sep}`) + `node_modules${sep}`.length
  const name = packageOf(file.slice(at).replaceAll(sep, '/'))
  return { name, folder: join(file.slice(0, at), name) }
}

/** Throws if a bundle contains a copy of another packed package: objects of two copies are not compatible. */
function checkSingle(id: string, used: readonly string[], ids: readonly string[], modules: string): void {
  const twice = ids
    .map(packageOf)
    .find(name => name !== packageOf(id) && used.some(file => file.startsWith(join(modules, name) + sep)))
  if (twice !== undefined) throw new Error(`the bundle of ${id} would contain a second copy of ${twice}`)
}
