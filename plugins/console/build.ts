/**
 * Bundles TypeScript and style sheets of `client/` into files with hashed names. In the npm package, `build.packed.ts`
 * replaces this file.
 */
import type { BuildFailure, BuildResult } from 'esbuild'
import type { Bundler } from 'svc/plugin'
import { basename, extname, join } from 'node:path'
import { makeAsset, type Asset } from './asset.ts'

/** The built client, in memory. */
export interface Client {
  /** By file name, as in the URL after `assets/`. */
  assets: ReadonlyMap<string, Asset>
  /** File name of the main script. */
  script: string
  /** File name of the script of the redirect page. */
  callback: string
  style: string
  icon: string
}

/** A built client with its source files, which packing needs. */
export interface BuiltClient extends Client {
  /** Source files, relative to `client/`. */
  inputs: string[]
}

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.map': 'application/json',
}

/**
 * Bundles `client/` of the plugin's folder. Throws an error with file, line and message of the first build error.
 * File names have a content hash, so the same sources give the same names.
 */
export async function buildClient(folder: string, bundler: Bundler): Promise<BuiltClient> {
  const sources = join(folder, 'client')
  const { outputFiles, metafile } = await bundle(sources, bundler)
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

async function bundle(sources: string, bundler: Bundler): Promise<BuildResult<{ write: false; metafile: true }>> {
  try {
    return await bundler.build({
      // Names and messages have paths relative to this folder, so that builds are reproducible anywhere.
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
      // Packages may be symbolic links; the file names must not depend on their targets.
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
