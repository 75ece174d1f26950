/** Results of tools. */
import type { CallPart, Part, Request, ResultPart } from '../../wires/types.ts'
import { comparedAspect } from './compared.ts'
import { DONE, question, scene, textPart, TOOLS } from './scenes.ts'

const CALLS: readonly CallPart[] = [
  { type: 'call', id: 'call_00000001', name: 'weather', args: { city: 'Oslo' } },
  { type: 'call', id: 'call_00000002', name: 'clock', args: {} },
]

function result(call: number, text: string | null, error = false): ResultPart {
  const { id, name } = CALLS[call]!
  return { type: 'result', id, name, parts: text === null ? [] : [textPart(text)], error }
}

/** A conversation in which the tools were called. */
export function withResults(parts: readonly Part[]): Request {
  return question('', {
    turns: [
      { role: 'user', parts: [textPart('Which weather, and what time?')] },
      { role: 'assistant', parts: [...CALLS] },
      { role: 'user', parts: [...parts] },
    ],
    tools: [...TOOLS],
  })
}

const TIME = result(1, 'It is noon.')

export const RESULTS = comparedAspect({
  id: 'TRN-RESULTS',
  title: 'Results of tools',
  impact: 'high',
  // Texts of users belong to another check.
  request: ({ path }) => /^\/turns(?:\/|$)/.test(path) && !path.endsWith('/text'),
  scenes: () => [
    scene('two-results', withResults([result(0, 'It rains.'), TIME]), DONE),
    scene('reversed', withResults([TIME, result(0, 'It rains.')]), DONE),
    scene('json', withResults([result(0, '{"sky":"gray","wind":[3,"m/s"],"sun":false}'), TIME]), DONE),
    scene('empty', withResults([result(0, null), TIME]), DONE),
    scene('error', withResults([result(0, 'There is no such city.', true), TIME]), DONE, { needs: ['error-flag'] }),
    scene('text-behind', withResults([result(0, 'It rains.'), TIME, textPart('Be short.')]), DONE),
  ],
})
