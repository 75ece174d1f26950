/**
 * Writes `dist/` for the npm package (`core/host/prebuilt.mjs` reads it): the core and each built-in plugin as one script,
 * files written by the plugins' `pack.ts`, and the packages in `packing/package.json`.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { bundleAll } from '../core/host/bundle.mjs'
import type { Bundle } from '../core/host/bundle.mjs'
import { fingerprintFolder } from '../core/host/discovery.ts'
import { writeLicenses } from './licenses.ts'
import { bundlePackages, packageOf } from './packages.ts'
import { packedVariants } from './packed-variants.ts'

const product = join(import.meta.dirname, '..')
const dist = join(product, 'dist')
/** Temporary folder, so that `dist` is never incomplete. */
const out = join(product, `dist.${process.pid}`)
const SWAGGER_UI_FILES = ['swagger-ui-bundle.js', 'swagger-ui.css', 'favicon-32x32.png']

/** `import()` becomes `require`, which finds the packed packages. */
const OPTIONS = { supported: { 'dynamic-import': false }, plugins: [packedVariants] }

// No source maps for browser clients.
process.env.NODE_ENV = 'production'
try {
  await build()
  rmSync(dist, { recursive: true, force: true })
  renameSync(out, dist)
} finally {
  rmSync(out, { recursive: true, force: true })
}

async function build(): Promise<void> {
  for (const folder of ['plugins', 'packages', 'assets', 'swagger-ui'])
    mkdirSync(join(out, folder), { recursive: true })
  const folder = join(product, 'plugins')
  const names = readdirSync(folder).filter(name => existsSync(join(folder, name, 'index.ts')))
  const [core] = (await bundleAll([join(product, 'core', 'main.ts')], join(product, 'core'), OPTIONS)).values()
  const plugins = await bundleAll(
    names.map(name => join(folder, name, 'index.ts')),
    folder,
    OPTIONS,
  )
  write('core', core!)
  for (const name of names) write(join('plugins', name), plugins.get(join(folder, name, 'index.ts'))!)

  const listed = Object.keys(
    (JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8')) as { dependencies: object })
      .dependencies,
  )
  const wanted = new Set(
    [core!, ...plugins.values()].flatMap(({ packages }) => packages).filter(id => listed.includes(packageOf(id))),
  )
  const packed = await bundlePackages([...wanted].sort(), join(out, 'packages'), product)

  const swaggerUi = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  for (const file of SWAGGER_UI_FILES) cpSync(join(swaggerUi, file), join(out, 'swagger-ui', file))

  const inputs = [...packed.inputs, ...(await packAssets(names, folder)), join(swaggerUi, 'swagger-ui-bundle.js')]
  writeLicenses(inputs, join(out, 'THIRD-PARTY-LICENSES.txt'))
  const fingerprints = await Promise.all(names.map(async name => [name, await fingerprintFolder(join(folder, name))]))
  writeFileSync(
    join(out, 'manifest.json'),
    JSON.stringify({ plugins: Object.fromEntries(fingerprints), packages: packed.files }, null, 2),
  )
}

function write(name: string, { code, map }: Bundle): void {
  writeFileSync(join(out, `${name}.js`), code)
  writeFileSync(join(out, `${name}.js.map`), map)
}

/** Runs the `pack.ts` of plugins and returns the bundled files. */
async function packAssets(names: readonly string[], folder: string): Promise<string[]> {
  const inputs: string[] = []
  for (const name of names.filter(name => existsSync(join(folder, name, 'pack.ts')))) {
    const { pack } = (await import(join(folder, name, 'pack.ts'))) as {
      pack(folder: string, out: string): Promise<string[]>
    }
    const assets = join(out, 'assets', name)
    mkdirSync(assets)
    inputs.push(...(await pack(join(folder, name), assets)))
  }
  return inputs
}
