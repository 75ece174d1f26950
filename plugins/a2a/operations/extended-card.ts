/** Owns the card that only bearers of a token see. */
import { renderCard } from '../cards/card.ts'
import type { Answer, Call } from '../call.ts'
import { readCredential, unauthenticated } from '../credential.ts'
import { A2aError } from '../errors.ts'

const PRIVATE = { 'Cache-Control': 'private, no-store' }

/** `GetExtendedAgentCard` and its kin. Throws Unauthenticated without a valid token. */
export async function extendedCard(call: Call): Promise<Answer> {
  if (!call.agent.requiresToken)
    throw new A2aError('UNSUPPORTED_OPERATION', `agent ${call.agent.id} has no extended card`)
  const credential = await readCredential(call)
  if (!credential.claims) throw unauthenticated(credential)
  return { result: renderCard(call, true), headers: PRIVATE }
}

/** The card of the wire for everybody, the extended one for who may see it. */
export async function plainCard(call: Call): Promise<Answer> {
  if (call.agent.requiresToken && (await readCredential(call)).claims)
    return { result: renderCard(call, true), headers: PRIVATE }
  return { result: renderCard(call, false) }
}
