/** What the routes of stored responses share. */
import type { Svc } from 'svc/plugin'
import type { Providers, RouteInput } from '../../llm/types.ts'
import { ConversationStore } from '../conversations/conversation-store.ts'
import type { ContextServices } from './context.ts'
import { ResponseStore, type StoredResponse } from './response-store.ts'

export interface ResponsesState extends ContextServices {
  /** The response, or a 404. */
  find(input: RouteInput): Promise<StoredResponse>
}

export function createResponsesState(
  svc: Svc,
  { engine, documents }: Pick<Providers, 'engine' | 'documents'>,
): ResponsesState {
  const responses = new ResponseStore(svc, { engine })
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
