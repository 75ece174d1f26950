/** The request id: the client's own, verbatim, else a new one. */
import { randomUUID } from 'node:crypto'
import type { ServerRequest } from './context.ts'
import { firstHeader } from './header.ts'

export function requestIdOf(request: ServerRequest): string {
  return firstHeader(request, 'x-request-id')?.trim() || randomUUID()
}
