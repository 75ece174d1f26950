/** Owns `server/discover`, which replaces `initialize`. */
import { readGrants } from '../../access/grants.ts'
import type { Call, MethodResult } from '../../calls/call.ts'
import { VERSION_NAMES } from '../versions.ts'
import { capabilities } from '../server-info.ts'
import type { DiscoverResult } from '../spec.ts'
import type { Mcp } from '../../mcp.ts'

export async function discover({ server, version }: Call, mcp: Mcp): Promise<MethodResult> {
  await readGrants(server, mcp)
  return {
    result: {
      supportedVersions: [...VERSION_NAMES],
      capabilities: capabilities(server, version),
      instructions: server.instructions,
    } satisfies DiscoverResult,
    cache: { ttlMs: 3_600_000, cacheScope: 'public' },
  }
}
