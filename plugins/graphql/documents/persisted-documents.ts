/** Persisted documents: operations that clients name by their id, of a file and of the control plane. */
import { createHash } from 'node:crypto'
import { Kind, parse } from 'graphql'
import { StateUnavailable, type Replicated, type Store, type StoreBounds, type Svc } from 'svc/plugin'
import { persistedDocumentNotFound, persistedDocumentRequired } from '../errors.ts'
import type { DocumentMode } from '../options.ts'

/** Texts by their SHA-256. */
export const documentBounds: StoreBounds<string> = {
  maxCount: 2000,
  maxBytes: 40 * 1024 * 1024,
  evict: 'oldest',
  immutable: true,
}

const SHA256_ID = /^sha256:([\da-f]{64})$/i
/** Longer documents are not those with which composers ask for the SDL. */
const MAX_SERVICE_CHARACTERS = 1000

/** Digests by id. */
type Index = Record<string, string>

/** A document as the control plane lists it. */
export interface ListedDocument {
  id: string
  sha256: string
  source: 'file' | 'api'
}

export class PersistedDocuments {
  readonly mode: DocumentMode
  /** Of the file: texts by digest, digests by id. */
  readonly #file: { texts: Map<string, string>; index: Index }
  readonly #texts: Store<string>
  readonly #uploaded: Replicated<Index>
  /** Digests of the uploaded ones, of the index for which they were collected. */
  #digests: { of: Index; all: Set<string> } | null = null

  /** `file`: the documents of the file, by id. */
  constructor(
    svc: Pick<Svc, 'state' | 'replicated'>,
    { mode, file }: { mode: DocumentMode; file: ReadonlyMap<string, string> },
  ) {
    this.mode = mode
    this.#texts = svc.state('documents', documentBounds)
    this.#uploaded = svc.replicated<Index>('document-index', { initial: () => ({}) })
    this.#file = indexed(file)
  }

  /** The text of a document by its id or digest (`sha256:…`). Throws a GraphQLError if it is not known. */
  async text(id: string): Promise<string> {
    const text = await this.find(id)
    if (text === undefined) throw persistedDocumentNotFound(id)
    return text
  }

  /** The same; undefined if it is not known. */
  async find(id: string): Promise<string | undefined> {
    const digest = this.mode === 'off' ? undefined : this.#digestOf(id)
    return digest === undefined ? undefined : (this.#file.texts.get(digest) ?? this.#stored(digest))
  }

  /** Throws a GraphQLError if only persisted documents may run, and this is another one. Queries for the SDL of subgraphs may run. */
  check(text: string): void {
    if (this.mode !== 'only') return
    const digest = digestOf(text)
    if (!this.#file.texts.has(digest) && !this.#uploadedDigests().has(digest) && !isServiceQuery(text))
      throw persistedDocumentRequired()
  }

  /** Those of the file first. */
  list(): ListedDocument[] {
    const listed = (index: Index, source: ListedDocument['source']): ListedDocument[] =>
      Object.entries(index).map(([id, sha256]) => ({ id, sha256, source }))
    return [...listed(this.#file.index, 'file'), ...listed(this.#uploaded.current, 'api')]
  }

  /** Replaces the uploaded documents. */
  async replace(documents: ReadonlyMap<string, string>): Promise<void> {
    const { texts, index } = indexed(documents)
    for (const [digest, text] of texts) await this.#texts.set(digest, text)
    await this.#uploaded.update(() => index)
    await this.#texts.clear((_text, digest) => !texts.has(digest))
  }

  #digestOf(id: string): string | undefined {
    const [, digest] = SHA256_ID.exec(id) ?? []
    if (digest !== undefined) {
      const lower = digest.toLowerCase()
      return this.#file.texts.has(lower) || this.#uploadedDigests().has(lower) ? lower : undefined
    }
    for (const index of [this.#uploaded.current, this.#file.index]) if (Object.hasOwn(index, id)) return index[id]
    return undefined
  }

  #uploadedDigests(): Set<string> {
    const { current } = this.#uploaded
    if (this.#digests?.of !== current) this.#digests = { of: current, all: new Set(Object.values(current)) }
    return this.#digests.all
  }

  /** While the state store is unavailable, uploaded documents are not found. */
  #stored(digest: string): Promise<string | undefined> {
    return this.#texts.get(digest).catch((error: unknown) => {
      if (!(error instanceof StateUnavailable)) throw error
      return undefined
    })
  }
}

function indexed(documents: ReadonlyMap<string, string>): { texts: Map<string, string>; index: Index } {
  const entries = [...documents].map(([id, text]) => ({ id, text, digest: digestOf(text) }))
  return {
    texts: new Map(entries.map(({ digest, text }) => [digest, text])),
    // An id such as __proto__ is one like any other.
    index: Object.fromEntries(entries.map(({ id, digest }) => [id, digest])),
  }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Whether a document asks for `_service` alone, as composers do. */
function isServiceQuery(text: string): boolean {
  if (text.length > MAX_SERVICE_CHARACTERS) return false
  try {
    const { definitions } = parse(text, { noLocation: true })
    return definitions.every(
      definition =>
        definition.kind === Kind.OPERATION_DEFINITION &&
        definition.selectionSet.selections.every(
          selection => selection.kind === Kind.FIELD && selection.name.value === '_service',
        ),
    )
  } catch {
    return false
  }
}
