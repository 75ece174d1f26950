/** Owns the public card, which clients of both protocol versions understand. */
import type { JsonObject } from '../types.ts'
import type { CardSubject } from './shared-fields.ts'
import { cardV03, schemesV03 } from './v0.3.ts'
import { cardV1, schemesV1 } from './v1.0.ts'

/** The 1.0 card, plus all keys that only the 0.3 card has. */
export function combinedCard(subject: CardSubject): JsonObject {
  const v1 = cardV1(subject)
  const v03 = cardV03(subject)
  const card: JsonObject = { ...v1, ...v03, ...v1, capabilities: { ...v03.capabilities, ...v1.capabilities } }
  if (!subject.agent.requiresToken) return card
  const legacy = schemesV03(subject.base)
  const schemes = Object.entries(schemesV1(subject.base)).map(([name, scheme]) => [
    name,
    { ...legacy[name], ...scheme },
  ])
  return { ...card, securitySchemes: Object.fromEntries(schemes) }
}
