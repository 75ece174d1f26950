/** System prompts arrive as such. */
import type { Difference, Request } from '../../wires/types.ts'
import { comparedAspect } from './compared.ts'
import { DONE, question, scene, textPart } from './scenes.ts'
import type { ExchangeEvidence, JudgeFacts, SceneEvidence } from './types.ts'

const FIRST = 'You answer with few words.'
const SECOND = 'You never mention the weather.'
/** Whose requests have messages of developers. */
const WITH_DEVELOPERS = new Set<string>(['chat', 'azure', 'responses'])

export const SYSTEM = comparedAspect({
  id: 'TRN-SYSTEM',
  title: 'System prompts',
  impact: 'medium',
  request: /^\/system(?:\/|$)/,
  more: inTurns,
  scenes({ client }) {
    const ask = (system: Request['system']): Request => question('Who are you?', { system })
    return [
      scene('one', ask([{ text: FIRST, after: 0 }]), DONE),
      scene(
        'two',
        ask([
          { text: FIRST, after: 0 },
          { text: SECOND, after: 0 },
        ]),
        DONE,
      ),
      ...(WITH_DEVELOPERS.has(client.id)
        ? [scene('developer', ask([{ text: FIRST, after: 0, isDeveloper: true }]), DONE)]
        : []),
      scene(
        'behind-the-first-turn',
        question('', {
          system: [{ text: SECOND, after: 2 }],
          turns: [
            { role: 'user', parts: [textPart('My first question.')] },
            { role: 'assistant', parts: [textPart('My first answer.')] },
            { role: 'user', parts: [textPart('My second question.')] },
          ],
        }),
        DONE,
        { needs: ['late-system'] },
      ),
    ]
  },
})

/** A user could have written what is in a turn. */
function inTurns({ sent, arrivals }: ExchangeEvidence, { scene, mode }: SceneEvidence, { pair }: JudgeFacts) {
  const arrived = arrivals.at(-1)?.request?.turns ?? []
  return (sent.request?.system ?? []).flatMap(({ text, after }): Difference[] => {
    const place = arrived.findIndex(({ parts }) => parts.some(part => part.type === 'text' && part.text.includes(text)))
    if (place === -1) return []
    const isUnavoidable = after > 0 && pair.upstream.limits.request.has('late-system')
    return [
      {
        side: 'request',
        scene: scene.id,
        mode,
        path: `/turns/${place}`,
        kind: isUnavoidable ? 'unavoidable' : 'changed',
        got: text,
        why: 'a turn has the system prompt',
      },
    ]
  })
}
