/**
 * Writes the scripts of the published package (`core/host/prebuilt.mjs` reads them): the core and each built-in plugin as
 * one script, files written by the plugins' `pack.ts`, and the packages that npm does not install.
 */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleAll, type Bundle } from '../core/host/bundle.mjs'
import { fingerprintFolder } from '../core/host/discovery.ts'
import { writeLicenses } from './licenses.ts'
import { bundlePackages, packageOf } from './packages.ts'
import { packedVariants } from './packed-variants.ts'
import { INSTALLED } from './published.ts'

/** `import()` becomes `require`, which finds the packed packages. */
const OPTIONS = { supported: { 'dynamic-import': false }, plugins: [packedVariants] }

/** `product` is the checkout, `out` the folder to write, `dependencies` the names of the packages of the checkout. */
export async function writeScripts(product: string, out: string, dependencies: readonly string[]): Promise<void> {
  for (const folder of ['plugins', 'packages', 'assets']) mkdirSync(join(out, folder), { recursive: true })
  const folder = join(product, 'plugins')
  const names = readdirSync(folder).filter(name => existsSync(join(folder, name, 'index.ts')))
  const [core] = (await bundleAll([join(product, 'core', 'main.ts')], join(product, 'core'), OPTIONS)).values()
  const plugins = await bundleAll(
    names.map(name => join(folder, name, 'index.ts')),
    folder,
    OPTIONS,
  )
  write(join(out, 'core'), core!)
  for (const name of names) write(join(out, 'plugins', name), plugins.get(join(folder, name, 'index.ts'))!)

  const bundled = dependencies.filter(name => !INSTALLED.includes(name))
  const wanted = new Set(
    [core!, ...plugins.values()].flatMap(({ packages }) => packages).filter(id => bundled.includes(packageOf(id))),
  )
  const packed = await bundlePackages([...wanted].sort(), join(out, 'packages'), product)

  const inputs = [...packed.inputs, ...(await packAssets(names, { folder, out }))]
  writeLicenses(inputs, join(out, 'THIRD-PARTY-LICENSES.txt'))
  const fingerprints = await Promise.all(names.map(async name => [name, await fingerprintFolder(join(folder, name))]))
  writeFileSync(
    join(out, 'manifest.json'),
    JSON.stringify({ plugins: Object.fromEntries(fingerprints), packages: packed.files }, null, 2),
  )
}

function write(path: string, { code, map }: Bundle): void {
  writeFileSync(`${path}.js`, code)
  writeFileSync(`${path}.js.map`, map)
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
    const assets = join(out, 'assets', name)
    mkdirSync(assets)
    inputs.push(...(await pack(join(folder, name), assets)))
  }
  return inputs
}
