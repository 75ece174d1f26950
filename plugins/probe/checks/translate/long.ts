/** Long conversations. */
import type { Request, Tool, Turn } from '../../wires/types.ts'
import { comparedAspect } from './compared.ts'
import { withResults } from './results.ts'
import { DONE, question, scene, textPart } from './scenes.ts'
import type { Scene } from './types.ts'

const KIB = 1_024
const TEXT_BYTES = 220 * KIB
const RESULT_BYTES = 100 * KIB
const TOOL_COUNT = 64
const TURN_COUNT = 120

/** A text of words that are numbered, so that a piece that is missing is seen. */
function numbered(bytes: number): string {
  const words: string[] = []
  for (let length = 0, index = 0; length < bytes; index++) {
    const word = `word${index}`
    words.push(word)
    length += word.length + 1
  }
  return words.join(' ').slice(0, bytes).trimEnd()
}

const TOOLS: readonly Tool[] = Array.from({ length: TOOL_COUNT }, (_, index) => ({
  name: `tool_${index}`,
  description: `Does the work of number ${index}`,
  schema: { type: 'object', properties: { [`value_${index}`]: { type: 'string' } }, required: [`value_${index}`] },
}))

/** The last one is the user's. */
const TURNS: readonly Turn[] = Array.from({ length: TURN_COUNT - 1 }, (_, index) => ({
  role: index % 2 === 0 ? 'user' : 'assistant',
  parts: [textPart(`Turn ${index}.`)],
}))

const scenes: readonly (readonly [string, () => Request])[] = [
  ['long-text', () => question(numbered(TEXT_BYTES))],
  ['many-tools', () => question('What can you do?', { tools: [...TOOLS] })],
  ['many-turns', () => question('', { turns: [...TURNS] })],
  [
    'long-result',
    () =>
      withResults([
        {
          type: 'result',
          id: 'call_00000001',
          name: 'weather',
          parts: [textPart(numbered(RESULT_BYTES))],
          error: false,
        },
        { type: 'result', id: 'call_00000002', name: 'clock', parts: [textPart('Noon.')], error: false },
      ]),
  ],
]

export const LONG = comparedAspect({
  id: 'TRN-LONG',
  title: 'Long conversations',
  impact: 'medium',
  request: /^\/(?:turns|tools)(?:\/|$)/,
  allowsTooLarge: true,
  scenes: () => scenes.map(([id, request]): Scene => scene(id, request(), DONE)),
})
