/**
 * Owns the bundle of the page's client: TypeScript and style sheets of `client/` become files with hashed names. In a packed
 * product `build.packed.ts` takes the place of this file.
 */
import type { BuildFailure, BuildResult } from 'esbuild'
import { createRequire } from 'node:module'
import { basename, extname, join } from 'node:path'
import { makeAsset, type Asset } from './asset.ts'

/** What the server serves, all of it in memory. */
export interface Client {
  /** By file name, as it stands in the URL after `assets/`. */
  assets: ReadonlyMap<string, Asset>
  /** Names of the files that the page itself names. */
  script: string
  /** Of the page that an authorization server leads back to. */
  callback: string
  style: string
  icon: string
}

/** What else packing asks for. */
export interface BuiltClient extends Client {
  /** Files that went into it, relative to `client/`. */
  inputs: string[]
}

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.map': 'application/json',
}

/**
 * Bundles `client/` of the plugin's folder. Throws with file, line and message of the first error.
 * The same sources give the same names: they hold a hash of the content.
 */
export async function buildClient(folder: string): Promise<BuiltClient> {
  const sources = join(folder, 'client')
  const { outputFiles, metafile } = await bundle(sources)
  const assets = new Map(
    outputFiles.map(({ path, contents }) => [
      basename(path),
      makeAsset(TYPES[extname(path)] ?? 'application/octet-stream', Buffer.from(contents)),
    ]),
  )

  function nameOf(source: string): string {
    const found = Object.entries(metafile.outputs).find(([, output]) => output.entryPoint === source)
    if (found === undefined) throw new Error(`the bundle has no file for ${source}`)
    return basename(found[0])
  }
  return {
    assets,
    script: nameOf('main.tsx'),
    callback: nameOf('callback.ts'),
    style: nameOf('styles/index.css'),
    icon: nameOfIcon(assets),
    inputs: Object.keys(metafile.inputs),
  }
}

async function bundle(sources: string): Promise<BuildResult<{ write: false; metafile: true }>> {
  const esbuild = createRequire(import.meta.url)('esbuild') as typeof import('esbuild')
  try {
    return await esbuild.build({
      // Paths relative to here go into names and messages, so that a build is the same wherever it runs.
      absWorkingDir: sources,
      entryPoints: ['main.tsx', 'callback.ts', 'styles/index.css', 'icon.svg'],
      bundle: true,
      splitting: true,
      format: 'esm',
      minify: true,
      target: 'es2022',
      jsx: 'automatic',
      jsxImportSource: 'preact',
      tsconfigRaw: '{}',
      loader: { '.svg': 'copy' },
      entryNames: '[name]-[hash]',
      chunkNames: '[name]-[hash]',
      assetNames: '[name]-[hash]',
      sourcemap: process.env.NODE_ENV === 'production' ? false : 'linked',
      // Packages may be reached through a link; the name must not depend on where it leads.
      preserveSymlinks: true,
      legalComments: 'none',
      outdir: 'assets',
      metafile: true,
      write: false,
      logLevel: 'silent',
    })
  } catch (error) {
    const [first] = (error as BuildFailure).errors ?? []
    if (first === undefined) throw error
    const where =
      first.location === null ? '' : `client/${first.location.file}:${first.location.line}:${first.location.column}: `
    throw new Error(`${where}${first.text}`, { cause: error })
  }
}

function nameOfIcon(assets: ReadonlyMap<string, Asset>): string {
  return [...assets.keys()].find(name => name.endsWith('.svg'))!
}
