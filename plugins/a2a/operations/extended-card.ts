/** Owns the extended card, which requires an access token. */
import { renderCard } from './card.ts'
import type { OperationResult, Call } from '../calls/call.ts'
import { capabilitiesOf } from '../protocol/capabilities.ts'
import { readCredential, unauthenticated } from '../calls/credential.ts'
import { A2aError } from '../protocol/errors.ts'

const PRIVATE = { 'Cache-Control': 'private, no-store' }

/** `GetExtendedAgentCard` and `agent/getAuthenticatedExtendedCard`. Throws Unauthenticated without a valid token. */
export async function extendedCard(call: Call): Promise<OperationResult> {
  if (!call.agent.requiresToken && capabilitiesOf(call.agent).extendedAgentCard)
    throw new A2aError(
      'EXTENDED_AGENT_CARD_NOT_CONFIGURED',
      `agent ${call.agent.id} declares an extended card but has none`,
    )
  if (!call.agent.requiresToken)
    throw new A2aError('UNSUPPORTED_OPERATION', `agent ${call.agent.id} has no extended card`)
  const credential = await readCredential(call)
  if (!credential.claims) throw unauthenticated(credential)
  return { result: await renderCard(call, true), headers: PRIVATE }
}

/** The public card, or the extended one if the request has a valid token. */
export async function publicCard(call: Call): Promise<OperationResult> {
  if (call.agent.requiresToken && (await readCredential(call)).claims)
    return { result: await renderCard(call, true), headers: PRIVATE }
  return { result: await renderCard(call, false) }
}
