/** The parts of a reply in the order in which formats send them. */
import type { Choice, ChoiceBlock } from '../contract/neutral.ts'

/** As the reply says it, or else the reasoning, the text and the calls; an empty text only if there is nothing else to send. */
export function blocksOf(choice: Choice): ChoiceBlock[] {
  const { blocks, calls, text, pieces, reasoning, reasoningPieces } = choice
  if (blocks !== undefined)
    return blocks.flatMap((block): ChoiceBlock[] => {
      if (block.type !== 'call') return [block as ChoiceBlock]
      const call = calls[block.place]
      return call === undefined ? [] : [{ type: 'call', call }]
    })
  const texts: ChoiceBlock[] = calls.length === 0 || text !== '' ? [{ type: 'text', text, pieces }] : []
  const called = calls.map((call): ChoiceBlock => ({ type: 'call', call }))
  const hasReasoned = reasoning !== '' || reasoningPieces.length > 0
  return [
    ...(hasReasoned ? [{ type: 'reasoning' as const, text: reasoning, pieces: reasoningPieces }] : []),
    ...(choice.callsFirst === true ? [...called, ...texts] : [...texts, ...called]),
  ]
}
