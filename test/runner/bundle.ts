/**
 * Bundles test files with the product code they import, with shared code in shared chunks: loading hundreds of files through
 * a loader takes longer than most tests.
 */
import * as esbuild from 'esbuild'
import { readFile, rm } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = join(import.meta.dirname, '..', '..')
/** Below the packages' folder, so that packages are found from there. A folder for each process: two may run at a time. */
const cache = join(root, 'node_modules', '.cache', 'svc-tests', String(process.pid))

export interface Bundles {
  worker: string
  /** The script of a test file. */
  scriptOf(file: string): string
  /** Files that can't be bundled, with the reasons. */
  broken: Map<string, string>
}

/** `packages`: other packages for those that the tests import. */
export async function bundleTests(
  files: readonly string[],
  name: string,
  packages: Record<string, string>,
): Promise<Bundles> {
  const output = join(cache, name)
  const worker = join(import.meta.dirname, 'worker.ts')
  const options = optionsOf(output, packages)
  const broken = new Map<string, string>()
  const build = (entries: readonly string[]): Promise<unknown> =>
    esbuild.build({ ...options, entryPoints: [worker, ...entries] })
  try {
    await build(files)
  } catch {
    // The others still run. Which one is wrong shows when each is bundled on its own.
    await Promise.all(
      files.map(file =>
        esbuild
          .build({ ...options, entryPoints: [file], write: false })
          .catch((error: Error) => broken.set(file, error.message)),
      ),
    )
    await build(files.filter(file => !broken.has(file)))
  }
  const scriptOf = (file: string): string => join(output, relative(root, file).replace(/\.ts$/, '.js'))
  return { worker: scriptOf(worker), scriptOf, broken }
}

function optionsOf(outdir: string, packages: Record<string, string>): esbuild.BuildOptions {
  return {
    outdir,
    outbase: root,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    // The product's own names lead to its sources, of which there must be one copy.
    alias: {
      'svc/plugin': join(root, 'core/contract/plugin.ts'),
      'svc/testing': join(root, 'core/testing/index.ts'),
      ...packages,
    },
    sourcemap: 'external',
    sourcesContent: false,
    // Read when an error asks for it, as Node would do for every script at once.
    banner: {
      js: `import { registerSourceMap as __show } from ${JSON.stringify(pathToFileURL(join(root, 'core/host/stack-traces.mjs')).href)}; import { readFileSync as __read } from 'node:fs'; __show(import.meta.url, () => __read(import.meta.filename + '.map', 'utf8'));`,
    },
    logLevel: 'silent',
    plugins: [
      {
        name: 'svc-tests',
        setup: build => {
          build.onResolve({ filter: /^tap$/ }, ({ importer }) =>
            importer.endsWith('.test.ts') ? { path: importer, namespace: 'tap' } : null,
          )
          build.onLoad({ filter: /.*/, namespace: 'tap' }, () => ({ contents: TAP, resolveDir: import.meta.dirname }))
          build.onLoad({ filter: /\.ts$/ }, loadInPlace)
        },
      },
    ],
  }
}

export function removeBundles(): Promise<void> {
  return rm(cache, { recursive: true, force: true })
}

/** What a test file imports as `tap`; a module for each file, made when the file is loaded. */
const TAP = `import { currentTest } from './current.ts'; export default currentTest()`

/** The file sees its own path as `import.meta`, not that of the chunk. */
async function loadInPlace({ path }: esbuild.OnLoadArgs): Promise<esbuild.OnLoadResult> {
  const text = await readFile(path, 'utf8')
  const contents = text
    .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
    .replaceAll('import.meta.filename', JSON.stringify(path))
    .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
  return { contents, loader: 'ts' }
}
