/** The files below `/docs/`, each with a strong entity tag and a hash for the elements that load it. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { locateSwaggerUi } from './locate-swagger-ui.ts'
import { SWAGGER_UI_FILES } from './swagger-ui-files.ts'

export interface DocsFile {
  /** Media type with parameters. */
  type: string
  bytes: Buffer
  /** Strong entity tag, with its quotes. */
  etag: string
  /** For the `integrity` of an element that loads it (Subresource Integrity). */
  integrity: string
}

/** Media types by file name. */
const TYPES = new Map(Object.entries({ 'docs.js': 'text/javascript; charset=utf-8', ...SWAGGER_UI_FILES }))

/** Names of all files. */
export const FILE_NAMES: readonly string[] = [...TYPES.keys()]

/** Returns a function that reads a file once; undefined if there is no such file. `folder` is the folder of the plugin. */
export function createFiles(folder: string): (name: string) => Promise<DocsFile> | undefined {
  const files = new Map<string, Promise<DocsFile>>()
  return name => {
    const type = TYPES.get(name)
    if (type === undefined) return undefined
    let file = files.get(name)
    if (file === undefined) {
      file = read(name === 'docs.js' ? join(folder, 'assets', name) : locateSwaggerUi(folder, name), type)
      files.set(name, file)
      file.catch(() => files.delete(name))
    }
    return file
  }
}

async function read(path: string, type: string): Promise<DocsFile> {
  const bytes = await readFile(path)
  const hash = createHash('sha256').update(bytes).digest()
  return {
    type,
    bytes,
    etag: `"${hash.toString('base64url').slice(0, 22)}"`,
    integrity: `sha256-${hash.toString('base64')}`,
  }
}
