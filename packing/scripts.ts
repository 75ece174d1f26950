/**
 * Writes the scripts of the published package (`core/host/prebuilt.mjs` reads them): the launcher, the core and each built-in
 * plugin as one script, the data files of plugins, files written by the plugins' `pack.ts`, and all packages.
 */
import { build } from 'esbuild'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { bundleAll, runScript, type Bundle } from '../core/host/bundle.mjs'
import { bundlePackages, packageOf } from './packages.ts'
import { packedVariants } from './packed-variants.ts'
import { INSTALLED } from './published.ts'
import { linesOnly } from './source-maps.ts'

/** `import()` becomes `require`, which finds the packed packages. */
const OPTIONS = {
  supported: { 'dynamic-import': false },
  plugins: [packedVariants],
  minifySyntax: true,
  minifyWhitespace: true,
}
/** The entry of a worker thread, which runs its sibling `worker.ts`. */
const THREAD = 'thread.mjs'
/** Sources, and what only people read. */
const SOURCES = /\.(ts|tsx|mts|css\.d)$|(^|\/)README\.md$/
/** Ready for the browser in `dist/assets`. */
const CLIENT = 'client'

/** `product` is the checkout, `out` the folder of the package. Returns the absolute paths of the bundled files. */
export async function writeScripts(product: string, out: string, dependencies: readonly string[]): Promise<string[]> {
  const dist = join(out, 'dist')
  for (const folder of ['plugins', 'packages', 'assets']) mkdirSync(join(dist, folder), { recursive: true })
  const folder = join(product, 'plugins')
  const names = readdirSync(folder)
    .filter(name => existsSync(join(folder, name, 'index.ts')))
    .sort()
  const [core] = (await bundleAll([join(product, 'core', 'main.ts')], join(product, 'core'), OPTIONS)).values()
  const plugins = await bundleAll(
    names.map(name => join(folder, name, 'index.ts')),
    folder,
    OPTIONS,
  )
  write(join(dist, 'core'), core!)
  for (const name of names) write(join(dist, 'plugins', name), plugins.get(join(folder, name, 'index.ts'))!)
  for (const name of names) copyData(join(folder, name), join(out, 'plugins', name))
  cpSync(join(product, 'backends', 'redis', 'lua'), join(out, 'backends', 'redis', 'lua'), { recursive: true })
  const threads = await writeThreads(product, out)
  const modules = await writeModules(product, out)
  await writeLaunchers(product, out)

  const bundled = dependencies.filter(name => !INSTALLED.includes(name))
  const wanted = new Set(
    [core!, ...plugins.values(), ...threads, ...modules]
      .flatMap(({ packages }) => packages)
      .filter(id => bundled.includes(packageOf(id)))
      .concat(FOR_PLUGINS),
  )
  const packed = await bundlePackages([...wanted].sort(), dist, product)
  writeFileSync(
    join(dist, 'manifest.json'),
    `${JSON.stringify({ plugins: wordsOf(names, folder), packages: packed.files }, null, 2)}\n`,
  )
  return [...packed.inputs, ...(await packAssets(names, { folder, out: dist }))]
}

/** Packages that plugins may import without installing them, besides those of svc. */
const FOR_PLUGINS = ['fastify', 'fastify-plugin', '@fastify/websocket']

function write(path: string, { code, map }: Pick<Bundle, 'code' | 'map'>): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(`${path}.js`, code)
  writeFileSync(`${path}.js.map`, linesOnly(map))
}

/** The words of the entry files: commands look there for what a plugin offers before they load it. */
function wordsOf(names: readonly string[], folder: string): Record<string, string> {
  return Object.fromEntries(
    names.map(name => {
      const text = readFileSync(join(folder, name, 'index.ts'), 'utf8')
      return [name, [...new Set(text.match(/[\w.-]+/g))].join(' ')]
    }),
  )
}

/** Copies what a plugin reads while it runs. */
function copyData(folder: string, out: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/')
    const isData = entry.isFile() && !SOURCES.test(path) && entry.name !== THREAD
    if (isData && !path.startsWith(`${CLIENT}/`) && !path.includes('node_modules'))
      cpSync(join(folder, path), join(out, path))
  }
}

