/** Owns the agent card of version 0.3, in JSON and in the ProtoJSON of its HTTP+JSON binding. */
import { capabilitiesOf } from '../protocol/capabilities.ts'
import type { JsonObject } from '../types.ts'
import {
  BEARER_TEXT,
  type CardSubject,
  extensionsOf,
  sharedFields,
  OAUTH_TEXT,
  OIDC_TEXT,
  SCOPES,
  skillsOf,
} from './shared-fields.ts'
import { REQUIREMENTS_V1, schemesV1 } from './v1.0.ts'

export function cardV03(subject: CardSubject): JsonObject & { capabilities: JsonObject } {
  const { agent, base, url } = subject
  const { streaming, pushNotifications, extendedAgentCard } = capabilitiesOf(agent)
  return {
    protocolVersion: '0.3.0',
    url,
    preferredTransport: 'JSONRPC',
    additionalInterfaces: [
      { url, transport: 'JSONRPC' },
      { url, transport: 'HTTP+JSON' },
    ],
    ...sharedFields(subject),
    capabilities: { streaming, pushNotifications, stateTransitionHistory: false, ...extensionsOf(subject) },
    skills: skillsOf(subject),
    ...(agent.requiresToken
      ? {
          securitySchemes: schemesV03(base),
          security: [{ bearer: [] }, { oauth2: [] }],
        }
      : {}),
    ...(extendedAgentCard ? { supportsAuthenticatedExtendedCard: true } : {}),
  }
}

/** In ProtoJSON of 0.3, the security fields have the same form as in 1.0. */
export function cardV03Proto(subject: CardSubject): JsonObject {
  const card = cardV03(subject)
  return subject.agent.requiresToken
    ? { ...card, securitySchemes: schemesV1(subject.base), security: REQUIREMENTS_V1 }
    : card
}

/** Security schemes in the format of OpenAPI. */
export function schemesV03(base: string): Record<string, JsonObject> {
  return {
    bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: BEARER_TEXT },
    oauth2: {
      type: 'oauth2',
      flows: { clientCredentials: { tokenUrl: `${base}/oauth/token`, scopes: SCOPES } },
      description: OAUTH_TEXT,
    },
    oidc: {
      type: 'openIdConnect',
      openIdConnectUrl: `${base}/.well-known/openid-configuration`,
      description: OIDC_TEXT,
    },
  }
}
