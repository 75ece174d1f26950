/** Finds and reads `svc.yaml`: the section of the host, the sections of the plugins, and the position of each item. */
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import type { LoadError } from '../contract/plugin.ts'
import { isRecord } from '../contract/record.ts'
import { applySchema, type ValidatorCache } from './options.ts'
import { parseYaml, YamlProblem, type ItemPath, type Position, type YamlDocument } from './yaml-document.ts'

/** Maximum file size in bytes. */
const MAX_FILE_BYTES = 1024 * 1024

/** The section `plugins`, which belongs to the host. */
export interface PluginsSection {
  /** If not empty, only these plugins run, plus those they depend on. */
  enable: string[]
  /** Takes precedence over `enable`. */
  disable: string[]
  /** Absolute paths. */
  dirs: string[]
  packages: string[]
}

/** The content of a file; empty without a file. */
export interface SvcYaml {
  /** Absolute path; null without a file. */
  file: string | null
  /** All top-level keys except `plugins`; an object without a prototype. */
  sections: Record<string, unknown>
  plugins: PluginsSection
  /** Items of `plugins` that were removed, and other problems that do not stop the load. */
  errors: LoadError[]
  /** The position of an item, or of the nearest item around it; null if its section does not exist. */
  locate(path: ItemPath): Position | null
}

/**
 * `text` is what was read. Later changes are detected against it, not against what the file contains a moment later.
 */
export type SvcYamlResult = { ok: true; document: SvcYaml; text: string } | { ok: false; error: LoadError }

/**
 * The absolute path of the file to read: `--config`, else `SVC_CONFIG_FILE`, else `./svc.yaml` if it exists. A file
 * named explicitly may be missing; reading it is then an error.
 */
export function findConfigFile(from: {
  argument?: string | null
  variable?: string | null
  cwd: string
}): string | null {
  const named = from.argument ?? from.variable
  if (named != null) return resolve(from.cwd, named)
  const usual = resolve(from.cwd, 'svc.yaml')
  return existsSync(usual) ? usual : null
}

export interface ReadOptions {
  publicMode: boolean
  /** Compiled schemas, for files that are read again. */
  schemas?: ValidatorCache | undefined
}

/**
 * Reads a file (null: no file). Fails as a whole if the file cannot be read, is not valid YAML, or is not a mapping at
 * the top level.
 */
export function readSvcYaml(path: string | null, { publicMode, schemas }: ReadOptions): SvcYamlResult {
  const shownFile = path === null ? null : publicMode ? basename(path) : path
  try {
    const text = path === null ? '' : readBounded(path)
    return { ok: true, document: readSections(parseYaml(text), { path, shownFile, schemas }), text }
  } catch (error) {
    const position = error instanceof YamlProblem ? error.position : null
    return {
      ok: false,
      error: { file: shownFile, at: null, message: reasonOf(error), ...placed(position), remedy: remedyOf(error) },
    }
  }
}

/** A position in the form used by load errors. */
export function placed(position: Position | null): { line: number | null; column?: number } {
  return position ?? { line: null }
}

/** Reads at most the bound, whatever size the file claims to have. Pipes and devices could block. */
function readBounded(path: string): string {
  const file = openSync(path, 'r')
  try {
    if (!fstatSync(file).isFile()) throw new YamlProblem('not a regular file', null)
    const buffer = Buffer.alloc(MAX_FILE_BYTES + 1)
    let length = 0
    for (let read = -1; read !== 0 && length < buffer.length; length += read)
      read = readSync(file, buffer, length, buffer.length - length, null)
    if (length > MAX_FILE_BYTES) throw new YamlProblem(`larger than ${MAX_FILE_BYTES} bytes`, null)
    return new TextDecoder('utf-8', { fatal: true }).decode(buffer.subarray(0, length))
  } finally {
    closeSync(file)
  }
}

/** One sentence without the path, which public instances do not show. */
function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (error instanceof YamlProblem) return message
  if (code === 'ENOENT') return 'the file does not exist'
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return 'not UTF-8 text'
  return `the file cannot be read (${code ?? message})`
}

function remedyOf(error: unknown): string {
  if (error instanceof YamlProblem) return 'fix the file; until then none of it is used'
  return (error as NodeJS.ErrnoException).code === 'ENOENT'
    ? 'create it, or pass another file with --config'
    : 'make it a readable text file'
}

interface Source {
  path: string | null
  shownFile: string | null
  schemas: ValidatorCache | undefined
}

function readSections(document: YamlDocument, { path, shownFile, schemas }: Source): SvcYaml {
  const top = document.value ?? {}
  if (!isRecord(top)) throw new YamlProblem('expected a mapping at the top', { line: 1, column: 1 })
  const sections: Record<string, unknown> = Object.assign(Object.create(null), top)
  const errors: LoadError[] = document.warnings.map(warning => ({ file: shownFile, at: null, ...warning }))
  const checked = applySchema(pluginsSchema, sections.plugins ?? {}, 'plugins', {
    cache: schemas,
    isTrusted: true,
  })
  delete sections.plugins
  errors.push(
    ...checked.errors.map(({ at, path: place, message, remedy }) => ({
      file: shownFile,
      at,
      message,
      ...placed(document.locate(['plugins', ...place])),
      remedy,
    })),
  )
  const plugins = checked.value as PluginsSection
  const dirs = plugins.dirs.map(dir => resolve(dirname(path ?? '.'), dir))
  return { file: path, sections, plugins: { ...plugins, dirs }, errors, locate: document.locate }
}

const names = {
  type: 'array',
  default: [],
  maxItems: 1000,
  items: { type: 'string', pattern: '^[a-z][a-z0-9-]{0,39}$' },
}
const texts = { type: 'array', default: [], maxItems: 1000, items: { type: 'string', minLength: 1, maxLength: 4096 } }
/** JSON Schema (2020-12) of the section `plugins`. */
export const pluginsSchema = {
  type: 'object',
  additionalProperties: false,
  properties: { enable: names, disable: names, dirs: texts, packages: texts },
}
