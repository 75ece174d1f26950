/** Owns the agent card of version 1.0 (A2A 1.0, 4.4.1). */
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

export function cardV1(subject: CardSubject): JsonObject & { capabilities: JsonObject } {
  const { agent, base, url } = subject
  const { streaming, pushNotifications, extendedAgentCard } = capabilitiesOf(agent)
  const { defaultInputModes, defaultOutputModes, provider, version, documentationUrl, iconUrl, ...title } =
    sharedFields(subject)
  return {
    ...title,
    // Clients use the first interface that they support.
    supportedInterfaces: [
      { url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url: `${url}/v1`, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
      { url, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
      // Clients of 0.3 append `/v1` themselves.
      { url, protocolBinding: 'HTTP+JSON', protocolVersion: '0.3' },
    ],
    provider,
    version,
    documentationUrl,
    iconUrl,
    capabilities: {
      streaming,
      pushNotifications,
      ...(extendedAgentCard ? { extendedAgentCard } : {}),
      ...extensionsOf(subject),
    },
    ...(agent.requiresToken ? { securitySchemes: schemesV1(base), securityRequirements: REQUIREMENTS_V1 } : {}),
    defaultInputModes,
    defaultOutputModes,
    skills: skillsOf(subject),
  }
}

/** Either of the two is sufficient. */
export const REQUIREMENTS_V1 = [{ schemes: { bearer: { list: [] } } }, { schemes: { oauth2: { list: [] } } }]

export function schemesV1(base: string): Record<string, JsonObject> {
  return {
    bearer: { httpAuthSecurityScheme: { description: BEARER_TEXT, scheme: 'Bearer', bearerFormat: 'JWT' } },
    oauth2: {
      oauth2SecurityScheme: {
        description: OAUTH_TEXT,
        flows: { clientCredentials: { tokenUrl: `${base}/oauth/token`, scopes: SCOPES } },
        oauth2MetadataUrl: `${base}/.well-known/oauth-authorization-server`,
      },
    },
    oidc: {
      openIdConnectSecurityScheme: {
        description: OIDC_TEXT,
        openIdConnectUrl: `${base}/.well-known/openid-configuration`,
      },
    },
  }
}
