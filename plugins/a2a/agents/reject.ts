/** Owns the agent that rejects every task. */
import type { AgentDefinition } from '../types.ts'

export const reject: AgentDefinition = {
  id: 'reject',
  name: 'Reject Agent',
  description: 'Rejects every task',
  inputModes: ['text/plain'],
  outputModes: ['text/plain'],
  skills: [
    {
      id: 'reject',
      name: 'Reject',
      description: 'Shows what a rejected task looks like',
      tags: ['rejection', 'test'],
      examples: ['Anything'],
    },
  ],
  steps: (_message, context) => [
    { afterMs: context.stepDelayMs(0), state: 'REJECTED', text: 'This agent takes no work' },
  ],
}
