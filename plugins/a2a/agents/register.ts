/** Registers the demo agents in the order in which they are listed. */
import type { A2aAgents } from '../types.ts'
import { approval } from './approval.ts'
import { echo } from './echo.ts'
import { flaky } from './flaky.ts'
import { reject } from './reject.ts'
import { secure } from './secure.ts'
import { TEST_AGENTS } from './test-agents.ts'
import { travelPlanner } from './travel-planner.ts'
import { weather } from './weather.ts'

export function registerDemoAgents(agents: A2aAgents): void {
  for (const agent of [echo, weather, travelPlanner, approval, flaky, secure, reject, ...TEST_AGENTS])
    agents.agent(agent)
}
