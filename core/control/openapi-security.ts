/** Security schemes of the OpenAPI document, and `security` of its operations. */
import type {
  AuthorizationScheme,
  CredentialKind,
  NamedKey,
  RouteCredential,
  RouteExample,
} from '../contract/routes.ts'
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
  mutualTls: { type: 'mutualTLS' },
}

/** The standard security schemes, and those of the API keys and `Authorization` schemes that operations use. */
export function securitySchemes(operations: readonly Operation[]): Record<string, SecurityScheme> {
  const others = operations
    .flatMap(operation => credentialsOf(operation))
    .filter(credential => typeof credential !== 'string')
  return { ...KINDS, ...Object.fromEntries(others.map(other => [schemeName(other), describeScheme(other)])) }
}

/** The Security Requirement Objects of an operation. One is enough; an empty one means that no credential is required. */
export function securityOf(operation: Operation): Record<string, []>[] | undefined {
  const names = credentialsOf(operation).map(credential =>
    typeof credential === 'string' ? credential : schemeName(credential),
  )
  if (names.length === 0) return undefined
  return [...new Set(names)].map(name => (name === 'none' ? {} : { [name]: [] }))
}

/** Routes of the core below `/_svc/` require a credential depending on `SVC_CONTROL_AUTH`. */
function credentialsOf({ path, plugin, description }: Operation): readonly RouteCredential[] {
  return (
    description.credentials ??
    (plugin === null && path.startsWith('/_svc/') ? ['none', 'bearer', 'adminToken'] : sentBy(description.examples))
  )
}

/** Only some characters are allowed in keys of components (OpenAPI 3.1.0, 4.8.7). */
function schemeName(credential: NamedKey | AuthorizationScheme): string {
  const name = 'scheme' in credential ? `http.${credential.scheme}` : `${credential.in}.${credential.name}`
  return name.replace(/[^A-Za-z0-9._-]/g, '_')
}

function describeScheme(credential: NamedKey | AuthorizationScheme): SecurityScheme {
  return 'scheme' in credential ? { type: 'http', ...credential } : { type: 'apiKey', ...credential }
}

function sentBy(examples: RouteExample[]): CredentialKind[] {
  const kinds = examples.flatMap(example => example.auth?.type ?? [])
  if (kinds.length === 0) return []
  const needsOne = examples.every(example => example.auth || (example.expectStatus ?? 200) >= 400)
  return [...(needsOne ? [] : ['none' as const]), ...new Set(kinds)]
}
