/** Finds the agent of a request. */
import { HttpError, type FastifyRequest } from 'svc/plugin'
import type { A2a } from '../a2a.ts'
import { DEFAULT_AGENT } from '../cards/shared-fields.ts'
import type { AgentDefinition } from '../types.ts'

/** The agent that the path names, or the default agent. Throws 404 with the available ids. */
export function agentOf(a2a: A2a, request: FastifyRequest): AgentDefinition {
  const id = (request.params as { agent?: string }).agent ?? DEFAULT_AGENT
  const agent = a2a.agents.get(id)
  if (agent) return agent
  const path = request.raw.url?.split('?', 1)[0]
  throw new HttpError(404, {
    error: 'unknown_agent',
    agent: id,
    agents: a2a.agents.ids(),
    path,
    hint: 'GET /a2a lists the agents; see /openapi.json',
  })
}
