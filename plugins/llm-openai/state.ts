/** What the routes of the format keep. */
import type { Svc } from 'svc/plugin'
import type { Batches, Documents, Providers } from '../llm/types.ts'
import type { FixedImage } from './images/routes.ts'
import { UploadStore } from './files/uploads.ts'
import { createResponsesState, type ResponsesState } from './responses/services.ts'

/** What the routes of the format keep. */
export interface OpenAiState extends ResponsesState {
  uploads: UploadStore
  documents: Documents
  batches: Batches
  fixedImage: FixedImage
  clear(session: string | null): Promise<number>
}

/** `images`: the images of this server by media type. */
export function createState(
  svc: Svc,
  llm: Pick<Providers, 'engine' | 'documents' | 'batches'>,
  images: Readonly<Record<string, Buffer>> = {},
): OpenAiState {
  const { documents, batches } = llm
  const responses = createResponsesState(svc, llm)
  const uploads = new UploadStore(svc)
  return {
    ...responses,
    uploads,
    documents,
    batches,
    fixedImage: format => images[`image/${format}`] ?? null,
    async clear(session) {
      const counts = await Promise.all(
        [responses.responses, responses.conversations, uploads].map(store => store.clear(session)),
      )
      return counts.reduce((sum, count) => sum + count, 0)
    },
  }
}
