/** The documents of providers: uploaded files, and what batches read and write. */
import type { JsonObject, Store, Svc } from 'svc/plugin'
import { ownedKeys, type OwnedKeys, type Owner } from './owner.ts'

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
  content: Buffer
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

interface Content {
  session: string
  base64: string
}

export class DocumentStore implements Documents {
  readonly maxBytes: number
  readonly #facts: Store<DocumentFacts>
  readonly #contents: Store<Content>
  readonly #isPublic: boolean
  readonly #keyOf: OwnedKeys
  readonly #ttlMs: number

  constructor(svc: Svc<unknown>) {
    this.#isPublic = svc.config.publicMode
    this.#keyOf = ownedKeys(this.#isPublic)
    const { maxCount, maxPerGroup, maxBytes, each, ttlMs } = BOUNDS[this.#isPublic ? 'public' : 'normal']
    this.maxBytes = each
    this.#ttlMs = ttlMs
    this.#facts = svc.state<DocumentFacts>('documents', { maxCount, maxPerGroup, ttlMs, maxBytes: FACTS_BYTES })
    this.#contents = svc.state<Content>('document-contents', { maxCount, maxPerGroup, maxBytes, ttlMs })
  }

  async put(owner: Owner, document: NewDocument): Promise<DocumentFacts | undefined> {
    const created = await this.create(owner, document)
    return created === 'exists' ? this.get(owner, document.kind, document.id) : created
  }

  async create({ provider, session }: Owner, document: NewDocument): Promise<DocumentFacts | 'exists' | undefined> {
    const { content, ttlMs, meta = {}, ...given } = document
    if (content.length > this.maxBytes) return undefined
    const now = Date.now()
    const facts: DocumentFacts = {
      provider,
      session,
      ...given,
      name: given.name.slice(0, MAX_NAME),
      type: given.type.slice(0, MAX_NAME),
      bytes: content.length,
      createdAt: now,
      expiresAt: ttlMs === undefined ? null : now + ttlMs,
      meta,
    }
    const key = this.#key(facts)
    const options = { group: session, ttlMs: Math.min(ttlMs ?? this.#ttlMs, this.#ttlMs) }
    if (!(await this.#contents.add(key, { session, base64: content.toString('base64') }, options))) return 'exists'
    await this.#facts.set(key, facts, options)
    return facts
  }

  async get({ provider, session }: Owner, kind: string, id: string): Promise<DocumentFacts | undefined> {
    const found = await this.#facts.peek(this.#key({ provider, session, kind, id }))
    return found !== undefined && (!this.#isPublic || found.session === session) ? found : undefined
  }

  async content(document: DocumentFacts): Promise<Buffer | undefined> {
    const found = await this.#contents.peek(this.#key(document))
    return found && Buffer.from(found.base64, 'base64')
  }

  async list({ provider, session }: Owner, kind: string): Promise<DocumentFacts[]> {
    const found = await this.#facts.list({
      where: document =>
        document.provider === provider && document.kind === kind && (!this.#isPublic || document.session === session),
    })
    return found.map(({ value }) => value)
  }

  async delete(document: DocumentFacts): Promise<void> {
    await this.#facts.delete(this.#key(document))
    await this.#contents.delete(this.#key(document))
  }

  async clear(session: string | null): Promise<number> {
    const where = (value: { session: string }): boolean => session === null || value.session === session
    await this.#contents.clear(where)
    return this.#facts.clear(where)
  }

  #key({ provider, session, kind, id }: Pick<DocumentFacts, 'provider' | 'session' | 'kind' | 'id'>): string {
    return this.#keyOf({ provider, session }, `${kind} ${id}`)
  }

  /** Memory of the contents. */
  bytes(): Promise<number> {
    return this.#contents.bytes()
  }
}
