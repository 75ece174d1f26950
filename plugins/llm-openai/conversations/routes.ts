/** The routes of conversations and their items. */
import type { Engine, HandlerRoute, RouteInput } from '../../llm/types.ts'
import { describeGet, describeOther, describePost } from '../format/describe.ts'
import { metadataOf, missing } from '../format/parameters.ts'
import { pageOf } from '../format/page.ts'
import type { Conversation, ConversationStore } from './conversation-store.ts'

const UNKNOWN = `conv_${'0'.repeat(48)}`
const UNKNOWN_ITEM = `msg_${'0'.repeat(48)}`
const MAX_ITEMS = 20

export type ConversationRouteName =
  | 'createConversation'
  | 'conversation'
  | 'updateConversation'
  | 'deleteConversation'
  | 'addItems'
  | 'listItems'
  | 'item'
  | 'deleteItem'

export function conversationRoutes(
  engine: Engine,
  conversations: ConversationStore,
): Record<ConversationRouteName, HandlerRoute> {
  const find = async (input: RouteInput): Promise<Conversation> => {
    const id = input.params.conversation_id ?? ''
    const found = await conversations.get(input, id)
    if (found === undefined) throw notFound(engine, id)
    return found
  }
  const findItem = async (input: RouteInput): Promise<{ conversation: Conversation; index: number }> => {
    const conversation = await find(input)
    const id = input.params.item_id ?? ''
    const index = conversation.items.findIndex(item => item.id === id)
    if (index < 0) throw engine.badInput(`Item with id '${id.slice(0, 100)}' not found.`, { status: 404 })
    return { conversation, index }
  }
  const base = '/conversations/{conversation_id}'
  return {
    createConversation: {
      method: 'POST',
      path: '/conversations',
      op: 'other',
      describe: describePost('/conversations', 'create a conversation', [
        { name: 'With a message', body: { items: [{ type: 'message', role: 'user', content: 'Hello' }] } },
      ]),
      async handle(input) {
        if (!input.storesResponses)
          throw engine.badInput('Invalid URL (POST /v1/conversations)', { kind: 'unknown_route' })
        const body = input.body.length === 0 ? {} : input.json()
        const items = body.items == null ? [] : itemsOf(engine, body.items, 0)
        const created = await conversations.create(input.provider, input.session, {
          items,
          metadata: metadataOf(engine, body.metadata),
        })
        return { body: show(created) }
      },
    },
    conversation: {
      method: 'GET',
      path: base,
      op: 'other',
      describe: describeGet(`/conversations/${UNKNOWN}`, 'get a conversation', 'Unknown id', 404),
      handle: async input => ({ body: show(await find(input)) }),
    },
    updateConversation: {
      method: 'POST',
      path: base,
      op: 'other',
      describe: describePost(`/conversations/${UNKNOWN}`, 'change the metadata of a conversation', [
        { name: 'Unknown id', body: { metadata: { topic: 'demo' } }, status: 404 },
      ]),
      async handle(input) {
        const found = await find(input)
        const { metadata: given } = input.json()
        if (given === undefined) throw missing(engine, 'metadata')
        const metadata = metadataOf(engine, given)
        const changed = await conversations.change(found, conversation => ({ ...conversation, metadata }))
        return { body: show(changed ?? found) }
      },
    },
    deleteConversation: {
      method: 'DELETE',
      path: base,
      op: 'other',
      describe: describeOther('DELETE', `/conversations/${UNKNOWN}`, 'delete a conversation', 'Unknown id', 404),
      async handle(input) {
        const found = await find(input)
        await conversations.delete(found)
        return { body: { id: found.id, object: 'conversation.deleted', deleted: true } }
      },
    },
    addItems: {
      method: 'POST',
      path: `${base}/items`,
      op: 'other',
      describe: describePost(`/conversations/${UNKNOWN}/items`, 'add items to a conversation', [
        { name: 'Unknown id', body: { items: [{ type: 'message', role: 'user', content: 'Hello' }] }, status: 404 },
      ]),
      async handle(input) {
        const found = await find(input)
        const items = itemsOf(engine, input.json().items, 1)
        const added = (await conversations.add(found, items))?.items.slice(-items.length) ?? []
        return {
          body: {
            object: 'list',
            data: added,
            first_id: added[0]?.id ?? null,
            last_id: added.at(-1)?.id ?? null,
            has_more: false,
          },
        }
      },
    },
    listItems: {
      method: 'GET',
      path: `${base}/items`,
      op: 'other',
      describe: describeGet(`/conversations/${UNKNOWN}/items`, 'list the items of a conversation', 'Unknown id', 404),
      async handle(input) {
        const { items } = await find(input)
        const page = pageOf(engine, items, input.query, { limit: 20, max: 100 })
        input.output().takeJson(page)
        return { body: page }
      },
    },
    item: {
      method: 'GET',
      path: `${base}/items/{item_id}`,
      op: 'other',
      describe: describeGet(
        `/conversations/${UNKNOWN}/items/${UNKNOWN_ITEM}`,
        'get an item of a conversation',
        'Unknown id',
        404,
      ),
      async handle(input) {
        const { conversation, index } = await findItem(input)
        return { body: conversation.items[index]! }
      },
    },
    deleteItem: {
      method: 'DELETE',
      path: `${base}/items/{item_id}`,
      op: 'other',
      describe: describeOther(
        'DELETE',
        `/conversations/${UNKNOWN}/items/${UNKNOWN_ITEM}`,
        'delete an item of a conversation',
        'Unknown id',
        404,
      ),
      async handle(input) {
        const { conversation, index } = await findItem(input)
        const { id } = conversation.items[index]!
        const version = engine.randomId(16)
        const changed = await conversations.change(conversation, found => ({
          ...found,
          items: found.items.filter(item => item.id !== id),
          version,
        }))
        return { body: show(changed ?? conversation) }
      },
    },
  }
}

function notFound(engine: Engine, id: string): Error {
  return engine.badInput(`Conversation with id '${id.slice(0, 100)}' not found.`, { status: 404 })
}

function show({ id, created, metadata }: Conversation): object {
  return { id, object: 'conversation', created_at: created, metadata }
}

function itemsOf(engine: Engine, given: unknown, min: number): Record<string, unknown>[] {
  const invalid = (message: string): Error => engine.badInput(message, { param: 'items', code: 'invalid_value' })
  if (!Array.isArray(given)) throw invalid("Invalid type for 'items': expected an array of objects.")
  if (given.length < min || given.length > MAX_ITEMS)
    throw invalid(`Invalid 'items': expected an array with ${min} to ${MAX_ITEMS} items, but got ${given.length}.`)
  return given.map((item: unknown, index) => {
    const object = engine.json.objectOf(item)
    const isMessage = object.type === undefined || object.type === 'message'
    if (isMessage && typeof object.role !== 'string')
      throw engine.badInput(`Missing required parameter: 'items[${index}].role'.`, {
        param: `items[${index}].role`,
        code: 'missing_required_parameter',
      })
    return object
  })
}
