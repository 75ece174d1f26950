/**
 * Bundles test files with the product code that they import. Shared code is in shared chunks. Loading hundreds of files
 * through a loader would take longer than most tests.
 */
import * as esbuild from 'esbuild'
import { readFile, rm } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = join(import.meta.dirname, '..', '..')
/** Folders that contain bundles. */
const caches = new Set<string>()

/** Removed at the end of the run. Inside `node_modules`, so that imports of packages resolve. Each process has its own folder, since two may run at a time. */
export function cacheOf(manifest: string): string {
  const cache = join(root, manifest, 'node_modules', '.cache', 'svc-tests', String(process.pid))
  caches.add(cache)
  return cache
}

export interface Bundles {
  worker: string
  /** The script of a test file. */
  scriptOf(file: string): string
  /** Files that can't be bundled, with the reasons. */
  broken: Map<string, string>
}

/** `manifest` is the folder whose packages the files import; `packages` replaces imported packages with others. */
export async function bundleTests(
  files: readonly string[],
  { manifest, name, packages = {} }: { manifest: string; name: string; packages?: Record<string, string> },
): Promise<Bundles> {
  const output = join(cacheOf(manifest), name)
  const worker = join(import.meta.dirname, 'worker.ts')
  const options = optionsOf(output, packages)
  const broken = new Map<string, string>()
  const build = (entries: readonly string[]): Promise<unknown> =>
    esbuild.build({ ...options, entryPoints: [worker, ...entries] })
  try {
    await build(files)
  } catch {
    // The other files still run. Bundling each file separately shows which one is broken.
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
    // `svc/...` imports resolve to the sources, which must be loaded only once.
    alias: {
      'svc/plugin': join(root, 'core/contract/plugin.ts'),
      'svc/toolkit': join(root, 'core/toolkit/toolkit.ts'),
      'svc/testing': join(root, 'core/testing/index.ts'),
      ...packages,
    },
    sourcemap: 'external',
    sourcesContent: false,
    // Source maps are read only when an error needs them; Node would read all of them.
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

export async function removeBundles(): Promise<void> {
  await Promise.all([...caches].map(cache => rm(cache, { recursive: true, force: true })))
}

/** The module that a test file imports as `tap`; each file gets its own. */
const TAP = `import { currentTest } from './current.ts'; export default currentTest()`

/** `import.meta` has the path of the source file, not that of the chunk. */
async function loadInPlace({ path }: esbuild.OnLoadArgs): Promise<esbuild.OnLoadResult> {
  const text = await readFile(path, 'utf8')
  const contents = text
    .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
    .replaceAll('import.meta.filename', JSON.stringify(path))
    .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
  return { contents, loader: 'ts' }
}
