/** Owns reading the envelope (`_meta`) of a stateless request and checking the headers that repeat parts of the body. */
import { isRecord, shownText } from 'svc/toolkit'
import { isLogLevel, LOG_LEVELS } from '../../servers/call.ts'
import { CODES, RpcError, shorten } from '../../errors.ts'
import type { RpcRequest } from '../../protocol/json-rpc.ts'
import { readExtensions } from '../../extensions.ts'
import { readCapabilities, type ClientCapabilities } from '../../protocol/questions.ts'
import type { Server } from '../../servers/server.ts'
import type { JsonObject, LogLevel } from '../../types.ts'
import { STATELESS, VERSION_NAMES } from '../../protocol/versions.ts'
import { decodeHeader, equalsArgument, type HeaderReader, mismatch, routedName } from '../../protocol/headers.ts'

export const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities'
const LOG_LEVEL_KEY = 'io.modelcontextprotocol/logLevel'

export interface Envelope {
  clientCapabilities: ClientCapabilities
  extensions: ReadonlySet<string>
  logLevel: LogLevel | null
}

/** The input of a check. */
interface Subject {
  request: RpcRequest
  meta: JsonObject
  server: Server
  header: HeaderReader
}

/** In the order of the specification; the first failed check determines the error. */
const CHECKS: readonly ((subject: Subject) => void)[] = [
  requireKeys,
  requireLogLevel,
  matchVersionHeader,
  requireServedVersion,
  matchMethodHeader,
  matchNameHeader,
  matchArgumentHeaders,
]

/** Checks the envelope and headers of a request. Throws -32602, -32020 or -32022, each with status 400. */
export function readEnvelope(request: RpcRequest, server: Server, header: HeaderReader): Envelope {
  const { _meta } = request.params
  const subject: Subject = { request, meta: isRecord(_meta) ? _meta : {}, server, header }
  for (const check of CHECKS) check(subject)
  return {
    clientCapabilities: new Set(readCapabilities(subject.meta[CAPABILITIES_KEY])),
    extensions: readExtensions(subject.meta[CAPABILITIES_KEY]),
    logLevel: (subject.meta[LOG_LEVEL_KEY] as LogLevel | undefined) ?? null,
  }
}

function requireKeys({ meta }: Subject): void {
  const missing: string[] = []
  if (typeof meta[VERSION_KEY] !== 'string') missing.push(`${VERSION_KEY} (string)`)
  if (!isRecord(meta[CAPABILITIES_KEY])) missing.push(`${CAPABILITIES_KEY} (object)`)
  if (missing.length > 0) throw invalidEnvelope(`missing or malformed in params._meta: ${missing.join(', ')}`)
}

function requireLogLevel({ meta }: Subject): void {
  const level = meta[LOG_LEVEL_KEY]
  if (level !== undefined && !isLogLevel(level))
    throw invalidEnvelope(`${LOG_LEVEL_KEY} must be one of ${LOG_LEVELS.join(', ')}`)
}

function matchVersionHeader({ meta, header }: Subject): void {
  const value = header('mcp-protocol-version')
  if (value === undefined) throw mismatch('MCP-Protocol-Version header is required')
  if (value !== meta[VERSION_KEY])
    throw mismatch(
      `MCP-Protocol-Version header value '${shorten(value ?? '')}' does not match body value '${shorten(shownText(meta[VERSION_KEY]))}'`,
    )
}

function requireServedVersion({ meta }: Subject): void {
  if (meta[VERSION_KEY] !== STATELESS.name) throw unsupportedVersion(shownText(meta[VERSION_KEY]))
}

function matchMethodHeader({ request, header }: Subject): void {
  const value = header('mcp-method')
  if (value === undefined) throw mismatch('Mcp-Method header is required')
  if (value !== request.method)
    throw mismatch(
      `Mcp-Method header value '${shorten(value ?? '')}' does not match body value '${shorten(request.method)}'`,
    )
}

function matchNameHeader({ request, server, header }: Subject): void {
  const name = routedName(request, server.hasTasks)
  if (typeof name !== 'string') return
  const raw = header('mcp-name')
  if (raw === undefined) throw mismatch('Mcp-Name header is required')
  const value = raw === null ? null : decodeHeader('Mcp-Name', raw)
  if (value !== name)
    throw mismatch(`Mcp-Name header value '${shorten(value ?? '')}' does not match body value '${shorten(name)}'`)
}

function matchArgumentHeaders({ request, server, header }: Subject): void {
  const tool = request.method === 'tools/call' ? server.tools.get(shownText(request.params.name)) : undefined
  const args = isRecord(request.params.arguments) ? request.params.arguments : {}
  for (const [name, { argument, header: shown }] of tool?.routed ?? []) {
    const raw = header(name)
    const value = Object.hasOwn(args, argument) ? (args[argument] ?? null) : null
    if (raw === undefined && value === null) continue
    if (raw === undefined) throw mismatch(`${shown} header is required`)
    if (raw === null || value === null || !equalsArgument(decodeHeader(shown, raw), value))
      throw mismatch(`${shown} header does not match the argument '${argument}'`)
  }
}

function invalidEnvelope(problem: string): RpcError {
  return new RpcError(CODES.invalidParams, `Invalid request envelope: ${problem}`, { status: 400 })
}

/** The error for an unsupported version, in all revisions. */
export function unsupportedVersion(requested: string): RpcError {
  return new RpcError(CODES.unsupportedVersion, 'Unsupported protocol version', {
    status: 400,
    data: { supported: VERSION_NAMES, requested: shorten(requested) },
  })
}
