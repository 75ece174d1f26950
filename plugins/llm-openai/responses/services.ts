/** What the routes of stored responses share. */
import type { Svc } from 'svc/plugin'
import type { Providers, RouteInput } from '../../llm/types.ts'
import { ConversationStore } from '../conversations/conversation-store.ts'
import type { ContextServices } from './context.ts'
import { ResponseStore, type StoredResponse } from './response-store.ts'

export interface ResponsesState extends ContextServices {
  /** The response, or a 404. */
  find(input: RouteInput): Promise<StoredResponse>
  /** Whether an encrypted content is from this server; undefined: its secret is not read yet. */
  isIssued(content: string): boolean | undefined
}

export function createResponsesState(
  svc: Svc,
  { engine, documents }: Pick<Providers, 'engine' | 'documents'>,
): ResponsesState {
  const responses = new ResponseStore(svc, { engine })
  let sealing: Buffer | undefined
  svc.secret('sealed').then(
    secret => (sealing = secret),
    // Those who need it report why it can't be read.
    () => {},
  )
  return {
    engine,
    documents,
    isIssued: content => (sealing === undefined ? undefined : engine.openText(sealing, content) !== null),
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
