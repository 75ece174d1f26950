/** Reads mocks from `svc.yaml`, a folder, the command line, and the built-in sample. */
import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { parse } from 'yaml'
import { isRecord, unknownName } from 'svc/toolkit'
import { tooLargeMessage, type Bounds } from '../bounds.ts'
import { partsOf, type GivenParts } from '../definition/definition.ts'
import { own, type Json, type JsonObject } from '../document/json.ts'
import { GRAPH_ENDINGS, isGraphText } from '../graph/recognize.ts'
import { isMockName, nameFrom } from '../management/mock-name.ts'
import type { MockSource } from '../management/mock.ts'
import type { MockEntry } from '../management/section.ts'
import { bundle, type Bundle, type BundleOptions } from './bundle.ts'
import { PETSTORE } from './petstore.ts'

/** A mock as defined by its source. */
export interface SourceEntry {
  name: string
  source: MockSource
  /** Absolute path of the document; null if it is inline in `svc.yaml` or built in. */
  file: string | null
  text: string
  /** Why references to other files were left as they are. */
  problems: string[]
  given: GivenParts
  enabled: boolean
  /** Location in `svc.yaml`; null for other sources. */
  at: string | null
  /** Digest of the content, to detect changes. */
  digest: string
}

export interface SourceError {
  /** Undefined for `svc.yaml`. */
  file?: string
  at: string | null
  message: string
  /** How to fix it. */
  remedy?: string
}

export interface Sources {
  entries: SourceEntry[]
  errors: SourceError[]
}

export interface SourceOptions {
  /** The list in `svc.yaml`. */
  list: readonly MockEntry[]
  /** Documents from the command line. */
  served: readonly { name: string; spec: string }[]
  configFile: string | null
  dir: string | null
  sample: boolean
  workingDirectory: string
  bounds: Bounds
  /** Called for each file and folder before it is read, to reload when it changes. */
  watch(path: string): void
}

/** Reads all sources. For duplicate names, the first of `file`, `directory`, `cli`, `builtin` is used. */
export async function readSources(options: SourceOptions): Promise<Sources> {
  const found: Sources = { entries: [], errors: [] }
  for (const [index, entry] of options.list.entries()) await readListed(entry, `mocks[${index}]`, options, found)
  if (options.dir !== null) await readFolder(resolve(options.workingDirectory, options.dir), options, found)
  for (const { name, spec } of options.served)
    await readServed(name, resolve(options.workingDirectory, spec), options, found)
  if (options.sample && !found.entries.some(({ name }) => name === 'petstore'))
    found.entries.push(
      finish({
        name: 'petstore',
        source: 'builtin',
        file: null,
        text: JSON.stringify(PETSTORE, null, 2),
        problems: [],
        given: {},
        enabled: true,
        at: null,
      }),
    )
  return found
}

function finish(entry: Omit<SourceEntry, 'digest'>): SourceEntry {
  const digest = createHash('sha256')
    .update(JSON.stringify([entry.source, entry.file, entry.text, entry.given, entry.enabled]))
    .digest('hex')
  return { ...entry, digest }
}

function keep(entry: Omit<SourceEntry, 'digest'>, found: Sources): void {
  const taken = found.entries.find(({ name }) => name === entry.name)
  if (taken)
    found.errors.push({
      ...(entry.at === null && entry.file !== null ? { file: entry.file } : {}),
      at: entry.at,
      message: `the name "${entry.name}" is already used by a mock of the source "${taken.source}"`,
      remedy: 'choose another name',
    })
  else found.entries.push(finish(entry))
}

const ENTRY_KEYS = new Set(['name', 'spec', 'enabled', 'settings', 'rules', 'overrides'])

/** Maximum number of unknown keys reported per entry. */
const MAX_UNKNOWN_KEYS = 20

async function readListed(entry: MockEntry, at: string, options: SourceOptions, found: Sources): Promise<void> {
  const errors: SourceError[] = []
  // All errors of an entry are reported at once.
  const wrong = (message: string, member: string, remedy?: string): null => {
    errors.push({ at: at + member, message, remedy })
    return null
  }
  if (!isRecord(entry))
    return void found.errors.push({
      at,
      message: 'expected a mapping with the keys "name" and "spec"',
      remedy: 'write indented "key: value" lines',
    })
  for (const key of Object.keys(entry)
    .filter(name => !ENTRY_KEYS.has(name))
    .slice(0, MAX_UNKNOWN_KEYS)) {
    const { message, remedy } = unknownName('key', key.slice(0, 64), [...ENTRY_KEYS])
    wrong(message, memberOf(key), remedy)
  }
  const name = own(entry, 'name')
  if (typeof name !== 'string' || !isMockName(name))
    wrong(
      'expected a name of 1 to 64 characters of a-z, 0-9 and "-"; "reload" and "check" are reserved',
      '.name',
      'choose a valid name',
    )
  const enabled = own(entry, 'enabled') ?? true
  if (typeof enabled !== 'boolean') wrong('expected true or false', '.enabled', 'write true or false, without quotes')
  const document = await readSpec(own(entry, 'spec'), options, (message, remedy) => wrong(message, '.spec', remedy))
  if (errors.length > 0 || document === null) return void found.errors.push(...errors)
  keep(
    { name: name as string, source: 'file', given: partsOf(entry), enabled: enabled as boolean, at, ...document },
    found,
  )
}

/** The location of a key. Keys with special characters are omitted. */
function memberOf(key: string): string {
  return /^[\w-]{1,64}$/.test(key) ? `.${key}` : ''
}

