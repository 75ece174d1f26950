/** The marker of a step in the texts of a request, by which svc recognizes it behind the gateway. */
import type { EmbeddingRequest, Part, Request, Turn } from '../wires/types.ts'

/** As a word at the end of the last text of the user; of the first one if the conversation goes on. */
export function withMarker(request: Request, marker: string, { isLoop }: { isLoop: boolean }): Request {
  const hasText = ({ role, parts }: Turn): boolean => role === 'user' && parts.some(({ type }) => type === 'text')
  const at = isLoop ? request.turns.findIndex(hasText) : request.turns.findLastIndex(hasText)
  if (at === -1)
    return { ...request, turns: [...request.turns, { role: 'user', parts: [{ type: 'text', text: marker }] }] }
  const turns = request.turns.map((turn, index) => (index === at ? markedTurn(turn, marker) : turn))
  return { ...request, turns }
}

function markedTurn(turn: Turn, marker: string): Turn {
  const at = turn.parts.findLastIndex(({ type }) => type === 'text')
  const parts = turn.parts.map(
    (part, index): Part => (index === at && part.type === 'text' ? { ...part, text: `${part.text} ${marker}` } : part),
  )
  return { ...turn, parts }
}

/** At the end of the first input. */
export function withMarkerInInput(request: EmbeddingRequest, marker: string): EmbeddingRequest {
  const [first = '', ...others] = request.inputs
  return { ...request, inputs: [`${first} ${marker}`, ...others] }
}
