/** Registers the demo agents in the order in which they are listed. */
import type { A2aAgents, AgentDefinition } from '../types.ts'
import { approval } from './approval.ts'
import { echo } from './echo.ts'
import { flaky } from './flaky.ts'
import { secure } from './secure.ts'
import { TEST_AGENTS } from './test-agents.ts'
import { travelPlanner } from './travel-planner.ts'
import { weather } from './weather.ts'

const reject: AgentDefinition = {
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

export function registerDemoAgents(agents: A2aAgents): void {
  for (const agent of [echo, weather, travelPlanner, approval, flaky, secure, reject, ...TEST_AGENTS])
    agents.agent(agent)
}
