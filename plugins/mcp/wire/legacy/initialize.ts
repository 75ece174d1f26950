/** Owns `initialize`, which negotiates the parameters of a session. */
import type { RpcRequest } from '../../protocol/json-rpc.ts'
import { readCapabilities } from '../../protocol/questions.ts'
import type { Server } from '../../servers/server.ts'
import type { SessionParameters, Transport } from '../../sessions/session-record.ts'
import type { Session } from '../../sessions/session.ts'
import type { JsonObject } from '../../types.ts'
import { negotiate } from '../../protocol/versions.ts'
import { capabilities, serverInfo } from '../../servers/server-info.ts'
import type { InitializeResult } from '../../protocol/spec.ts'

/** Invalid members of `params` count as absent. */
export function readSessionParameters(
  { params }: RpcRequest,
  server: Server,
  transport: Transport,
  { claims, owner }: { claims: JsonObject | null; owner: string | null },
): SessionParameters {
  return {
    server: server.name,
    transport,
    version: negotiate(params.protocolVersion).name,
    capabilities: readCapabilities(params.capabilities),
    principal: typeof claims?.sub === 'string' ? claims.sub : null,
    owner,
  }
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
