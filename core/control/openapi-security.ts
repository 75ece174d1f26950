/** Security schemes of the OpenAPI document, and `security` of its operations. */
import type { CredentialKind, NamedKey, RouteExample } from '../contract/routes.ts'
import type { Operation } from './operations.ts'

/** The part of a Security Scheme Object (OpenAPI 3.1.0, 4.8.27) that svc uses. */
export type SecurityScheme = Record<string, string>

const KINDS: Record<Exclude<CredentialKind, 'none'>, SecurityScheme> = {
  basic: { type: 'http', scheme: 'basic' },
  bearer: { type: 'http', scheme: 'bearer' },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
  adminToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Svc-Admin-Token',
    description: 'The value of `SVC_ADMIN_TOKEN`, or a token that `SVC_CONTROL_AUTH` accepts',
  },
}

/** The standard security schemes and those of the API keys that operations use. */
export function securitySchemes(operations: readonly Operation[]): Record<string, SecurityScheme> {
  const keys = operations
    .flatMap(operation => credentialsOf(operation))
    .filter(credential => typeof credential !== 'string')
  return { ...KINDS, ...Object.fromEntries(keys.map(key => [schemeName(key), { type: 'apiKey', ...key }])) }
}

/** The Security Requirement Objects of an operation. One is enough; an empty one means that no credential is required. */
export function securityOf(operation: Operation): Record<string, []>[] | undefined {
  const credentials = credentialsOf(operation)
  if (credentials.length === 0) return undefined
  return credentials.map(credential =>
    credential === 'none' ? {} : { [typeof credential === 'string' ? credential : schemeName(credential)]: [] },
  )
}

/** Routes of the core below `/_svc/` require a credential depending on `SVC_CONTROL_AUTH`. */
function credentialsOf({ path, plugin, description }: Operation): readonly (CredentialKind | NamedKey)[] {
  return (
    description.credentials ??
    (plugin === null && path.startsWith('/_svc/') ? ['none', 'bearer', 'adminToken'] : sentBy(description.examples))
  )
}

/** Only some characters are allowed in keys of components (OpenAPI 3.1.0, 4.8.7). */
function schemeName(key: NamedKey): string {
  return `${key.in}.${key.name}`.replace(/[^A-Za-z0-9._-]/g, '_')
}

function sentBy(examples: RouteExample[]): CredentialKind[] {
  const kinds = examples.flatMap(example => example.auth?.type ?? [])
  if (kinds.length === 0) return []
  const needsOne = examples.every(example => example.auth || (example.expectStatus ?? 200) >= 400)
  return [...(needsOne ? [] : ['none' as const]), ...new Set(kinds)]
}
