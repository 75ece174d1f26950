/** Streams in the grammar of the client. */
import type { Difference } from '../../wires/types.ts'
import { comparedAspect } from './compared.ts'
import { question, scene, TOOLS } from './scenes.ts'

const MODES = { modes: ['stream'] } as const

export const EVENTS = comparedAspect({
  id: 'TRN-EVENTS',
  title: "Streams in the client's grammar",
  level: 'other-spec',
  impact: 'high',
  /** What the grammar does not allow is wrong; events that clients skip are additions. */
  more: ({ received }, { scene: { id }, mode }) =>
    (received?.stream?.grammar ?? []).map(
      ({ text, isNote }): Difference => ({
        side: 'reply',
        scene: id,
        mode,
        path: '/events',
        kind: isNote ? 'added' : 'changed',
        got: text,
        why: text,
      }),
    ),
  scenes: () => [
    scene(
      'text-and-two-calls',
      question('Which weather, and what time?', { tools: [...TOOLS] }),
      {
        text: 'I look at both of them.',
        tool_calls: [
          { name: 'weather', args: { city: 'Oslo' } },
          { name: 'clock', args: {} },
        ],
      },
      MODES,
    ),
    scene(
      'thinking-and-text',
      question('Think of it.', { params: { max_tokens: 30_000 }, thinking: { effort: 'medium', budget: null } }),
      { reasoning: 'First I think.', text: 'Then I answer.' },
      MODES,
    ),
    scene('refusal', question('Do something bad.'), { refusal: 'I will not do that.' }, MODES),
    scene('no-content', question('Say nothing.'), { text: '' }, MODES),
  ],
})
