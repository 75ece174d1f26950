/** Parameters of requests. */
import { comparedAspect } from './compared.ts'
import { DONE, question, scene } from './scenes.ts'

export const PARAMS = comparedAspect({
  id: 'TRN-PARAMS',
  title: 'Parameters',
  impact: 'medium',
  request: /^\/(?:params|thinking|user)(?:\/|$)/,
  // Gateways leave it out for models that do not think, and these would refuse it.
  warns: ({ path, kind }) => path === '/thinking' && kind === 'lost',
  scenes: () => [
    scene(
      'all',
      question('Say something.', {
        params: {
          max_tokens: 321,
          temperature: 0.35,
          top_p: 0.85,
          top_k: 17,
          stop: ['HALT', 'CEASE'],
          seed: 4_711,
          frequency_penalty: 0.25,
          presence_penalty: 0.15,
        },
        user: 'user-0815',
      }),
      DONE,
    ),
    scene(
      'zeros',
      question('Say it again.', {
        // The smallest limit that all vendors take.
        params: { max_tokens: 16, temperature: 0, seed: 0, frequency_penalty: 0, presence_penalty: 0 },
      }),
      DONE,
    ),
    scene('small', question('Say less.', { params: { max_tokens: 77, top_p: 0.001 } }), DONE),
    scene('limit', question('Say a little.', { params: { max_tokens: 123 } }), DONE),
    scene(
      'effort',
      // Larger than any budget, so that no target needs another limit.
      question('Think of it.', { params: { max_tokens: 30_000 }, thinking: { effort: 'medium', budget: null } }),
      DONE,
    ),
  ],
})
