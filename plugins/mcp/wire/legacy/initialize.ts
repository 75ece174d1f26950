/** Owns `initialize`, which negotiates the parameters of a session. */
import { isRecord } from 'svc/toolkit'
import type { RpcRequest } from '../../protocol/json-rpc.ts'
import { readCapabilities } from '../../protocol/questions.ts'
import { invalidParams } from '../../errors.ts'
import type { Server } from '../../servers/server.ts'
import type { SessionParameters, Transport } from '../../sessions/session-record.ts'
import type { Session } from '../../sessions/session.ts'
import type { JsonObject } from '../../types.ts'
import { negotiate } from '../../protocol/versions.ts'
import { capabilities, serverInfo } from '../../servers/server-info.ts'
import type { InitializeResult } from '../../protocol/spec.ts'

/** Throws -32602 if a required member of `params` is missing or has another type. Unknown revisions are negotiated. */
export function readSessionParameters(
  { params }: RpcRequest,
  server: Server,
  transport: Transport,
  { claims, owner }: { claims: JsonObject | null; owner: string | null },
): SessionParameters {
  checkParams(params)
  return {
    server: server.name,
    transport,
    version: negotiate(params.protocolVersion).name,
    capabilities: readCapabilities(params.capabilities),
    principal: typeof claims?.sub === 'string' ? claims.sub : null,
    owner,
  }
}

function checkParams({ protocolVersion, capabilities, clientInfo }: JsonObject): void {
  if (typeof protocolVersion !== 'string') throw invalidParams('"protocolVersion" must be a string')
  if (!isRecord(capabilities)) throw invalidParams('"capabilities" must be an object')
  if (!isRecord(clientInfo) || typeof clientInfo.name !== 'string' || typeof clientInfo.version !== 'string')
    throw invalidParams('"clientInfo" must be an object with the strings "name" and "version"')
}

/** The JSON text of the result. */
export function initializeResult(session: Session, server: Server): string {
  return JSON.stringify({
    protocolVersion: session.version.name,
    capabilities: capabilities(server, session.version),
    serverInfo: serverInfo(server, session.version),
    instructions: server.instructions,
  } satisfies InitializeResult)
}