/** Worker threads of plugins: a script each, and an entry that runs it with the packed packages. */
async function writeThreads(product: string, out: string): Promise<Bundle[]> {
  const entries = readdirSync(join(product, 'plugins'), { recursive: true, withFileTypes: true })
    .filter(entry => entry.name === THREAD && !entry.parentPath.includes('node_modules'))
    .map(entry => join(entry.parentPath, 'worker.ts'))
    .sort()
  const alias = Object.fromEntries(
    ['plugin', 'toolkit'].map(name => [`svc/${name}`, join(product, 'core', MODULES[name]!)]),
  )
  const threads = await bundleAll(entries, join(product, 'plugins'), { ...OPTIONS, alias })
  for (const [entry, bundle] of threads) {
    const path = relative(join(product, 'plugins'), entry).slice(0, -'.ts'.length)
    write(join(out, 'dist', 'threads', path), bundle)
    const thread = join(out, 'plugins', dirname(path), THREAD)
    const runner = relative(dirname(thread), join(out, 'dist', RUNNER)).replaceAll(sep, '/')
    mkdirSync(dirname(thread), { recursive: true })
    writeFileSync(
      thread,
      `import { runPacked } from '${runner}'\n\nrunPacked(${JSON.stringify(`threads/${path.replaceAll(sep, '/')}`)})\n`,
    )
  }
  return [...threads.values()]
}

/** Runs the script of a worker thread. */
const RUNNER = 'run-packed.mjs'
/** What a test of a plugin imports without a server, below `core`. */
const MODULES: Readonly<Record<string, string>> = {
  plugin: join('contract', 'plugin.ts'),
  toolkit: join('toolkit', 'toolkit.ts'),
}

/** `svc/plugin` and `svc/toolkit` outside of a server: a script each, and an ES module that exports its names. */
async function writeModules(product: string, out: string): Promise<Bundle[]> {
  const core = join(product, 'core')
  const bundles = await bundleAll(
    Object.values(MODULES).map(file => join(core, file)),
    core,
    OPTIONS,
  )
  const folder = join(out, 'dist', 'modules')
  for (const [name, file] of Object.entries(MODULES)) {
    const bundle = bundles.get(join(core, file))!
    write(join(folder, name), bundle)
    const names = Object.keys(runScript(join(core, file), bundle) as object).sort()
    writeFileSync(
      join(folder, `${name}.mjs`),
      `import { runPacked } from '../${RUNNER}'\n\nexport const { ${names.join(', ')} } = runPacked('modules/${name}')\n`,
    )
  }
  return [...bundles.values()]
}

/** The files that Node runs itself: ES modules that need no compiler. */
async function writeLaunchers(product: string, out: string): Promise<void> {
  const common = { bundle: true, format: 'esm', platform: 'node', target: 'node20', packages: 'external' } as const
  const entries: [from: string, to: string][] = [
    [join('bin', 'svc.mjs'), join('bin', 'svc.mjs')],
    [join('core', 'host', 'native-import.mjs'), join('dist', 'native-import.mjs')],
    [join('core', 'host', 'node-loader.mjs'), join('dist', 'node-loader.mjs')],
    [join('core', 'testing', 'testing.mjs'), join('dist', 'testing', 'testing.mjs')],
    [join('packing', RUNNER), join('dist', RUNNER)],
  ]
  for (const [from, to] of entries)
    await build({
      ...common,
      entryPoints: [join(product, from)],
      outfile: join(out, to),
      absWorkingDir: product,
      legalComments: 'none',
      logLevel: 'error',
      external: ['*.ts'],
    })
  cpSync(join(product, 'bin', 'register.mjs'), join(out, 'bin', 'register.mjs'))
}

/** Runs the `pack.ts` of plugins and returns the bundled files. */
async function packAssets(
  names: readonly string[],
  { folder, out }: { folder: string; out: string },
): Promise<string[]> {
  const inputs: string[] = []
  for (const name of names.filter(name => existsSync(join(folder, name, 'pack.ts')))) {
    const { pack } = (await import(join(folder, name, 'pack.ts'))) as {
      pack(folder: string, out: string): Promise<string[]>
    }
    const assets = join(out, 'assets', basename(name))
    mkdirSync(assets)
    inputs.push(...(await pack(join(folder, name), assets)))
  }
  return inputs
}
