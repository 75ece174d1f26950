/** Owns selecting and rendering the card for a request. */
import type { AnyRequest } from 'svc/plugin'
import type { A2a } from '../a2a.ts'
import type { Call } from '../calls/call.ts'
import type { AgentDefinition, JsonObject } from '../types.ts'
import { httpJsonV03 } from '../wire/v0.3/http-json.ts'
import { type CardSubject, DEFAULT_AGENT } from '../cards/shared-fields.ts'
import { cardV03, cardV03Proto } from '../cards/v0.3.ts'
import { type CardVariant, variantCard } from '../cards/variants.ts'
import { cardV1 } from '../cards/v1.0.ts'

export function subjectOf(a2a: A2a, agent: AgentDefinition, request: AnyRequest): CardSubject {
  const { http } = a2a.svc
  const path = `/a2a/${agent.id}`
  // The agent's own host does not serve the other agents.
  const isAmongOthers = http.path(request, path).endsWith(path)
  return {
    agent,
    base: http.baseUrl(request),
    url: http.url(request, path).replace(/\/$/, ''),
    keysUrl: http.url(request, '/a2a/jwks.json'),
    version: a2a.svc.instance.version,
    ...(agent.id === DEFAULT_AGENT && isAmongOthers ? { directory: a2a.agents.list() } : {}),
  }
}

/** The card in the format of the call. Cards of 1.0 do not include 0.3 fields here. */
export async function renderCard({ a2a, agent, wire, request }: Call, isExtended: boolean): Promise<JsonObject> {
  const subject = { ...subjectOf(a2a, agent, request), isExtended }
  if (wire.protocolVersion === '1.0') {
    const card = cardV1(subject)
    const isSigned = isExtended && a2a.svc.options.card === 'signed'
    return isSigned ? { ...card, signatures: [await a2a.signer.sign(card, subject.keysUrl)] } : card
  }
  return wire === httpJsonV03 ? cardV03Proto(subject) : cardV03(subject)
}

/** A variant of the public card. */
export function renderVariant(
  a2a: A2a,
  agent: AgentDefinition,
  request: AnyRequest,
  variant: CardVariant,
): Promise<JsonObject> {
  const { signer } = a2a
  return variantCard(variant, subjectOf(a2a, agent, request), {
    signer,
    tenants: a2a.tenants,
    grpcTarget: grpcTarget(a2a, request),
  })
}

/** The gRPC listener at the host that the client used. */
function grpcTarget({ svc }: A2a, request: AnyRequest): string | null {
  const { grpc } = svc.instance.ports()
  const { host } = svc.http.origin(request)
  return grpc === null ? null : `${host.includes(':') ? `[${host}]` : host}:${grpc}`
}
