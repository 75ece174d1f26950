/** Conversations that a client can resume on a new socket, by their handle. */
import { createTextRecords, type RecordStore, type StoredRecord, type Svc } from 'svc/plugin'
import type { Owner } from '../llm/types.ts'
import type { Turn } from './history.ts'

const MIB = 1024 * 1024
const HOUR_MS = 3_600_000
const BOUNDS = {
  normal: { maxCount: 1000, maxPerGroup: 1000, maxBytes: 32 * MIB, ttlMs: 2 * HOUR_MS },
  public: { maxCount: 100, maxPerGroup: 10, maxBytes: 4 * MIB, ttlMs: HOUR_MS },
}

export class SessionHandles {
  readonly #records: RecordStore<readonly Turn[]>

  constructor(svc: Svc) {
    const store = svc.state<StoredRecord<string>>('live-sessions', {
      ...BOUNDS[svc.config.publicMode ? 'public' : 'normal'],
      ttlFrom: 'use',
      schema: 2,
    })
    this.#records = createTextRecords(svc, store)
  }

  put(handle: string, { provider, session }: Owner, turns: readonly Turn[]): Promise<void> {
    return this.#records.of(provider, session).put(handle, turns)
  }

  async get(handle: string, { provider, session }: Owner): Promise<Turn[] | null> {
    const turns = await this.#records.of(provider, session).get(handle)
    return turns === undefined ? null : [...turns]
  }

  async delete(handle: string, { provider, session }: Owner): Promise<void> {
    await this.#records.of(provider, session).delete(handle)
  }

  clear(session: string | null): Promise<number> {
    return this.#records.clear(session)
  }

  bytes(): Promise<number> {
    return this.#records.bytes()
  }
}
