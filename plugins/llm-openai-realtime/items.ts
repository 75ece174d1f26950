/** Items of a realtime conversation: how they are given, shown, and read by the engine. */
import type { Engine, Message } from '../llm/types.ts'
import { anyObject, invalidValue, list, missing, nullOr, object, oneOf, string, type Check } from './checks.ts'

/** An item as events show it. */
export type RealtimeItem = { id: string; object: 'realtime.item'; type: string; status: string } & Record<
  string,
  unknown
>

const MAX_ID = 200

const text = object({ type: oneOf('input_text', 'output_text', 'text'), text: string }, ['type', 'text'])
const audio = object(
  { type: oneOf('input_audio', 'output_audio'), audio: string, transcript: nullOr(string), text: string },
  ['type'],
)
const image = object({ type: oneOf('input_image'), image_url: string, detail: oneOf('auto', 'low', 'high') }, [
  'type',
  'image_url',
])
const PARTS: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  user: { input_text: text, input_audio: audio, input_image: image },
  system: { input_text: text },
  assistant: { output_text: text, text, output_audio: audio },
}

const common = { id: string, object: oneOf('realtime.item'), type: string, status: string }
const FORMS: Readonly<Record<string, Check>> = {
  message: object({ ...common, role: oneOf('user', 'system', 'assistant'), content: list(anyObject) }, [
    'role',
    'content',
  ]),
  function_call: object({ ...common, call_id: string, name: string, arguments: string }, ['name', 'arguments']),
  function_call_output: object({ ...common, call_id: string, output: string }, ['call_id', 'output']),
}

/** What a client adds: the item, and the duration of the audio in it. Audio itself is not kept. */
export interface GivenItem {
  item: RealtimeItem
  audio: string[]
}

/** Throws `engine.badInput` for a wrong item. */
export function readItem(engine: Engine, given: unknown, at: string): GivenItem {
  const { type, id } = anyObject(engine, given, at) as Record<string, unknown>
  if (type == null) throw missing(engine, `${at}.type`)
  oneOf(...Object.keys(FORMS))(engine, type, `${at}.type`)
  const checked = FORMS[type as string]!(engine, given, at) as Record<string, unknown>
  if (typeof id === 'string' && (id === '' || id.length > MAX_ID))
    throw invalidValue(engine, `${at}.id`, `a text of 1 to ${MAX_ID} characters`)
  const item: RealtimeItem = {
    object: 'realtime.item',
    type: type as string,
    ...checked,
    id: typeof id === 'string' ? id : newItemId(engine),
    status: 'completed',
  }
  if (type === 'function_call') item.call_id ??= `call_${engine.randomId(24)}`
  if (type !== 'message') return { item, audio: [] }
  const sounds: string[] = []
  item.content = (checked.content as Record<string, unknown>[]).map((part, index) => {
    const path = `${at}.content[${index}]`
    const forms = PARTS[checked.role as string]!
    oneOf(...Object.keys(forms))(engine, part.type, `${path}.type`)
    const { audio: sound, ...shown } = forms[part.type as string]!(engine, part, path) as Record<string, unknown>
    if (typeof sound === 'string') sounds.push(sound)
    return part.type === 'input_audio' ? { transcript: null, ...shown } : shown
  })
  return { item, audio: sounds }
}

export function newItemId(engine: Engine): string {
  return `item_${engine.randomId(24)}`
}

/** The neutral messages of items; `spokenText` is what the engine understands of an item with audio. */
export function readItems(
  engine: Engine,
  items: readonly { item: RealtimeItem; spokenText: string }[],
): { system: string[]; messages: Message[] } {
  const read = { system: [] as string[], messages: [] as Message[] }
  for (const { item, spokenText } of items) {
    if (item.type === 'function_call') {
      const args = engine.json.argumentsOf(item.arguments)
      const call = { type: 'call' as const, id: String(item.call_id), name: String(item.name), args }
      read.messages.push({ role: 'assistant', parts: [call] })
    } else if (item.type === 'function_call_output') {
      const result = { type: 'result' as const, id: String(item.call_id), content: String(item.output) }
      read.messages.push({ role: 'tool', parts: [result] })
    } else {
      const parts = partsOf(engine, item, spokenText)
      if (item.role === 'system') read.system.push(engine.textOfParts(parts))
      else read.messages.push({ role: item.role === 'assistant' ? 'assistant' : 'user', parts })
    }
  }
  return read
}

function partsOf(engine: Engine, { content }: RealtimeItem, spokenText: string): Message['parts'] {
  const { json } = engine
  return json.listOf(content).map(part => {
    const { type, text: written, transcript, image_url: url } = json.objectOf(part)
    if (type === 'input_image') return { type: 'image', description: engine.describeUrl(String(url)) }
    if (type === 'input_audio') return { type: 'text', text: json.textOf(transcript) ?? spokenText }
    return { type: 'text', text: json.textOf(written) ?? json.textOf(transcript) ?? '' }
  })
}
