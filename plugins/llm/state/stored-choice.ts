/** A choice of a reply as records keep it: without its tokens, which take ten times the memory of their text. */
import { areUsual, piecesOf } from '../engine/pieces.ts'
import type { Call, Choice, OrderedBlock } from '../contract/neutral.ts'

type StoredBlock =
  | { type: 'reasoning' | 'text'; text: string; pieces: string[] | null; isRedacted?: true }
  | Extract<OrderedBlock, { type: 'call' }>

/** Plain data. */
export interface StoredChoice extends Omit<Choice, 'pieces' | 'reasoningPieces' | 'calls' | 'blocks'> {
  blocks?: StoredBlock[]
  calls: Omit<Call, 'jsonPieces'>[]
  /** Null: they follow from the texts. */
  pieces: { text: string[]; reasoning: string[]; calls: string[][] } | null
}

export function packChoice({ pieces, reasoningPieces, calls, blocks, ...rest }: Choice): StoredChoice {
  const isUsual =
    areUsual(pieces, rest.text) &&
    areUsual(reasoningPieces, rest.reasoning) &&
    calls.every(({ json, jsonPieces }) => areUsual(jsonPieces, json))
  return {
    ...rest,
    ...(blocks === undefined ? {} : { blocks: blocks.map(packBlock) }),
    calls: calls.map(withoutPieces),
    pieces: isUsual
      ? null
      : {
          text: [...pieces],
          reasoning: [...reasoningPieces],
          calls: calls.map(({ jsonPieces }) => [...jsonPieces]),
        },
  }
}

/** The choice with its tokens. */
export function unpackChoice({ pieces, calls, blocks, ...rest }: StoredChoice): Choice {
  return {
    ...rest,
    ...(blocks === undefined ? {} : { blocks: blocks.map(unpackBlock) }),
    pieces: pieces?.text ?? piecesOf(rest.text),
    reasoningPieces: pieces?.reasoning ?? piecesOf(rest.reasoning),
    calls: calls.map((call, index) => ({ ...call, jsonPieces: pieces?.calls[index] ?? piecesOf(call.json) })),
  }
}

/** The choice for what shows it as a whole. */
export function wholeChoice(stored: StoredChoice): Choice {
  const calls = stored.calls.map(call => ({ ...call, jsonPieces: [] }))
  const { blocks, ...rest } = stored
  const parts = blocks?.map(block => (block.type === 'call' ? block : { ...block, pieces: [] }))
  return { ...rest, ...(parts === undefined ? {} : { blocks: parts }), pieces: [], reasoningPieces: [], calls }
}

function packBlock(block: OrderedBlock): StoredBlock {
  if (block.type === 'call') return block
  return { ...block, pieces: areUsual(block.pieces, block.text) ? null : [...block.pieces] }
}

function unpackBlock(block: StoredBlock): OrderedBlock {
  return block.type === 'call' ? block : { ...block, pieces: block.pieces ?? piecesOf(block.text) }
}

function withoutPieces(call: Call): Omit<Call, 'jsonPieces'> {
  const { jsonPieces: _pieces, ...rest } = call
  return rest
}
