/** Owns the variants of the 1.0 card: signed, signed wrongly, and with more interfaces. */
import type { JsonObject } from '../types.ts'
import type { CardSubject } from './shared-fields.ts'
import { type CardSigner, unsigned, withWrongBit } from './signer.ts'
import { cardV1 } from './v1.0.ts'

export const CARD_VARIANTS = [
  'signed',
  'signed-wrong',
  'signed-tampered',
  'signed-unknown-key',
  'signed-stale',
  'signed-none',
  'signed-two',
  'grpc',
  'tenant',
  'full',
] as const
export type CardVariant = (typeof CARD_VARIANTS)[number]

export interface VariantParts {
  readonly signer: CardSigner
  /** `host:port` of the gRPC listener, as clients reach it. Null: it is off. */
  readonly grpcTarget: string | null
  readonly tenants: readonly string[]
}

/** The host in the URLs of a card that was signed before a gateway replaced them. */
const STALE_BASE = 'https://agents.example'

export function isCardVariant(name: string): name is CardVariant {
  return CARD_VARIANTS.some(known => known === name)
}

export async function variantCard(
  variant: CardVariant,
  subject: CardSubject,
  parts: VariantParts,
): Promise<JsonObject> {
  const { signer } = parts
  const card = cardV1(subject)
  const jku = subject.keysUrl
  const signed = (signatures: unknown[], shown: JsonObject = card): JsonObject => ({ ...shown, signatures })
  switch (variant) {
    case 'signed':
      return signed([await signer.sign(card, jku)])
    case 'signed-wrong':
      return signed([withWrongBit(await signer.sign(card, jku))])
    case 'signed-tampered':
      return signed([await signer.sign(card, jku)], { ...card, name: `${subject.agent.name} (changed)` })
    case 'signed-unknown-key':
      return signed([await signer.signUnknown(card, jku)])
    case 'signed-stale':
      return signed([
        await signer.sign(cardV1({ ...subject, base: STALE_BASE, url: `${STALE_BASE}/a2a/${subject.agent.id}` }), jku),
      ])
    case 'signed-none':
      return signed([unsigned(jku)])
    case 'signed-two':
      return signed([await signer.signUnknown(card, jku), await signer.sign(card, jku)])
    case 'grpc':
      return withInterfaces(card, grpcInterfaces(subject, parts))
    case 'tenant':
      return withInterfaces(card, tenantInterfaces(card, parts))
    case 'full': {
      const full = withInterfaces(card, [...grpcInterfaces(subject, parts), ...tenantInterfaces(card, parts)])
      return signed([await signer.sign(full, jku)], full)
    }
  }
}

function withInterfaces(card: JsonObject, more: JsonObject[]): JsonObject {
  return { ...card, supportedInterfaces: [...interfacesOf(card), ...more] }
}

function interfacesOf(card: JsonObject): JsonObject[] {
  return card.supportedInterfaces as JsonObject[]
}

/** A port has no path, so the tenant names the agent. */
function grpcInterfaces({ agent }: CardSubject, { grpcTarget }: VariantParts): JsonObject[] {
  if (grpcTarget === null) return []
  return [{ url: grpcTarget, protocolBinding: 'GRPC', protocolVersion: '1.0', tenant: agent.id }]
}

/** The first two interfaces, both bindings of 1.0, for each tenant. */
function tenantInterfaces(card: JsonObject, { tenants }: VariantParts): JsonObject[] {
  const bindings = interfacesOf(card).slice(0, 2)
  return tenants.flatMap(tenant => bindings.map(binding => ({ ...binding, tenant })))
}
