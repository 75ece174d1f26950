/** Owns the flaky agent, which fails unless it is asked to succeed. */
import type { AgentDefinition } from '../types.ts'
import { textOf } from './text.ts'

export const flaky: AgentDefinition = {
  id: 'flaky',
  name: 'Flaky Agent',
  description: 'Fails unless the text contains "succeed"',
  inputModes: ['text/plain'],
  outputModes: ['text/plain'],
  skills: [
    {
      id: 'unreliable',
      name: 'Unreliable work',
      description: 'Shows what a failed task looks like',
      tags: ['failure', 'test'],
      examples: ['Try it', 'Please succeed'],
    },
  ],
  steps(message, context) {
    const afterMs = context.stepDelayMs(100)
    const working = { afterMs, state: 'WORKING', text: 'Trying' } as const
    if (!/succeed/i.test(textOf(message)))
      return [working, { afterMs, state: 'FAILED', text: 'It failed, as it does unless asked to succeed' }]
    return [
      working,
      { afterMs, artifact: { artifactId: 'result', name: 'result', parts: [{ text: 'It worked this time' }] } },
      { state: 'COMPLETED', text: 'It worked this time' },
    ]
  },
}
