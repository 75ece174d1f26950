/** Owns what an agent supports, as its card declares it. */
import { A2aError } from './errors.ts'
import type { AgentDefinition } from '../types.ts'

/** What the agent can do, with the defaults. */
export function capabilitiesOf({ capabilities, requiresToken = false }: AgentDefinition): {
  streaming: boolean
  pushNotifications: boolean
  extendedAgentCard: boolean
} {
  return { streaming: true, pushNotifications: true, extendedAgentCard: requiresToken, ...capabilities }
}

/** Throws if the agent has no streams. */
export function requireStreaming(agent: AgentDefinition): void {
  if (!capabilitiesOf(agent).streaming)
    throw new A2aError('UNSUPPORTED_OPERATION', `agent ${agent.id} does not support streaming`)
}

/** Throws if the agent does not send push notifications. */
export function requirePush(agent: AgentDefinition): void {
  if (!capabilitiesOf(agent).pushNotifications)
    throw new A2aError('PUSH_NOTIFICATION_NOT_SUPPORTED', `agent ${agent.id} does not support push notifications`)
}
