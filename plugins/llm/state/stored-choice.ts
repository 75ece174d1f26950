/** A choice of a reply as records keep it: without its tokens, which take ten times the memory of their text. */
import { areUsual, piecesOf } from '../engine/pieces.ts'
import type { Call, Choice } from '../contract/neutral.ts'

/** Plain data. */
export interface StoredChoice extends Omit<Choice, 'pieces' | 'reasoningPieces' | 'calls'> {
  calls: Omit<Call, 'jsonPieces'>[]
  /** Null: they follow from the texts. */
  pieces: { text: string[]; reasoning: string[]; calls: string[][] } | null
}

export function packChoice({ pieces, reasoningPieces, calls, ...rest }: Choice): StoredChoice {
  const isUsual =
    areUsual(pieces, rest.text) &&
    areUsual(reasoningPieces, rest.reasoning) &&
    calls.every(({ json, jsonPieces }) => areUsual(jsonPieces, json))
  return {
    ...rest,
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
export function unpackChoice({ pieces, calls, ...rest }: StoredChoice): Choice {
  return {
    ...rest,
    pieces: pieces?.text ?? piecesOf(rest.text),
    reasoningPieces: pieces?.reasoning ?? piecesOf(rest.reasoning),
    calls: calls.map((call, index) => ({ ...call, jsonPieces: pieces?.calls[index] ?? piecesOf(call.json) })),
  }
}

/** The choice for what shows it as a whole. */
export function wholeChoice(stored: StoredChoice): Choice {
  const calls = stored.calls.map(call => ({ ...call, jsonPieces: [] }))
  return { ...stored, pieces: [], reasoningPieces: [], calls }
}

function withoutPieces(call: Call): Omit<Call, 'jsonPieces'> {
  const { jsonPieces: _pieces, ...rest } = call
  return rest
}
