/** Reads how clients of a server with OAuth can get tokens, which its extensions show. */
import type { Mcp } from '../mcp.ts'
import type { Server } from '../servers/server.ts'
import type {} from '../../identity/types.ts'

/** Read whenever the extensions are shown: the control plane can create, change and remove the issuer at any time. */
export async function readGrants(server: Server, { svc }: Pick<Mcp, 'svc'>): Promise<void> {
  if (server.auth !== 'oauth') return
  server.grants = (await svc.use('identity.tokens')?.grants(server.definition.issuer)) ?? []
}
