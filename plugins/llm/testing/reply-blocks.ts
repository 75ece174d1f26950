/** The ordered parts of a `reply` step (`blocks`): reasoning, redacted reasoning, texts and calls. */
import type { Json } from 'svc/plugin'
import { asObject, asText, below, InputProblem, rejectUnknownKeys } from 'svc/toolkit'
import type { Call, Choice, NeutralRequest, OrderedBlock } from '../contract/neutral.ts'
import { limited } from '../engine/generate.ts'
import { piecesOf } from '../engine/pieces.ts'
import { chooseCalls, readCall, type ChosenCall, type ReplyCall } from './reply-calls.ts'

const BLOCKS = ['reasoning', 'redacted', 'text', 'tool_call'] as const
const MAX_BLOCKS = 50
const MAX_TEXT = 65_536

type TextBlock = { type: 'reasoning' | 'redacted' | 'text'; text: string }

/** A part as the reply states it. */
export type ReplyBlock = TextBlock | { type: 'call'; call: ReplyCall }

/** A part whose call is one of a tool. */
export type ChosenBlock = TextBlock | { type: 'call'; call: ChosenCall }

/** Throws an `InputProblem`. */
export function readBlocks(value: Json, at: string): ReplyBlock[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_BLOCKS)
    throw new InputProblem(at, `expected a list of 1 to ${MAX_BLOCKS} blocks`)
  return value.map((block, index): ReplyBlock => {
    const place = below(at, index)
    const given = asObject(block, place)
    rejectUnknownKeys(given, BLOCKS, place)
    const [key, ...others] = BLOCKS.filter(name => given[name] !== undefined)
    if (key === undefined || others.length > 0) throw new InputProblem(place, `expected one of ${BLOCKS.join(', ')}`)
    const inner = below(place, key)
    if (key === 'tool_call') return { type: 'call', call: readCall(given[key]!, inner) }
    return { type: key, text: asText(given[key], inner, MAX_TEXT) }
  })
}

/** The parts that a request gets; `ignore` is called with the place and the names of a call that is left out. */
export function chooseBlocks(
  blocks: readonly ReplyBlock[],
  request: Pick<NeutralRequest, 'tools'>,
  ignore: (index: number, names: readonly string[]) => void,
): ChosenBlock[] {
  return blocks.flatMap((block, index): ChosenBlock[] =>
    block.type === 'call'
      ? chooseCalls([block.call], request, (_place, names) => ignore(index, names)).map(call => ({
          type: 'call',
          call,
        }))
      : [block],
  )
}

/** The contents of a part, for what is counted before it is made. */
export function contentOfBlock(block: ChosenBlock): Json {
  return block.type === 'call' ? block.call.args : block.text
}

export interface BlockWriter {
  /** A text with its references replaced. */
  text(text: string): string
  call(call: ChosenCall): Call
}

type BlockContent = Pick<
  Choice,
  'text' | 'pieces' | 'calls' | 'reasoning' | 'reasoningPieces' | 'blocks' | 'finish' | 'stopSequence'
>

/** Texts share the limit of the request; after a cut there is no further text. */
export function contentOfBlocks(
  given: readonly ChosenBlock[],
  request: NeutralRequest,
  writer: BlockWriter,
): BlockContent {
  const blocks: OrderedBlock[] = []
  const calls: Call[] = []
  let left = request.maxTokens
  let end: Pick<Choice, 'finish' | 'stopSequence'> = { finish: 'stop', stopSequence: null }
  for (const block of given) {
    if (block.type === 'call') blocks.push({ type: 'call', place: calls.push(writer.call(block.call)) - 1 })
    else if (block.type === 'text') {
      if (end.finish !== 'stop') continue
      const limits = left === undefined ? request : { ...request, maxTokens: left }
      const { text, pieces, finish, stopSequence } = limited(writer.text(block.text), limits)
      if (left !== undefined) left -= pieces.length
      end = { finish, stopSequence }
      blocks.push({ type: 'text', text, pieces })
    } else {
      const text = writer.text(block.text)
      const isRedacted = block.type === 'redacted' ? { isRedacted: true as const } : {}
      blocks.push({ type: 'reasoning', text, pieces: piecesOf(text, request.tokenizer), ...isRedacted })
    }
  }
  const texts = joined(blocks, 'text')
  const reasoning = joined(blocks, 'reasoning')
  return {
    text: texts.text,
    pieces: texts.pieces,
    calls,
    reasoning: reasoning.text,
    reasoningPieces: reasoning.pieces,
    blocks,
    ...end,
  }
}

function joined(blocks: readonly OrderedBlock[], type: 'text' | 'reasoning'): { text: string; pieces: string[] } {
  const parts = blocks.flatMap(block => (block.type === type ? [block] : []))
  return { text: parts.map(({ text }) => text).join(''), pieces: parts.flatMap(({ pieces }) => [...pieces]) }
}
