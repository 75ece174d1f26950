/** Owns `server/discover`, which replaces `initialize`. */
import type { Call, MethodResult } from '../../calls/call.ts'
import { VERSION_NAMES } from '../versions.ts'
import { capabilities } from '../server-info.ts'
import type { DiscoverResult } from '../spec.ts'

export function discover({ server, version }: Call): MethodResult {
  return {
    result: {
      supportedVersions: [...VERSION_NAMES],
      capabilities: capabilities(server, version),
      instructions: server.instructions,
    } satisfies DiscoverResult,
    cache: { ttlMs: 3_600_000, cacheScope: 'public' },
  }
}
