/** Compares requests to models as two sides of a gateway saw them. For other plugins: `probe.conversations`. */
import type { SeenRequest, SeenDifferences } from '../types.ts'
import { compareRequests, scopeOf } from './difference.ts'
import type { Wire, WireRequest } from './types.ts'
import { wireOf } from './wires.ts'

/** Null: one of them is not a request for a generation. */
export function compareSeen(sent: SeenRequest, arrived: SeenRequest, wires: readonly Wire[]): SeenDifferences | null {
  const [client, upstream] = [generationOf(sent, wires), generationOf(arrived, wires)]
  if (client === null || upstream === null) return null
  const scope = scopeOf({ client, upstream }, { side: 'request', scene: '', mode: 'plain' })
  const differences = compareRequests(
    client.readRequest(wireRequest(sent)),
    upstream.readRequest(wireRequest(arrived)),
    scope,
  )
  return {
    client: client.id,
    upstream: upstream.id,
    differences: differences.map(({ path, kind, sent: before, got, why }) => ({
      at: path,
      kind,
      ...(before === undefined ? {} : { sent: before }),
      ...(got === undefined ? {} : { arrived: got }),
      ...(why === undefined ? {} : { why }),
    })),
  }
}

function generationOf({ method, target }: SeenRequest, wires: readonly Wire[]): Wire | null {
  const found = wireOf(wires, method, target.split('?', 1)[0]!)
  return found?.operation === 'generate' ? found.wire : null
}

function wireRequest({ method, target, fields, body }: SeenRequest): WireRequest {
  return { method, path: target, fields, body: Buffer.from(body) }
}
