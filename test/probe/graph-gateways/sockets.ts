/** WebSockets of the toy gateway: towards its clients, and towards subgraphs. */
import { on, once } from 'node:events'
import type { Server } from 'node:http'
import {
  Kind,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql'
import { createClient } from 'graphql-ws'
import { useServer } from 'graphql-ws/use/ws'
import { WebSocket, WebSocketServer } from 'ws'

/** The results of a subscription at a subgraph. `isComplete`: the subgraph has ended it. */
export type SubgraphEvent = { data: Record<string, unknown> } | { isComplete: true }

/** Accepts `graphql-transport-ws` at `/graphql/ws`. `subscribe` ends when its generator returns. */
export function serveSockets(
  server: Server,
  schema: GraphQLSchema,
  subscribe: (operation: OperationDefinitionNode) => AsyncGenerator<ExecutionResult>,
): () => void {
  const sockets = new WebSocketServer({ server, path: '/graphql/ws' })
  const own = (args: ExecutionArgs): AsyncGenerator<ExecutionResult> => {
    const operation = args.document.definitions.find(one => one.kind === Kind.OPERATION_DEFINITION)!
    return subscribe(operation)
  }
  useServer({ schema, subscribe: own as never }, sockets)
  return () => {
    for (const socket of sockets.clients) socket.terminate()
    sockets.close()
  }
}

/** Subscribes at the socket of a subgraph. */
export async function* socketEvents(url: string, query: string, signal: AbortSignal): AsyncGenerator<SubgraphEvent> {
  const address = `${url.replace(/^http/, 'ws')}/ws`
  const client = createClient({ url: address, webSocketImpl: WebSocket, retryAttempts: 0 })
  const leave = (): void => void client.dispose()
  signal.addEventListener('abort', leave)
  try {
    for await (const { data } of client.iterate<Record<string, unknown>>({ query })) if (data != null) yield { data }
    yield { isComplete: true }
  } finally {
    signal.removeEventListener('abort', leave)
    await client.dispose()
  }
}

/** The same with the older protocol, `graphql-ws`. */
export async function* legacySocketEvents(
  url: string,
  query: string,
  signal: AbortSignal,
): AsyncGenerator<SubgraphEvent> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/ws`, 'graphql-ws')
  const send = (message: object): void => socket.send(JSON.stringify(message))
  const leave = (): void => {
    send({ id: '1', type: 'stop' })
    socket.close()
  }
  await once(socket, 'open', { signal })
  signal.addEventListener('abort', leave)
  try {
    send({ type: 'connection_init', payload: {} })
    send({ id: '1', type: 'start', payload: { query } })
    for await (const [text] of on(socket, 'message', { close: ['close'] })) {
      const { type, payload } = JSON.parse(String(text)) as { type: string; payload: { data: Record<string, unknown> } }
      if (type === 'data') yield { data: payload.data }
      if (type === 'complete') return yield { isComplete: true }
    }
  } finally {
    signal.removeEventListener('abort', leave)
    socket.terminate()
  }
}

/** Subscribes by server-sent events. */
export async function* streamEvents(url: string, query: string, signal: AbortSignal): AsyncGenerator<SubgraphEvent> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query }),
    signal,
  })
  for await (const { name, data } of eventsOf(response)) {
    if (name === 'complete') yield { isComplete: true }
    if (name === 'next' && data !== '') yield JSON.parse(data) as { data: Record<string, unknown> }
  }
}

async function* eventsOf(response: Response): AsyncGenerator<{ name: string; data: string }> {
  const decoder = new TextDecoder()
  let pending = ''
  for await (const bytes of response.body!) {
    pending += decoder.decode(bytes as Uint8Array, { stream: true })
    const events = pending.split('\n\n')
    pending = events.pop()!
    for (const text of events) {
      const lines = text.split('\n')
      const valueOf = (name: string): string =>
        lines
          .find(line => line.startsWith(`${name}:`))
          ?.slice(name.length + 1)
          .trim() ?? ''
      yield { name: valueOf('event') || 'next', data: valueOf('data') }
    }
  }
}
