/**
 * The bytes of a connection that the kernel has not taken. `writeQueueSize` is undocumented: if it is missing, there seem to
 * be none.
 */
import type { Socket } from 'node:net'

interface Internals {
  readonly _handle?: { readonly writeQueueSize?: number } | null
}

export function unwrittenBytes(socket: Socket): number {
  return (socket as Internals)._handle?.writeQueueSize ?? 0
}
