/** Owns the headers of a client that go to a remote server, and the one that detects loops. */
import { CODES, RpcError } from '../errors.ts'
import type { CallContext } from '../types.ts'

/** Ids of the instances that a request has passed through. */
export const VIA = 'X-Svc-Mcp-Via'
const MAX_VIA_LENGTH = 2000

/** Headers for a request that is made for `context`, or for no client. */
export function forwardedHeaders(
  context: CallContext | null,
  forward: readonly string[],
  instance: string,
): Record<string, string> {
  const headers: Record<string, string> = {}
  const rawHeaders = context?.http.rawHeaders ?? []
  let via = ''
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase()
    const value = rawHeaders[index + 1]!
    if (name === VIA.toLowerCase()) via = `${via}${value}, `
    // A repeated header is sent once: its first value.
    if (forward.includes(name)) headers[name] ??= value
  }
  return { ...headers, [VIA.toLowerCase()]: `${via.slice(-MAX_VIA_LENGTH)}${instance}` }
}

/** Throws -32603 if the request has passed through this instance before. */
export function checkLoop(via: string | undefined, instance: string): void {
  if (via?.split(',').some(id => id.trim() === instance)) throw new RpcError(CODES.internal, 'loop')
}