/** Reads the document. Null if it is invalid; the error is reported. */
async function readSpec(
  spec: Json | undefined,
  options: SourceOptions,
  wrong: (message: string, remedy: string) => null,
): Promise<(Bundle & { file: string | null }) | null> {
  if (isRecord(spec)) return { file: null, text: JSON.stringify(spec), problems: [] }
  if (typeof spec !== 'string' || spec === '')
    return wrong('expected an OpenAPI document or a GraphQL schema, or the path of one', 'add "spec: ./document.yaml"')
  if (spec.includes('\n') && isGraphText(spec)) return { file: null, text: spec, problems: [] }
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(spec))
    return wrong('URLs are not supported; expected the path of a file', 'download the document and use its path')
  const file = isAbsolute(spec) ? spec : resolve(folderOf(options), spec)
  options.watch(file)
  const text = await readText(file, options.bounds)
  if ('error' in text) return wrong(text.error, 'correct the path, which is relative to svc.yaml')
  const whole = await bundle(file, text.text, filesBelow(folderOf(options), options))
  return { file, ...whole }
}

/** The folder of `svc.yaml`. */
function folderOf({ configFile, workingDirectory }: SourceOptions): string {
  return configFile === null ? workingDirectory : dirname(configFile)
}

function filesBelow(folder: string, { bounds, watch }: SourceOptions): BundleOptions {
  return { folder, bounds, watch }
}

async function readServed(name: string, file: string, options: SourceOptions, found: Sources): Promise<void> {
  options.watch(file)
  const text = await readText(file, options.bounds)
  if ('error' in text) return void found.errors.push({ file, at: null, message: text.error })
  const whole = await bundle(file, text.text, filesBelow(options.workingDirectory, options))
  keep({ name, source: 'cli', file, ...whole, given: {}, enabled: true, at: null }, found)
}

/**
 * Reads the files directly in the folder, except names that start with `.` or `_`. `<stem>.mock.yaml` belongs to its
 * document.
 */
async function readFolder(folder: string, options: SourceOptions, found: Sources): Promise<void> {
  options.watch(folder)
  const names = await readdir(folder).catch(() => null)
  if (names === null)
    return void found.errors.push({
      file: folder,
      at: null,
      message: "the folder that SVC_MOCKS_DIR names can't be read",
    })
  for (const fileName of names.sort()) {
    if (
      !(/\.(?:ya?ml|json)$/i.test(fileName) || GRAPH_ENDINGS.test(fileName)) ||
      /^[._]/.test(fileName) ||
      /\.mock\.ya?ml$/i.test(fileName)
    )
      continue
    const file = join(folder, fileName)
    if (!(await stat(file).catch(() => null))?.isFile()) continue
    const stem = fileName.replace(/\.[^.]+$/, '')
    const name = nameFrom(stem)
    if (!isMockName(name))
      found.errors.push({
        file,
        at: null,
        message: `can't derive a valid mock name from "${stem.slice(0, 80)}"; rename the file`,
      })
    else await readInFolder(file, { name, stem }, options, found)
  }
}

async function readInFolder(
  file: string,
  { name, stem }: { name: string; stem: string },
  options: SourceOptions,
  found: Sources,
): Promise<void> {
  const text = await readText(file, options.bounds)
  if ('error' in text) return void found.errors.push({ file, at: null, message: text.error })
  const whole = await bundle(file, text.text, filesBelow(dirname(file), options))
  const companion = await readCompanion(join(dirname(file), stem), options.bounds)
  if (companion.error) found.errors.push(companion.error)
  keep(
    {
      name,
      source: 'directory',
      file,
      ...whole,
      given: partsOf(companion.value),
      enabled: own(companion.value, 'enabled') !== false,
      at: null,
    },
    found,
  )
}

/** Reads settings, rules, overrides and `enabled` from the `.mock.yaml` file of a document. */
async function readCompanion(stem: string, bounds: Bounds): Promise<{ value: JsonObject; error?: SourceError }> {
  const file = `${stem}.mock.yaml`
  const text = await readText(file, bounds)
  if ('error' in text)
    return text.missing ? { value: {} } : { value: {}, error: { file, at: null, message: text.error } }
  try {
    const value = parse(text.text, { schema: 'core', maxAliasCount: 100 }) as Json
    if (value === null) return { value: {} }
    if (!isRecord(value))
      return {
        value: {},
        error: { file, at: null, message: 'expected a mapping with settings, rules, overrides or enabled' },
      }
    const unknown = Object.keys(value).find(key => !['settings', 'rules', 'overrides', 'enabled'].includes(key))
    return unknown === undefined
      ? { value }
      : {
          value,
          error: {
            file,
            at: null,
            message: `unknown key "${unknown.slice(0, 64)}" (known: settings, rules, overrides, enabled)`,
          },
        }
  } catch (error) {
    return { value: {}, error: { file, at: null, message: (error as Error).message.slice(0, 300) } }
  }
}

async function readText(file: string, bounds: Bounds): Promise<{ text: string } | { error: string; missing: boolean }> {
  try {
    const facts = await stat(file)
    if (!facts.isFile()) return { error: `${basename(file)} is not a file`, missing: false }
    if (facts.size > bounds.documentBytes)
      return { error: `${basename(file)} is too large: ${tooLargeMessage(bounds.documentBytes)}`, missing: false }
    return { text: await readFile(file, 'utf8') }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return { error: `${basename(file)} can't be read (${code ?? 'unknown error'})`, missing: code === 'ENOENT' }
  }
}
