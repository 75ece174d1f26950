/** Owns the identifiers of protocol extensions, and the errors when a client does not support one. */
import { isRecord } from 'svc/toolkit'
import { CODES, RpcError } from './errors.ts'

export const TASKS = 'io.modelcontextprotocol/tasks'
export const SKILLS = 'io.modelcontextprotocol/skills'
export const UI = 'io.modelcontextprotocol/ui'
export const CLIENT_CREDENTIALS = 'io.modelcontextprotocol/oauth-client-credentials'
export const ENTERPRISE = 'io.modelcontextprotocol/enterprise-managed-authorization'

/** More extensions of a client are ignored. */
const MAX_DECLARED = 32
const NONE: ReadonlySet<string> = new Set()

/** The extensions that the capabilities of a client declare; values that are not objects count as absent. */
export function readExtensions(capabilities: unknown): ReadonlySet<string> {
  if (!isRecord(capabilities) || !isRecord(capabilities.extensions)) return NONE
  const declared = Object.entries(capabilities.extensions).filter(([, settings]) => isRecord(settings))
  return new Set(declared.slice(0, MAX_DECLARED).map(([id]) => id))
}

/** -32021: the request requires an extension that the client did not declare. */
export function missingExtension(id: string): RpcError {
  return new RpcError(CODES.missingCapability, `Missing required client capability: extension ${id}`, {
    status: 400,
    data: { requiredCapabilities: { extensions: { [id]: {} } } },
  })
}
