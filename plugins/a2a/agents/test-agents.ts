/** Agents that show what a correct agent seldom does. They are in no list. */
import type { AgentDefinition } from '../types.ts'
import { textOf } from './text.ts'

const TRACE_EXTENSION = 'urn:svc:a2a:extension:trace:v1'

const modes = ['text/plain']

const skill = (id: string, description: string): AgentDefinition['skills'] => [
  { id, name: id, description, tags: ['test'], examples: ['Anything'] },
]

const noStream: AgentDefinition = {
  id: 'no-stream',
  name: 'Agent without Streams',
  description: 'Supports neither streaming nor push notifications',
  inputModes: modes,
  outputModes: modes,
  listed: false,
  capabilities: { streaming: false, pushNotifications: false },
  skills: skill('no-stream', 'Rejects streams, subscriptions and push notification configs'),
  steps: message => [{ state: 'COMPLETED', text: `Received ${textOf(message).length} character(s)` }],
}

const cardMissing: AgentDefinition = {
  id: 'card-missing',
  name: 'Agent without its Extended Card',
  description: 'Declares an extended card but has none',
  inputModes: modes,
  outputModes: modes,
  listed: false,
  capabilities: { extendedAgentCard: true },
  skills: skill('card-missing', 'Rejects requests for its extended card'),
  steps: () => [{ state: 'COMPLETED', text: 'Done' }],
}

const needsExtension: AgentDefinition = {
  id: 'needs-extension',
  name: 'Agent with a Required Extension',
  description: 'Requires an extension that returns the trace context of the request',
  inputModes: modes,
  outputModes: modes,
  listed: false,
  requiredExtensions: [{ uri: TRACE_EXTENSION, description: 'Returns the traceparent of the request' }],
  skills: skill('needs-extension', 'Returns the trace context of the request'),
  steps: (_message, { traceparent }) => ({
    reply: [{ text: traceparent === null ? 'No trace context' : 'The trace context is in the metadata' }],
    metadata: { [TRACE_EXTENSION]: { traceparent } },
  }),
}

const invalidResponse: AgentDefinition = {
  id: 'invalid-response',
  name: 'Agent with Invalid Responses',
  description: 'Returns a result that is neither a task nor a message',
  inputModes: modes,
  outputModes: modes,
  listed: false,
  skills: skill('invalid-response', 'Shows what a client does with an invalid result'),
  steps: () => ({ invalidReply: { unexpected: true } }),
}

export const TEST_AGENTS: readonly AgentDefinition[] = [noStream, cardMissing, needsExtension, invalidResponse]
