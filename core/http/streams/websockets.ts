/** What the core does for every WebSocket of a generation, whichever plugin serves it. */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { WebSocket, WebSocketServer } from 'ws'
import { contextOf } from '../request/context.ts'
import { badRequest } from '../response/error-bodies.ts'
import { defaultHeaders } from '../response/default-headers.ts'
import { rawResponse } from '../sockets/raw-response.ts'
import type { StreamRegistry } from './stream-registry.ts'
import type { StreamPlan } from './stream-plan.ts'
import type { LargeMessages } from './large-messages.ts'
import { isCompressed, type SocketKind } from './websocket-routes.ts'
import type { WebSocketMemory } from './websocket-memory.ts'
import { registerWebSocket } from './websocket-stream.ts'

export interface WebSocketServices {
  streams: StreamRegistry
  plan: StreamPlan
  memory: WebSocketMemory
  largeMessages: LargeMessages
}

/**
 * Adds every socket to the stream registry and the bounds on unsent data, and adds the headers of every response to the
 * 101.
 */
export function adoptWebSockets(
  server: WebSocketServer,
  { generation, kind }: { generation: number; kind: SocketKind },
  { streams, plan, memory, largeMessages }: WebSocketServices,
): void {
  server.on('headers', (lines: string[], request: IncomingMessage) => {
    const context = contextOf(request)
    context.lease?.becomeStream()
    const headers = { ...defaultHeaders(context), ...context.response.getHeaders() }
    for (const name in headers) for (const value of [headers[name]].flat()) lines.push(`${name}: ${String(value)}`)
    context.headGoesOut(101)
  })
  server.on('connection', (socket: WebSocket, request: IncomingMessage) => {
    socket.on('error', () => {})
    if (kind === 'large') largeMessages.watch(socket, request.socket)
    memory.adopt(socket, contextOf(request).clientIp)
    if (isCompressed(kind) && socket.extensions !== '') memory.adoptCompressed(socket)
    contextOf(request).webSocket = registerWebSocket(streams, socket, { generation, planLifetimeMs: plan.lifetimeMs })
  })
  server.on('wsClientError', (error: Error, socket: Socket, request: IncomingMessage) => {
    const { requestId } = contextOf(request)
    socket.end(rawResponse({ status: 400, headers: { 'X-Request-Id': requestId }, body: badRequest(error.message) }))
  })
}
