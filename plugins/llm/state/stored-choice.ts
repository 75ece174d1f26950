/** A choice of a reply as records keep it: without its tokens, which take ten times the memory of their text. */
import { pieces as piecesOf } from '../engine/tokens.ts'
import type { Call, Choice } from '../neutral.ts'

type Pieces = readonly string[]

/** Plain data. */
export interface StoredChoice extends Omit<Choice, 'pieces' | 'reasoningPieces' | 'calls'> {
  calls: Omit<Call, 'jsonPieces'>[]
  /** Null: they follow from the texts. */
  pieces: { text: Pieces; reasoning: Pieces; calls: Pieces[] } | null
}

export function packChoice({ pieces, reasoningPieces, calls, ...rest }: Choice): StoredChoice {
  const isUsual =
    follows(pieces, rest.text) &&
    follows(reasoningPieces, rest.reasoning) &&
    calls.every(({ json, jsonPieces }) => follows(jsonPieces, json))
  return {
    ...rest,
    calls: calls.map(({ jsonPieces: _, ...call }) => call),
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
export function wholeChoice({ pieces: _, calls, ...rest }: StoredChoice): Choice {
  return { ...rest, pieces: [], reasoningPieces: [], calls: calls.map(call => ({ ...call, jsonPieces: [] })) }
}

function follows(given: Pieces, text: string): boolean {
  const usual = piecesOf(text)
  return given.length === usual.length && given.every((piece, index) => piece === usual[index])
}
