/**
 * The folder with the recordings of an upstream: an index of the requests, and reading and writing of files. Files that
 * others add or remove are noticed with the next request.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, stat, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Upstream } from '../config/upstream.ts'
import { compare } from './closest.ts'
import type { Comparison } from './closest.ts'
import { parseHar } from './har.ts'
import type { HarExchange } from './har.ts'
import { InvalidRecording, parseRecording, parseRequest, printRecording } from './recording.ts'
import type { RecordedResponse } from './recording.ts'
import { canonicalPath } from '../target-path.ts'
import { keyOf } from './request-shape.ts'
import type { RequestShape } from './request-shape.ts'

export const MAX_FILES = 5000
export const MAX_FOLDER_BYTES = 256 * 1024 * 1024
/** Larger files are not read. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024
const MAX_RESPONSES = 1000
const HEAD_BYTES = 64 * 1024
/** Longer bodies are not kept in the index. */
const INDEXED_CHARACTERS = 4096

/** A request in the index. */
interface Entry {
  key: string
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
}

export interface Closest extends Comparison {
  recording: string
  method: string
  path: string
}

export interface FolderReport {
  /** Called once for each file that can't be used. */
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

  /** The recording of exactly this request. */
  async find(shape: RequestShape): Promise<Found | undefined> {
    await this.refresh()
    const key = keyOf(this.#upstream, shape)
    for (const file of this.#files.values())
      if (file.entries.some(entry => entry.key === key)) {
        const found = await this.#read(file.name, key)
        if (found !== undefined) return found
      }
    return undefined
  }

  /** The recording of the same method and path with the fewest differences. */
  async findNearest(shape: RequestShape): Promise<Found | undefined> {
    const [nearest] = await this.#ranked(
      shape,
      1,
      entry => entry.shape.method === shape.method && entry.shape.path === shape.path,
    )
    return nearest && this.#read(nearest.file, nearest.entry.key)
  }

  /** The closest recordings, with their differences. */
  async closest(shape: RequestShape, limit: number): Promise<Closest[]> {
    return (await this.#ranked(shape, limit, () => true)).map(({ file, entry, comparison }) => ({
      recording: file,
      method: entry.shape.method,
      path: entry.shape.path,
      ...comparison,
    }))
  }

  async #ranked(shape: RequestShape, limit: number, where: (entry: Entry) => boolean) {
    await this.refresh()
    const indexed = indexedShape(shape)
    return [...this.#files.values()]
      .flatMap(file => file.entries.filter(where).map(entry => ({ file: file.name, entry })))
      .map(({ file, entry }) => ({ file, entry, comparison: compare(this.#upstream, entry.shape, indexed) }))
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
  async record(shape: RequestShape, response: RecordedResponse): Promise<boolean> {
    await this.refresh()
    const { folder } = this.#upstream
    const key = keyOf(this.#upstream, shape)
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
    this.#files.set(name, { name, bytes, entries: [{ key, shape: indexedShape(shape) }] })
    return true
  }

  /** `<METHOD>_<path>_<8 hex digits>.yaml`; with a number if another request has the name. */
  #freeName(shape: RequestShape, key: string): string {
    const method = shape.method.replaceAll(/[^A-Za-z0-9-]/g, '-').slice(0, 32)
    const slug = shape.path
      .replaceAll(/[^A-Za-z0-9]{1,2000}/g, '-')
      .replaceAll(/^-|-$/g, '')
      .slice(0, 60)
    const stem = `${method}_${slug === '' ? 'root' : slug}_${key.slice(0, 8)}`
    let name = `${stem}.yaml`
    for (let number = 2; this.#files.has(name) || this.#invalid.has(name); number++) name = `${stem}-${number}.yaml`
    return name
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
      const shapes = isYaml(name)
        ? [await readHead(path, size)]
        : parseHar(await readFile(path, 'utf8'), this.#upstream).map(({ request }) => request)
      const entries = shapes.map(shape => ({ key: keyOf(this.#upstream, shape), shape: indexedShape(shape) }))
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
        const responses = exchanges
          .filter(({ request }) => keyOf(this.#upstream, request) === key)
          .map(({ response }) => response)
        return responses.length === 0 ? undefined : { file: name, key, responses }
      }
      const { request, responses } = parseRecording(await readFile(path, 'utf8'))
      const present = keyOf(this.#upstream, request)
      if (present === key) return { file: name, key, responses }
      const file = this.#files.get(name)
      if (file !== undefined) file.entries = [{ key: present, shape: indexedShape(request) }]
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

function isYaml(name: string): boolean {
  return /\.ya?ml$/i.test(name)
}

/** Not names that begin with a dot, such as temporary files. */
function isRecordingName(name: string): boolean {
  return !name.startsWith('.') && (isYaml(name) || /\.har$/i.test(name)) && name !== 'fixtures.yaml'
}

/** Reads the request of a recording, without its responses if they come after it. */
async function readHead(path: string, size: number): Promise<RequestShape> {
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
