/**
 * The folder with the recordings of an upstream: an index of the requests, and reading and writing of files. Files that
 * others add or remove are noticed with the next request.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, stat, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Upstream } from '../config/upstream.ts'
import { compare, type Comparison } from './closest.ts'
import { fileNameOf } from './file-name.ts'
import { parseHar, type HarExchange } from './har.ts'
import { InvalidRecording, parseRecording, parseRequest, printRecording, type RecordedResponse } from './recording.ts'
import { canonicalPath } from '../target-path.ts'
import {
  CONDITIONAL_HEADERS,
  keyOf,
  withVarying,
  type AskedRequest,
  type RecordingKey,
  type RequestShape,
} from './request-shape.ts'

export const MAX_FILES = 5000
export const MAX_FOLDER_BYTES = 256 * 1024 * 1024
/** Larger files are not read. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024
const MAX_RESPONSES = 1000
const HEAD_BYTES = 64 * 1024
/** Files up to this size, such as those written by hand, are checked completely when they are indexed. */
const WHOLE_BYTES = 16 * 1024
/** Longer bodies are not kept in the index. */
const INDEXED_CHARACTERS = 4096

/** A request in the index. */
interface Entry extends RecordingKey {
  /** Without a long body. */
  shape: RequestShape
}

interface IndexedFile {
  name: string
  bytes: number
  entries: Entry[]
}

export interface Found {
  /** Name of the file. */
  file: string
  key: string
  responses: RecordedResponse[]
  /** Whether the recorded request was not conditional: conditions of another one are evaluated on the response. */
  isUnconditional: boolean
}

export interface Closest extends Comparison {
  recording: string
  method: string
  path: string
}

export interface FolderReport {
  /** Called once for each file, or entry of a HAR file, that can't be used. */
  invalid(file: string, message: string): void
}

export class RecordingFolder {
  readonly #upstream: Upstream
  readonly #report: FolderReport
  readonly #files = new Map<string, IndexedFile>()
  readonly #invalid = new Set<string>()
  /** Modification time of the folder when it was read. */
  #readAt = -1
  #refreshing: Promise<void> | undefined
  /** The last HAR file that was used. */
  #har: { name: string; modifiedAt: number; exchanges: HarExchange[] } | undefined

  constructor(upstream: Upstream, report: FolderReport) {
    this.#upstream = upstream
    this.#report = report
  }

  get fileCount(): number {
    return this.#files.size
  }

