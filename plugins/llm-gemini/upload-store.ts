/** Uploads that have begun. */
import { createRecords, type RecordStore, type StoredRecord, type Svc } from 'svc/plugin'
import { copyText, heldBytes } from 'svc/toolkit'
import type { RouteInput, StoredBody } from '../llm/types.ts'

export interface UploadedFile {
  name: string
  displayName: string | null
  type: string
}

interface Upload {
  session: string
  file: UploadedFile
  /** Base64 of what each request has sent. */
  parts: string[]
  bytes: number
}

/** An upload with what it has so far. */
export interface Received {
  session: string
  file: UploadedFile
  content: StoredBody
}

const MIB = 1024 * 1024
/** Bytes of a part in a list. */
const POINTER = 8
const LIFETIME_MS = 3_600_000
const BOUNDS = { normal: { maxCount: 50, maxBytes: 64 * MIB }, public: { maxCount: 5, maxBytes: 8 * MIB } }

export class UploadStore {
  readonly #uploads: RecordStore<Upload>

  constructor(svc: Svc) {
    const bounds = BOUNDS[svc.config.publicMode ? 'public' : 'normal']
    const store = svc.state<StoredRecord<Upload>>('resumable-uploads', {
      ...bounds,
      ttlMs: LIFETIME_MS,
      schema: 3,
      // Parts are not copied for each part that follows.
      sizeOf: ({ scope, session, value: { file, parts } }) =>
        parts.reduce(
          (sum, part) => sum + POINTER + heldBytes(part),
          heldBytes(scope) + heldBytes(session) + 2 * JSON.stringify(file).length,
        ),
    })
    // Clients send the parts without the headers of their other requests.
    this.#uploads = createRecords(svc, store, { access: 'id' })
  }

  async begin({ provider, session }: RouteInput, id: string, file: UploadedFile): Promise<void> {
    const { name, displayName, type } = file
    const kept: Upload = {
      session: copyText(session),
      file: { name: copyText(name), displayName: displayName && copyText(displayName), type: copyText(type) },
      parts: [],
      bytes: 0,
    }
    await this.#uploads.of(provider, session).put(id, kept)
  }

  /**
   * Appends what is sent at the offset. The id is known only to the client that began the upload, in whose session the
   * file belongs.
   */
  async append(
    { provider, session }: RouteInput,
    id: string,
    offset: number,
    content: Buffer,
  ): Promise<Received | 'unknown' | 'wrong offset'> {
    const part = content.length === 0 ? [] : [content.toString('base64')]
    const sum = offset + content.length
    let isAppended = false
    const after = await this.#uploads.of(provider, session).change(id, found => {
      isAppended = found.bytes === offset
      return isAppended ? { ...found, parts: [...found.parts, ...part], bytes: sum } : found
    })
    if (after === undefined) return 'unknown'
    if (!isAppended) return 'wrong offset'
    return { session: after.session, file: after.file, content: { bytes: sum, chunks: decoded(after.parts) } }
  }

  async end({ provider, session }: RouteInput, id: string): Promise<void> {
    await this.#uploads.of(provider, session).delete(id)
  }

  clear(session: string | null): Promise<number> {
    return this.#uploads.clear(session)
  }

  bytes(): Promise<number> {
    return this.#uploads.bytes()
  }
}

/** It can be read more than once. */
function decoded(parts: readonly string[]): Iterable<Buffer> {
  return {
    *[Symbol.iterator]() {
      for (const part of parts) yield Buffer.from(part, 'base64')
    },
  }
}
