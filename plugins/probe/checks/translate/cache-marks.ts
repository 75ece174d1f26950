/** Marks of what is to be cached. */
import { marksOf } from '../../wires/neutral.ts'
import type { Lifetime, Part, Request } from '../../wires/types.ts'
import { comparedAspect } from './compared.ts'
import { DONE, question, scene, TOOLS } from './scenes.ts'

/** Blocks of the longer lifetime come first, as vendors want it, and there are four at most. */
function marked(first: Lifetime, later: Lifetime): Request {
  const call: Part = { type: 'call', id: 'call_00000001', name: 'clock', args: {} }
  return question('', {
    system: [{ text: 'You know the hours of all offices.', after: 0, mark: first }],
    tools: TOOLS.map((tool, index) => (index === TOOLS.length - 1 ? { ...tool, mark: first } : tool)),
    turns: [
      { role: 'user', parts: [{ type: 'text', text: 'What time is it?', mark: later }] },
      { role: 'assistant', parts: [call] },
      {
        role: 'user',
        parts: [
          {
            type: 'result',
            id: call.id,
            name: 'clock',
            parts: [{ type: 'text', text: 'Noon.' }],
            error: false,
            mark: later,
          },
          { type: 'text', text: 'And now?' },
        ],
      },
    ],
  })
}

export const CACHE = comparedAspect({
  id: 'TRN-CACHE',
  title: 'Cache marks',
  impact: 'high',
  request: /^\/marks(?:\/|$)/,
  // Chat completions have marks if the routes file says which.
  skips: ({ request }) => (request !== null && marksOf(request).length > 0 ? null : '--routes gives no llm.marks'),
  scenes: () => [
    scene('an-hour-and-five-minutes', marked('1h', '5m'), DONE, { needs: ['marks'] }),
    scene('five-minutes', marked('5m', '5m'), DONE, { needs: ['marks'] }),
  ],
})
