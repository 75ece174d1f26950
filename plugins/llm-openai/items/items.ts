/** Items of responses and conversations: how they are given, their ids, and how they are read. */
import type { Engine, Message, RouteInput } from '../../llm/types.ts'
import { readContent } from '../format/messages.ts'

/** An item as it is stored and listed. */
export type Item = { type: string; id: string } & Record<string, unknown>

const PREFIXES: Readonly<Record<string, string>> = {
  message: 'msg',
  function_call: 'fc',
  function_call_output: 'fco',
  custom_tool_call: 'ctc',
  custom_tool_call_output: 'ctco',
  reasoning: 'rs',
  compaction: 'cmp',
}

/** Hex digits of an id that name the response or the conversation in which the item is stored. */
const OWNER_DIGITS = 40

/** The digits by which a response, a conversation or one of their items is found; null: no such id. */
export function ownerOf(id: string): string | null {
  const match = /^[a-z]{1,10}_([0-9a-f]{40})[0-9a-f]{8}$/.exec(id)
  return match === null ? null : match[1]!
}

/** The id of an item: the same each time for the same place in the same response or conversation. */
export function itemId(engine: Engine, type: string, ownerId: string, place: string): string {
  const owner = ownerId.slice(ownerId.indexOf('_') + 1).slice(0, OWNER_DIGITS)
  return `${PREFIXES[type] ?? 'item'}_${owner}${engine.digest(owner, place).slice(0, 8)}`
}

/** A text, or a list of items; throws for anything else. */
export function givenItems(engine: Engine, input: unknown): Record<string, unknown>[] {
  if (typeof input === 'string')
    return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] }]
  if (Array.isArray(input)) return input.map(item => engine.json.objectOf(item))
  throw engine.badInput("Missing required parameter: 'input'.", { param: 'input', code: 'missing_required_parameter' })
}

/** Whether an item only names a stored one. */
export function isReference(item: Record<string, unknown>): item is { id: string } {
  if (typeof item.id !== 'string') return false
  return (
    item.type === 'item_reference' ||
    Object.keys(item).every(name => name === 'id' || (name === 'type' && item.type == null))
  )
}

/** An item as it is stored: with an id, and messages as lists of parts. */
export function storedItem(engine: Engine, given: Record<string, unknown>, ownerId: string, place: string): Item {
  const type = typeof given.type === 'string' ? given.type : 'message'
  const id = itemId(engine, type, ownerId, place)
  if (type !== 'message') return { status: 'completed', ...given, type, id }
  const partType = given.role === 'assistant' ? 'output_text' : 'input_text'
  const content =
    typeof given.content === 'string'
      ? [{ type: partType, text: given.content, ...(partType === 'output_text' ? { annotations: [] } : {}) }]
      : engine.json.listOf(given.content)
  return { ...given, type, id, status: 'completed', role: engine.json.textOf(given.role) ?? 'user', content }
}

/** The neutral messages of items; ignores unknown items. */
export function readItems(
  engine: Engine,
  items: readonly Record<string, unknown>[],
  open: (sealed: string) => string,
): { system: string[]; messages: Message[] } {
  const read = { system: [] as string[], messages: [] as Message[] }
  for (const item of items) addItem(engine, read, item, open)
  return read
}

function addItem(
  engine: Engine,
  read: { system: string[]; messages: Message[] },
  item: Record<string, unknown>,
  open: (sealed: string) => string,
): void {
  const { json } = engine
  const id = json.textOf(item.call_id) ?? ''
  if (item.type === 'function_call' || item.type === 'custom_tool_call') {
    const name = json.textOf(item.name)
    const args = item.type === 'function_call' ? json.argumentsOf(item.arguments) : (json.textOf(item.input) ?? '')
    const namespace = json.textOf(item.namespace)
    const call = { type: 'call' as const, id, args, ...(namespace === undefined ? {} : { namespace }) }
    if (name !== undefined) read.messages.push({ role: 'assistant', parts: [{ ...call, name }] })
  } else if (item.type === 'function_call_output' || item.type === 'custom_tool_call_output') {
    read.messages.push({ role: 'tool', parts: [{ type: 'result', id, content: outputText(engine, item.output) }] })
  } else if (item.type === 'compaction') {
    read.system.push(`Summary of the conversation so far: ${open(json.textOf(item.encrypted_content) ?? '')}`)
  } else if (item.type === undefined || item.type === 'message') {
    const parts = readContent(engine, item.content)
    if (item.role === 'system' || item.role === 'developer') read.system.push(engine.textOfParts(parts))
    else read.messages.push({ role: item.role === 'assistant' ? 'assistant' : 'user', parts })
  }
}

export function outputText(engine: Engine, output: unknown): string {
  if (!Array.isArray(output)) return engine.json.asText(output)
  return engine.textOfParts(readContent(engine, output))
}

/** Who asks. A provider that stores nothing finds nothing. */
export type Asker = Pick<RouteInput, 'provider' | 'session' | 'storesResponses'>

/** Items have the first digits of their response or conversation in their ids, so that they lead to it. */
export function idOf(id: string): string {
  return ownerOf(id) ?? id
}

/** Whether there can be a record with this id, or with this item. */
export function isKept({ storesResponses }: Asker, id: string): boolean {
  return storesResponses && ownerOf(id) !== null
}
