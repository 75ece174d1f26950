/** Owns the echo agent, which returns the parts of a message as a task or as a message. */
import type { AgentDefinition } from '../types.ts'
import { textOf } from './text.ts'

const modes = ['text/plain', 'application/json', '*/*']

export const echo: AgentDefinition = {
  id: 'echo',
  name: 'Echo Agent',
  description: 'Returns every part of a message unchanged',
  inputModes: modes,
  outputModes: modes,
  skills: [
    {
      id: 'echo',
      name: 'Echo',
      description: 'Completes a task with one artifact that contains the parts of the message',
      tags: ['echo', 'test'],
      examples: ['Hello, agent'],
    },
    {
      id: 'echo-message',
      name: 'Echo as a message',
      description: 'Replies with a message instead of a task when the text starts with msg:',
      tags: ['echo', 'message'],
      examples: ['msg: Hello, agent'],
    },
  ],
  steps(message, context) {
    const { parts } = message
    if (/^msg:/i.test(textOf(message).trimStart().slice(0, 4)) || context.metadata.reply === 'message')
      return { reply: parts }
    const afterMs = context.stepDelayMs(0)
    const tenant = context.tenant === null ? '' : `, tenant ${context.tenant}`
    return [
      { afterMs, artifact: { artifactId: 'echo', name: 'echo', parts } },
      { afterMs, state: 'COMPLETED', text: `Gave back ${parts.length} part(s), turn ${context.turn}${tenant}` },
    ]
  },
}