  get bytes(): number {
    let bytes = 0
    for (const file of this.#files.values()) bytes += file.bytes
    return bytes
  }

  /** Whether another file fits. */
  get isFull(): boolean {
    return this.#files.size >= MAX_FILES || this.bytes >= MAX_FOLDER_BYTES
  }

  /** Reads what has changed in the folder. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#readFolder().finally(() => {
      this.#refreshing = undefined
    })
    return this.#refreshing
  }

  /** Whether a request with this method and normalized path is recorded, whatever its query and body. */
  async has(method: string, path: string): Promise<boolean> {
    await this.refresh()
    const canonical = canonicalPath(path)
    for (const { entries } of this.#files.values())
      if (entries.some(({ shape }) => shape.method === method && shape.path === canonical)) return true
    return false
  }

  /**
   * The recording of exactly this request. A conditional or partial request without one gets the recording of the same
   * request without conditions.
   */
  async find(asked: AskedRequest): Promise<Found | undefined> {
    await this.refresh()
    const { base, variant } = keyOf(this.#upstream, asked.shape)
    const conditions = CONDITIONAL_HEADERS.filter(name => variant[name] !== undefined)
    const candidates = [...this.#files.values()]
      .flatMap(file => file.entries.filter(entry => entry.base === base).map(entry => ({ file: file.name, entry })))
      .filter(({ entry }) => Object.entries(entry.variant).every(([name, value]) => asked.header(name) === value))
      .filter(({ entry }) => isUnconditional(entry) || conditions.every(name => entry.variant[name] !== undefined))
      .sort((a, b) => Object.keys(b.entry.variant).length - Object.keys(a.entry.variant).length)
    for (const { file, entry } of candidates) {
      const found = await this.#read(file, entry.key)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** The recording of the same method and path with the fewest differences. */
  async findNearest(asked: AskedRequest): Promise<Found | undefined> {
    const { shape } = asked
    const [nearest] = await this.#ranked(
      asked,
      1,
      entry => entry.shape.method === shape.method && entry.shape.path === shape.path,
    )
    return nearest && this.#read(nearest.file, nearest.entry.key)
  }

  /** The closest recordings, with their differences. */
  async closest(asked: AskedRequest, limit: number): Promise<Closest[]> {
    return (await this.#ranked(asked, limit, () => true)).map(({ file, entry, comparison }) => ({
      recording: file,
      method: entry.shape.method,
      path: entry.shape.path,
      ...comparison,
    }))
  }

  async #ranked({ shape, header }: AskedRequest, limit: number, where: (entry: Entry) => boolean) {
    await this.refresh()
    const indexed = indexedShape(shape)
    const askedLike = ({ variant }: Entry): RequestShape => {
      const values = Object.keys(variant).map(name => [name, header(name)] as const)
      const present = values.filter(([name, value]) => value !== '' || variant[name] === '')
      return { ...indexed, headers: { ...indexed.headers, ...Object.fromEntries(present) } }
    }
    return [...this.#files.values()]
      .flatMap(file => file.entries.filter(where).map(entry => ({ file: file.name, entry })))
      .map(({ file, entry }) => ({ file, entry, comparison: compare(this.#upstream, entry.shape, askedLike(entry)) }))
      .sort(
        (a, b) =>
          a.comparison.of - a.comparison.matched - (b.comparison.of - b.comparison.matched) ||
          b.comparison.matched - a.comparison.matched,
      )
      .slice(0, limit)
  }

  /**
   * Appends a response to the recording of a request. Returns false if a bound is reached. One call at a time: the file is
   * read, and replaced by a longer one.
   */
  async record(asked: AskedRequest, response: RecordedResponse): Promise<boolean> {
    await this.refresh()
    const { folder } = this.#upstream
    const shape = withVarying(this.#upstream, asked, response.headers.vary)
    const keys = keyOf(this.#upstream, shape)
    const { key } = keys
    const present = [...this.#files.values()].find(
      file => isYaml(file.name) && file.entries.some(entry => entry.key === key),
    )
    const before = present === undefined ? undefined : await this.#read(present.name, key)
    if (present === undefined ? this.isFull : (before?.responses.length ?? 0) >= MAX_RESPONSES) return false
    const name = before?.file ?? this.#freeName(shape, key)
    const text = printRecording({ version: 1, request: shape, responses: [...(before?.responses ?? []), response] })
    const bytes = Buffer.byteLength(text)
    if (bytes > MAX_FILE_BYTES || this.bytes - (present?.bytes ?? 0) + bytes > MAX_FOLDER_BYTES) return false
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const temporary = join(folder, `.${name}.${randomBytes(4).toString('hex')}.tmp`)
    try {
      await writeFile(temporary, text, { mode: 0o600 })
      await rename(temporary, join(folder, name))
    } catch (error) {
      await unlink(temporary).catch(() => {})
      throw error
    }
    this.#files.set(name, { name, bytes, entries: [{ ...keys, shape: indexedShape(shape) }] })
    return true
  }

  #freeName(shape: RequestShape, key: string): string {
    return fileNameOf(shape, key, name => this.#files.has(name) || this.#invalid.has(name))
  }

  async #readFolder(): Promise<void> {
    const { folder } = this.#upstream
    const modifiedAt = await stat(folder).then(
      facts => facts.mtimeMs,
      () => null,
    )
    if (modifiedAt === this.#readAt) return
    this.#readAt = modifiedAt ?? -1
    const items = modifiedAt === null ? [] : await readdir(folder, { withFileTypes: true })
    const names = items.filter(item => item.isFile() && isRecordingName(item.name)).map(({ name }) => name)
    for (const known of [...this.#files.keys(), ...this.#invalid])
      if (!names.includes(known)) {
        this.#files.delete(known)
        this.#invalid.delete(known)
      }
    for (const name of names.sort()) {
      if (this.#files.has(name) || this.#invalid.has(name)) continue
      if (this.#files.size >= MAX_FILES) break
      await this.#index(name)
    }
  }

  async #index(name: string): Promise<void> {
    try {
      const path = join(this.#upstream.folder, name)
      const { size } = await stat(path)
      if (size > MAX_FILE_BYTES) throw new InvalidRecording(`larger than ${MAX_FILE_BYTES} bytes`)
      const report = (message: string): void => this.#report.invalid(path, message)
      const shapes = isYaml(name)
        ? [await readHead(path, size)]
        : parseHar(await readFile(path, 'utf8'), this.#upstream, report).map(({ request }) => request)
      const entries = shapes.map(shape => ({ ...keyOf(this.#upstream, shape), shape: indexedShape(shape) }))
      this.#files.set(name, { name, bytes: size, entries })
    } catch (error) {
      this.#invalid.add(name)
      this.#report.invalid(join(this.#upstream.folder, name), describe(error))
    }
  }

  /** The responses of a key in a file; undefined if the file has changed, is gone or is invalid. */
  async #read(name: string, key: string): Promise<Found | undefined> {
    const path = join(this.#upstream.folder, name)
    try {
      if (!isYaml(name)) {
        const exchanges = await this.#readHar(name, path)
        const same = exchanges
          .map(({ request, response }) => ({ keys: keyOf(this.#upstream, request), response }))
          .filter(({ keys }) => keys.key === key)
        if (same.length === 0) return undefined
        const responses = same.map(({ response }) => response)
        return { file: name, key, responses, isUnconditional: isUnconditional(same[0]!.keys) }
      }
      const { request, responses } = parseRecording(await readFile(path, 'utf8'))
      const present = keyOf(this.#upstream, request)
      if (present.key === key) return { file: name, key, responses, isUnconditional: isUnconditional(present) }
      const file = this.#files.get(name)
      if (file !== undefined) file.entries = [{ ...present, shape: indexedShape(request) }]
    } catch (error) {
      this.#files.delete(name)
      this.#readAt = -1
      if (error instanceof InvalidRecording) {
        this.#invalid.add(name)
        this.#report.invalid(path, describe(error))
      }
    }
    return undefined
  }

  async #readHar(name: string, path: string): Promise<HarExchange[]> {
    const { mtimeMs: modifiedAt } = await stat(path)
    if (this.#har?.name !== name || this.#har.modifiedAt !== modifiedAt)
      this.#har = { name, modifiedAt, exchanges: parseHar(await readFile(path, 'utf8'), this.#upstream) }
    return this.#har.exchanges
  }
}

function isUnconditional({ variant }: RecordingKey): boolean {
  return CONDITIONAL_HEADERS.every(name => variant[name] === undefined)
}

function isYaml(name: string): boolean {
  return /\.ya?ml$/i.test(name)
}

/** Not names that begin with a dot, such as temporary files. */
function isRecordingName(name: string): boolean {
  return !name.startsWith('.') && (isYaml(name) || /\.har$/i.test(name)) && name !== 'fixtures.yaml'
}

/** Reads the request of a recording, without the responses of a large one if they come after it. */
async function readHead(path: string, size: number): Promise<RequestShape> {
  if (size <= WHOLE_BYTES) return parseRecording(await readFile(path, 'utf8')).request
  const handle = await open(path)
  try {
    const buffer = Buffer.alloc(Math.min(size, HEAD_BYTES))
    await handle.read(buffer, 0, buffer.length, 0)
    const head = buffer.toString('utf8')
    const end = head.search(/^responses:/m)
    if (end >= 0 && /^request:/m.test(head.slice(0, end))) return parseRequest(head.slice(0, end))
  } finally {
    await handle.close()
  }
  return parseRecording(await readFile(path, 'utf8')).request
}

/** Long bodies are compared by their key only. */
function indexedShape(shape: RequestShape): RequestShape {
  const { json, form, body, base64, ...head } = shape
  const own = { json, form, body, base64 }
  const text = JSON.stringify(own)
  if (text.length <= INDEXED_CHARACTERS) return shape
  return { ...head, body: `${text.slice(0, 100)}… (${text.length} characters)` }
}

function describe(error: unknown): string {
  if (error instanceof InvalidRecording) return error.message
  return `the file can't be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`
}
