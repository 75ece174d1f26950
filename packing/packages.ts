/**
 * Bundles the packages that svc uses, so that npm installs none of them: those of every start into one file, the others
 * into further ones, since a file is parsed whole. Each package is run when it is first used. Large ones that only some
 * installations use are in files of their own. There is one copy of each: objects of two copies are not compatible.
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
import { basename, dirname, join, relative, resolve, sep } from 'node:path'

/** `name` is relative to the manifest. A shared file exports a function by import id, any other its package. */
export interface PackedFile {
  name: string
  isShared?: boolean
}

export interface PackedPackages {
  /** Files by import id. */
  files: Record<string, PackedFile>
  /** Absolute paths of the bundled files. */
  inputs: string[]
}

/** The file of all packages that a start may use. */
const AT_START = 'packages.cjs'
/** The folder of the others. */
const FOLDER = 'packages'
/** Files of packages that are used after the start, by some requests and commands. A test starts the package without them. */
const LATER: readonly { name: string; packages: readonly RegExp[] }[] = [
  {
    name: 'later',
    packages: [
      /^@bokuweb\/zstd-wasm$/,
      /^@graphql-inspector\//,
      /^@graphql-tools\//,
      /^@theguild\/federation-composition$/,
      /^graphql-yoga$/,
      /^swagger2openapi$/,
    ],
  },
  { name: 'grpc', packages: [/^@grpc\//, /^grpc-health-check$/] },
  { name: 'open-telemetry', packages: [/^@opentelemetry\/(?!api$)/] },
]
/** Large packages that only some installations use, in files of their own. */
const SEPARATE = [/^@graphql-yoga\/render-graphiql$/, /^@redis\/client$/, /^gpt-tokenizer\//]
/** Data files that packages read from their own folder. */
const PROTO = /\.proto$/
/** Others are copied if the code names them. */
const NAMED = /\.wasm$|(^|\/)schemas\/.*\.json$/
const LINKED = 'packed-link'

/** Writes the bundles of `ids` to the folder `out`. The packages are resolved from the folder `product`. */
export async function bundlePackages(ids: readonly string[], out: string, product: string): Promise<PackedPackages> {
  const files = Object.fromEntries(ids.map(id => [id, fileOf(id)]))
  // esbuild returns real paths, and names of files in the bundles are relative to the folder of the packages.
  const modules = realpathSync(join(product, 'node_modules'))
  const inputs = new Set<string>()
  for (const name of [...new Set(Object.values(files).map(({ name }) => name))].sort()) {
    const own = ids.filter(id => files[id]!.name === name).sort()
    const members = own.map(id => `${JSON.stringify(id)}: () => require(${JSON.stringify(id)}),`)
    const contents = files[own[0]!]!.isShared
      ? `module.exports = {\n${members.join('\n')}\n}`
      : `module.exports = require(${JSON.stringify(own[0])})`
    for (const path of await writeBundle(contents, name, { files, modules, out, own: new Set(own) })) inputs.add(path)
  }
  return { files, inputs: [...inputs].sort() }
}

function fileOf(id: string): PackedFile {
  const isIn = (patterns: readonly RegExp[]): boolean => patterns.some(pattern => pattern.test(id))
  if (isIn(SEPARATE)) return { name: `./${FOLDER}/${id.replaceAll('/', '__')}.cjs` }
  const later = LATER.find(({ packages }) => isIn(packages))
  return { name: later === undefined ? `./${AT_START}` : `./${FOLDER}/${later.name}.cjs`, isShared: true }
}

/** `@scope/name` of `@scope/name/part`. */
export function packageOf(id: string): string {
  return id.split('/', id.startsWith('@') ? 2 : 1).join('/')
}

interface Packed {
  files: Record<string, PackedFile>
  modules: string
  out: string
  /** What this bundle contains. */
  own: ReadonlySet<string>
}

/** Returns the absolute paths of the bundled files. */
async function writeBundle(contents: string, file: string, packed: Packed): Promise<string[]> {
  const home = dirname(packed.modules)
  const { metafile } = await build({
    stdin: { contents, resolveDir: home },
    outfile: join(packed.out, file),
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    absWorkingDir: home,
    metafile: true,
    logLevel: 'error',
    plugins: [{ name: 'packed-packages', setup: setup => connect(setup, packed, dirname(file)) }],
  })
  const used = Object.keys(metafile.inputs)
    .filter(input => input !== '<stdin>' && !input.startsWith(`${LINKED}:`))
    .map(input => resolve(home, input))
  checkSingle(file, used, packed)
  return used
}

function connect(setup: PluginBuild, packed: Packed, folder: string): void {
  const { files, modules, own } = packed
  setup.onResolve(
    { filter: /^[^./]/ },
    async ({ path, importer, resolveDir, pluginData, namespace }: OnResolveArgs): Promise<OnResolveResult | null> => {
      if (!Object.hasOwn(files, path) || pluginData === 'nested' || namespace === LINKED) return null
      // All get what `require` finds. If a package depends on another version, bundle that version.
      const found = await setup.resolve(path, { kind: 'require-call', importer, resolveDir, pluginData: 'nested' })
      if (!found.path.startsWith(join(modules, packageOf(path)) + sep)) return null
      return own.has(path) ? { path: found.path, sideEffects: found.sideEffects } : { path, namespace: LINKED }
    },
  )
  setup.onResolve({ filter: /^\.\.?\//, namespace: LINKED }, ({ path }) => ({ path, external: true }))
  setup.onLoad({ filter: /.*/, namespace: LINKED }, ({ path }) => ({ contents: linkTo(path, files, folder) }))
  setup.onLoad({ filter: /node_modules.*\.[cm]?js$/ }, args => keepData(args, packed.out, folder))
}

/** A module that stands for a package of another file. */
function linkTo(id: string, files: Packed['files'], folder: string): string {
  const { name, isShared } = files[id]!
  const path = JSON.stringify(folder === '.' ? name : `.${name}`)
  return `module.exports = require(${path})${isShared ? `[${JSON.stringify(id)}]()` : ''}`
}

/** Copies the data files of packages that use `__dirname` or `import.meta.url`, and changes these to their new folder. */
async function keepData({ path }: OnLoadArgs, out: string, folder: string): Promise<OnLoadResult | null> {
  const text = await readFile(path, 'utf8')
  const isPlace = /\b__dirname\b/.test(text)
  if (!isPlace && !/\bimport\.meta\.url\b/.test(text)) return null
  const home = homeOf(path)
  const target = join(FOLDER, 'data', home.name)
  for (const file of readdirSync(home.folder, { recursive: true, encoding: 'utf8' }))
    if (
      !file.includes('node_modules') &&
      (PROTO.test(file) || isNamed(file, relative(home.folder, dirname(path)), text))
    )
      cpSync(join(home.folder, file), join(out, target, file))
  const place = JSON.stringify(relative(folder, join(target, relative(home.folder, dirname(path)))))
  const moved = `require('node:path').join(__dirname, ${place})`
  const contents = isPlace
    ? text.replaceAll(/\b__dirname\b/g, moved)
    : text.replaceAll(/\bimport\.meta\.url\b/g, `require('node:url').pathToFileURL(${moved} + '/module.js').href`)
  return { contents, loader: 'js' }
}

/** Whether the code in `folder` reads this file, if it is in that folder or below. */
function isNamed(file: string, folder: string, text: string): boolean {
  const isBelow = folder === '' || file.startsWith(folder + sep)
  return NAMED.test(file) && isBelow && text.includes(basename(file))
}

/** Name and folder of the package that a file belongs to. */
export function homeOf(file: string): { name: string; folder: string } {
  const at = file.lastIndexOf(`node_modules${sep}`) + `node_modules${sep}`.length
  const name = packageOf(file.slice(at).replaceAll(sep, '/'))
  return { name, folder: join(file.slice(0, at), name) }
}

/** Throws if a bundle contains a copy of a package that another one contains. */
function checkSingle(file: string, used: readonly string[], { files, own, modules }: Packed): void {
  const mine = new Set([...own].map(packageOf))
  const twice = Object.keys(files)
    .map(packageOf)
    .find(name => !mine.has(name) && used.some(path => path.startsWith(join(modules, name) + sep)))
  if (twice !== undefined) throw new Error(`${file} would contain a second copy of ${twice}`)
}
