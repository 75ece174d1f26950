/** What the routes of stored responses and conversations share. */
import type { Svc } from 'svc/plugin'
import type { Batches, Documents, Providers, RouteInput } from '../../llm/types.ts'
import { ConversationStore } from '../conversations/conversation-store.ts'
import type { FixedImage } from '../images/routes.ts'
import { UploadStore } from '../files/uploads.ts'
import type { ContextServices } from './context.ts'
import { ResponseStore, type StoredResponse } from './response-store.ts'

export interface ResponsesState extends ContextServices {
  /** The response, or a 404. */
  find(input: RouteInput): Promise<StoredResponse>
}

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
  llm: Pick<Providers, 'engine' | 'documents' | 'batches' | 'endings'>,
  images: Readonly<Record<string, Buffer>> = {},
): OpenAiState {
  const { documents, batches } = llm
  const responses = createResponsesState(svc, llm)
  const uploads = new UploadStore(svc, llm.engine)
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

function createResponsesState(
  svc: Svc,
  { engine, documents, endings }: Pick<Providers, 'engine' | 'documents' | 'endings'>,
): ResponsesState {
  const responses = new ResponseStore(svc, { engine, endings })
  return {
    engine,
    documents,
    responses,
    conversations: new ConversationStore(svc, engine),
    secret: () => svc.secret('sealed'),
    async find(input) {
      const id = input.params.response_id ?? ''
      const found = await responses.get(input, id)
      if (found === undefined)
        throw engine.badInput(`Response with id '${id.slice(0, 100)}' not found.`, { status: 404 })
      return found
    },
  }
}
