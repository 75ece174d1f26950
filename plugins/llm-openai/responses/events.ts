/** The numbered events of a streamed response. */
import type { Call, Choice, ChoiceBlock, Engine, StreamEvent } from '../../llm/types.ts'
import {
  contentPart,
  finished,
  isIncomplete,
  outputBlocks,
  outputItems,
  pendingResponse,
  showsReasoning,
  type OutputItem,
  type Reply,
  type ResponseHead,
} from './response-object.ts'

type Emit = (type: string, data: object, paced?: boolean) => StreamEvent

/** The events of a response. With the same head and reply they are the same each time. */
export function* streamResponse(
  engine: Engine,
  head: ResponseHead,
  reply: Reply,
  options: { secret: Buffer; completedAt: number },
): Iterable<StreamEvent> {
  const emit = numbered()
  const { choice } = reply
  const pending = pendingResponse(engine, head, 'in_progress')
  const output = outputItems(engine, choice, head, options.secret)
  if (head.isBackground) {
    const queued = { response: { ...pending, status: 'queued' } }
    yield emit('response.created', queued)
    yield emit('response.queued', queued)
  } else yield emit('response.created', { response: pending })
  yield emit('response.in_progress', { response: pending })
  const blocks = outputBlocks(engine, choice)
  for (const [index, item] of output.entries()) {
    yield emit('response.output_item.added', {
      output_index: index,
      item: { ...item, ...emptied(item), status: 'in_progress' },
    })
    yield* eventsOf(blocks[index]!, { item_id: item.id, output_index: index }, { choice, head, emit })
    yield emit('response.output_item.done', { output_index: index, item })
  }
  yield emit(isIncomplete(choice) ? 'response.incomplete' : 'response.completed', {
    response: finished(pending, output, reply, options.completedAt),
  })
}

/** The events of a response without a reply. */
export function* streamWarmup(response: object): Iterable<StreamEvent> {
  const emit = numbered()
  yield emit('response.created', { response: { ...response, status: 'in_progress', completed_at: null, usage: null } })
  yield emit('response.completed', { response })
}

function numbered(): Emit {
  let sequence = 0
  return (type, data, paced = false) => ({ event: type, data: { type, ...data, sequence_number: sequence++ }, paced })
}

/** The empty members of an item that its deltas fill in. */
function emptied(item: OutputItem): object {
  if (item.type === 'message') return { content: [] }
  if (item.type === 'custom_tool_call') return { input: '' }
  return item.type === 'reasoning' ? { summary: [] } : { arguments: '' }
}

type Place = { item_id: string; output_index: number }

interface Streamed {
  choice: Choice
  head: ResponseHead
  emit: Emit
}

function eventsOf(block: ChoiceBlock, place: Place, streamed: Streamed): Iterable<StreamEvent> {
  if (block.type === 'text') return textEvents(block, place, streamed)
  if (block.type === 'call') return callEvents(place, block.call, streamed.emit)
  return showsReasoning(block, streamed.head) ? summaryEvents(block, place, streamed.emit) : []
}

type TextBlock = Extract<ChoiceBlock, { type: 'text' }>

function* textEvents({ text, pieces }: TextBlock, place: Place, { choice, emit }: Streamed): Iterable<StreamEvent> {
  const at = { ...place, content_index: 0 }
  yield emit('response.content_part.added', { ...at, part: contentPart(choice, '') })
  if (choice.isRefusal === true) {
    for (const delta of pieces) yield emit('response.refusal.delta', { ...at, delta }, true)
    yield emit('response.refusal.done', { ...at, refusal: text })
  } else {
    for (const delta of pieces) yield emit('response.output_text.delta', { ...at, delta, logprobs: [] }, true)
    yield emit('response.output_text.done', { ...at, text, logprobs: [] })
  }
  yield emit('response.content_part.done', { ...at, part: contentPart(choice, text) })
}

function* summaryEvents(
  { text, pieces }: Extract<ChoiceBlock, { type: 'reasoning' }>,
  place: Place,
  emit: Emit,
): Iterable<StreamEvent> {
  const at = { ...place, summary_index: 0 }
  yield emit('response.reasoning_summary_part.added', { ...at, part: { type: 'summary_text', text: '' } })
  for (const delta of pieces) yield emit('response.reasoning_summary_text.delta', { ...at, delta }, true)
  yield emit('response.reasoning_summary_text.done', { ...at, text })
  yield emit('response.reasoning_summary_part.done', { ...at, part: { type: 'summary_text', text } })
}

function* callEvents(place: Place, call: Call, emit: Emit): Iterable<StreamEvent> {
  if (call.isText === true) {
    for (const piece of call.jsonPieces)
      yield emit('response.custom_tool_call_input.delta', { ...place, delta: piece }, true)
    return yield emit('response.custom_tool_call_input.done', { ...place, input: call.json })
  }
  for (const piece of call.jsonPieces)
    yield emit('response.function_call_arguments.delta', { ...place, delta: piece }, true)
  yield emit('response.function_call_arguments.done', { ...place, name: call.name, arguments: call.json })
}
