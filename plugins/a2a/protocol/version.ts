/** Owns reading the protocol version of a request (A2A 1.0, 3.6). */
import { readQuery, type FastifyRequest } from 'svc/plugin'
import { versionNotSupported, type A2aError } from './errors.ts'

export type ProtocolVersion = '1.0' | '0.3'

export interface RequestedVersion {
  text: string
  /** Null: not a supported version. */
  protocolVersion: ProtocolVersion | null
}

/** The header `A2A-Version`, else the query parameter of that name (any case). Default: 0.3. */
export function readVersion(request: FastifyRequest): RequestedVersion {
  const header = request.headers['a2a-version']
  const text = (typeof header === 'string' ? header.trim() : '') || versionInQuery(request)
  return text === '' ? { text: '0.3', protocolVersion: '0.3' } : parseVersion(text)
}

export function parseVersion(text: string): RequestedVersion {
  if (/^1(?:\.0(?:\.\d{1,9})?)?$/.test(text)) return { text, protocolVersion: '1.0' }
  return { text, protocolVersion: /^0\.3(?:\.\d{1,9})?$/.test(text) ? '0.3' : null }
}

function versionInQuery(request: FastifyRequest): string {
  if (!request.raw.url?.includes('?')) return ''
  for (const [name, value] of readQuery(request)) if (name.toLowerCase() === 'a2a-version') return value.trim()
  return ''
}

/** The error for an unknown version, or for a method that belongs to another version (`protocolVersion`). */
export function wrongVersion(
  { text, protocolVersion: asked }: RequestedVersion,
  protocolVersion?: ProtocolVersion,
): A2aError {
  if (asked === null || protocolVersion === undefined) return versionNotSupported(text, '(expected 1.0 or 0.3)')
  return versionNotSupported(text, `by this method (send the header A2A-Version: ${protocolVersion})`)
}
