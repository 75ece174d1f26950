/** What the routes of the format keep. */
import type { Svc } from 'svc/plugin'
import type { Batches, Documents, Engine, Providers } from '../llm/types.ts'
import { CacheStore } from './caches/cache-store.ts'
import { InteractionStore } from './interactions/interaction-store.ts'
import { UploadStore } from './upload-store.ts'

export interface GeminiState {
  engine: Engine
  documents: Documents
  batches: Batches
  uploads: UploadStore
  interactions: InteractionStore
  caches: CacheStore
  clear(session: string | null): Promise<number>
}

export function createState(
  svc: Svc,
  { engine, documents, batches }: Pick<Providers, 'engine' | 'documents' | 'batches'>,
): GeminiState {
  const uploads = new UploadStore(svc)
  const interactions = new InteractionStore(svc, { engine })
  const caches = new CacheStore(svc, engine)
  return {
    engine,
    documents,
    batches,
    uploads,
    interactions,
    caches,
    async clear(session) {
      return (await uploads.clear(session)) + (await interactions.clear(session)) + (await caches.clear(session))
    },
  }
}
