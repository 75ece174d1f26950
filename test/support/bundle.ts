/**
 * Makes one script of a test file and all of the product that it imports: loading two hundred files through a loader
 * costs each test file more than most of them take.
 */
import * as esbuild from 'esbuild'
import { mkdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = join(import.meta.dirname, '..', '..')
/** Below the packages' folder, so that packages are found from there. */
const output = join(root, 'node_modules', '.cache', 'svc-tests')

/**
 * The script's path; null for a file that imports by computed names, or asks what is loaded: in one script all packages are
 * loaded at once.
 */
export async function bundleTest(file: string): Promise<string | null> {
  if (/\bimport\((?!['"])|\)\.cache\b/.test(readFileSync(file, 'utf8'))) return null
  mkdirSync(output, { recursive: true })
  const outfile = join(output, `${relative(join(root, 'test'), file).replaceAll('/', '-')}.mjs`)
  await esbuild.build({
    entryPoints: [file],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    // The product's own names lead to its sources, of which there must be one copy.
    alias: { 'svc/plugin': join(root, 'core/contract/plugin.ts'), 'svc/testing': join(root, 'core/testing/index.ts') },
    sourcemap: 'external',
    sourcesContent: false,
    // Read when an error asks for it, as Node would do for every script at once.
    banner: { js: `import { showSources as __show } from ${JSON.stringify(pathToFileURL(join(root, 'core/host/stack-traces.mjs')).href)}; import { readFileSync as __read } from 'node:fs'; __show(import.meta.url, () => __read(import.meta.filename + '.map', 'utf8'));` },
    logLevel: 'silent',
    plugins: [{ name: 'places', setup: build => build.onLoad({ filter: /\.ts$/ }, loadInPlace) }],
  })
  return outfile
}

/** Every file goes on knowing where it is. */
async function loadInPlace({ path }: esbuild.OnLoadArgs): Promise<esbuild.OnLoadResult> {
  const text = await readFile(path, 'utf8')
  const contents = text
    .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
    .replaceAll('import.meta.filename', JSON.stringify(path))
    .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
  return { contents, loader: 'ts' }
}
