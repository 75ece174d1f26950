/** Owns the extensions of a request (A2A 1.0, 4.6): which ones are active, and which are required. */
import { DEFAULT_AGENT, extensionsOf } from '../cards/shared-fields.ts'
import { A2aError } from '../protocol/errors.ts'
import type { AgentDefinition } from '../types.ts'

/** URIs that a request may name. */
const MAX_NAMED = 100

/** The extensions that the agent's card declares and the header names, in the order of the card. */
export function activeExtensions(agent: AgentDefinition, header: string): string[] {
  if (header === '') return []
  const named = new Set(
    header
      .split(',', MAX_NAMED)
      .map(uri => uri.trim())
      .filter(uri => uri !== ''),
  )
  return declaredExtensions(agent).filter(uri => named.has(uri))
}

/** Throws if the agent requires an extension that is not active. */
export function requireExtensions({ id, requiredExtensions = [] }: AgentDefinition, active: readonly string[]): void {
  const missing = requiredExtensions.map(({ uri }) => uri).filter(uri => !active.includes(uri))
  if (missing.length > 0)
    throw new A2aError('EXTENSION_SUPPORT_REQUIRED', `agent ${id} requires the extension ${missing.join(', ')}`, {
      metadata: { extensions: missing.join(',') },
    })
}

function declaredExtensions(agent: AgentDefinition): string[] {
  const { extensions = [] } = extensionsOf({
    agent,
    base: '',
    ...(agent.id === DEFAULT_AGENT ? { directory: [] } : {}),
  })
  return extensions.map(({ uri }) => uri)
}
