/** The documents of providers: uploaded files, and what batches read and write. */
import { createRecords, Pacer, type JsonObject, type RecordStore, type StoredRecord, type Svc } from 'svc/plugin'
import { heldBytes } from 'svc/toolkit'
import type { StoredBody } from '../contract/route.ts'
import type { Owner } from './owner.ts'

/** A document without its content. Plain data. */
export interface DocumentFacts {
  provider: string
  session: string
  /** What lists show together: `file`, or something that no list shows. */
  kind: string
  id: string
  name: string
  /** Media type. */
  type: string
  bytes: number
  /** Milliseconds since 1970. */
  createdAt: number
  expiresAt: number | null
  meta: JsonObject
}

export interface NewDocument {
  kind: string
  id: string
  name: string
  type: string
  /** Parts are joined; they are read once. */
  content: Buffer | readonly Buffer[] | StoredBody
  meta?: JsonObject
  /** Milliseconds; default: as long as documents live. */
  ttlMs?: number
}

/** Documents of all providers, bounded together. */
export interface Documents {
  /** Largest content in bytes. */
  readonly maxBytes: number
  /** Stores a new document. Resolves with undefined if it is too large. */
  create(owner: Owner, document: NewDocument): Promise<DocumentFacts | 'exists' | undefined>
  /** Stores a document unless its id exists. Resolves with what is stored, or undefined if it is too large. */
  put(owner: Owner, document: NewDocument): Promise<DocumentFacts | undefined>
  get(owner: Owner, kind: string, id: string): Promise<DocumentFacts | undefined>
  content(document: DocumentFacts): Promise<Buffer | undefined>
  /** The same in parts of a bounded size, which are made as they are read. */
  chunks(document: DocumentFacts): Promise<Iterable<Buffer> | undefined>
  /** In the order of their creation. */
  list(owner: Owner, kind: string): Promise<DocumentFacts[]>
  delete(document: DocumentFacts): Promise<void>
  clear(session: string | null): Promise<number>
}

const MIB = 1024 * 1024
const BOUNDS = {
  normal: { maxCount: 500, maxPerGroup: 500, maxBytes: 64 * MIB, each: 64 * MIB, ttlMs: 86_400_000 },
  public: { maxCount: 50, maxPerGroup: 5, maxBytes: 8 * MIB, each: 256 * 1024, ttlMs: 3_600_000 },
}
const MAX_NAME = 200
/** Of all documents without their contents: names are cut from request bodies, so they have to be copied. */
const FACTS_BYTES = 4 * MIB

/** A multiple of three, so that base64 has no padding in between. */
const CHUNK = 48 * 1024

export class DocumentStore implements Documents {
  readonly maxBytes: number
  readonly #facts: RecordStore<DocumentFacts>
  /** Base64, each part of `CHUNK` bytes, the last one of fewer. */
  readonly #contents: RecordStore<string[]>
  readonly #ttlMs: number

  constructor(svc: Svc<unknown>) {
    const { maxCount, maxPerGroup, maxBytes, each, ttlMs } = BOUNDS[svc.config.publicMode ? 'public' : 'normal']
    this.maxBytes = each
    this.#ttlMs = ttlMs
    const common = { maxCount, maxPerGroup, ttlMs }
    this.#facts = createRecords(
      svc,
      svc.state<StoredRecord<DocumentFacts>>('documents', { ...common, maxBytes: FACTS_BYTES, schema: 2 }),
    )
    this.#contents = createRecords(
      svc,
      svc.state<StoredRecord<string[]>>('document-contents', {
        ...common,
        maxBytes,
        schema: 3,
        sizeOf: ({ scope, session, value }) =>
          value.reduce((sum, chunk) => sum + heldBytes(chunk), heldBytes(scope) + heldBytes(session)),
      }),
    )
  }

  async put(owner: Owner, document: NewDocument): Promise<DocumentFacts | undefined> {
    const created = await this.create(owner, document)
    return created === 'exists' ? this.get(owner, document.kind, document.id) : created
  }

  async create({ provider, session }: Owner, document: NewDocument): Promise<DocumentFacts | 'exists' | undefined> {
    const { content, ttlMs, meta = {}, ...given } = document
    const { bytes, chunks: parts } = partsOf(content)
    if (bytes > this.maxBytes) return undefined
    const now = Date.now()
    const facts: DocumentFacts = {
      provider,
      session,
      ...given,
      name: given.name.slice(0, MAX_NAME),
      type: given.type.slice(0, MAX_NAME),
      bytes,
      createdAt: now,
      expiresAt: ttlMs === undefined ? null : now + ttlMs,
      meta,
    }
    const id = idOf(facts)
    const options = { ttlMs: Math.min(ttlMs ?? this.#ttlMs, this.#ttlMs) }
    const chunks: string[] = []
    const pacer = new Pacer()
    for (const chunk of encoded(parts)) {
      chunks.push(chunk)
      if (pacer.isDue) await pacer.pause()
    }
    if (!(await this.#contents.of(provider, session).add(id, chunks, options))) return 'exists'
    await this.#facts.of(provider, session).put(id, facts, options)
    return facts
  }

  get({ provider, session }: Owner, kind: string, id: string): Promise<DocumentFacts | undefined> {
    return this.#facts.of(provider, session).peek(idOf({ kind, id }))
  }

  async content(document: DocumentFacts): Promise<Buffer | undefined> {
    const chunks = await this.chunks(document)
    return chunks && Buffer.concat([...chunks])
  }

  async chunks(document: DocumentFacts): Promise<Iterable<Buffer> | undefined> {
    const { provider, session } = document
    const chunks = await this.#contents.of(provider, session).peek(idOf(document))
    return chunks && decoded(chunks)
  }

  async list({ provider, session }: Owner, kind: string): Promise<DocumentFacts[]> {
    const found = await this.#facts.of(provider, session).list()
    return found.map(({ value }) => value).filter(document => document.kind === kind)
  }

  async delete(document: DocumentFacts): Promise<void> {
    const { provider, session } = document
    await this.#facts.of(provider, session).delete(idOf(document))
    await this.#contents.of(provider, session).delete(idOf(document))
  }

  async clear(session: string | null): Promise<number> {
    await this.#contents.clear(session)
    return this.#facts.clear(session)
  }

  /** Memory of the contents. */
  bytes(): Promise<number> {
    return this.#contents.bytes()
  }
}

/** Documents of different kinds may have the same id. */
function idOf({ kind, id }: Pick<DocumentFacts, 'kind' | 'id'>): string {
  return `${kind} ${id}`
}

function partsOf(content: NewDocument['content']): StoredBody {
  if (Buffer.isBuffer(content)) return { bytes: content.length, chunks: [content] }
  if ('chunks' in content) return content
  return { bytes: content.reduce((sum, part) => sum + part.length, 0), chunks: content }
}

function* encoded(parts: Iterable<Buffer>): Iterable<string> {
  const chunk = Buffer.allocUnsafe(CHUNK)
  let filled = 0
  for (const part of parts)
    for (let start = 0; start < part.length; ) {
      const copied = part.copy(chunk, filled, start)
      start += copied
      filled += copied
      if (filled < CHUNK) continue
      yield chunk.toString('base64')
      filled = 0
    }
  if (filled > 0) yield chunk.toString('base64', 0, filled)
}

function* decoded(chunks: readonly string[]): Iterable<Buffer> {
  for (const chunk of chunks) yield Buffer.from(chunk, 'base64')
}
