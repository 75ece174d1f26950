/** Uploads that have begun. */
import type { Store, Svc } from 'svc/plugin'
import type { RouteInput } from '../llm/types.ts'

export interface UploadedFile {
  name: string
  displayName: string | null
  type: string
}

interface Upload {
  session: string
  file: UploadedFile
  base64: string
  bytes: number
}

const MIB = 1024 * 1024
const LIFETIME_MS = 3_600_000
const BOUNDS = { normal: { maxCount: 50, maxBytes: 64 * MIB }, public: { maxCount: 5, maxBytes: 8 * MIB } }

export class UploadStore {
  readonly #uploads: Store<Upload>

  constructor(svc: Svc) {
    const bounds = BOUNDS[svc.config.publicMode ? 'public' : 'normal']
    this.#uploads = svc.state<Upload>('resumable-uploads', { ...bounds, ttlMs: LIFETIME_MS })
  }

  async begin({ provider, session }: RouteInput, id: string, file: UploadedFile): Promise<void> {
    await this.#uploads.set(keyOf(provider, id), { session, file, base64: '', bytes: 0 }, { group: session })
  }

  /**
   * Appends what is sent at the offset. The id is known only to the client that began the upload, in whose session the
   * file belongs: clients send the parts without the headers of their other requests.
   */
  async append(
    { provider }: RouteInput,
    id: string,
    offset: number,
    content: Buffer,
  ): Promise<{ session: string; file: UploadedFile; content: Buffer } | 'unknown' | 'wrong offset'> {
    const before = await this.#uploads.peek(keyOf(provider, id))
    if (before === undefined) return 'unknown'
    if (before.bytes !== offset) return 'wrong offset'
    const all = Buffer.concat([Buffer.from(before.base64, 'base64'), content])
    const base64 = all.toString('base64')
    const after = await this.#uploads.update(keyOf(provider, id), found =>
      found === undefined || found.bytes !== offset ? found : { ...found, base64, bytes: all.length },
    )
    if (after === undefined) return 'unknown'
    return after.bytes === all.length ? { session: after.session, file: after.file, content: all } : 'wrong offset'
  }

  async end({ provider }: RouteInput, id: string): Promise<void> {
    await this.#uploads.delete(keyOf(provider, id))
  }

  async clear(session: string | null): Promise<number> {
    return this.#uploads.clear(upload => session === null || upload.session === session)
  }

  bytes(): Promise<number> {
    return this.#uploads.bytes()
  }
}

function keyOf(provider: string, id: string): string {
  return `${provider} ${id.slice(0, 100)}`
}
