/** The subprotocol `graphql-transport-ws`, implemented by its reference package. */
import type { ExecutionArgs, GraphQLError } from 'graphql'
import { CloseCode, makeServer, type Server, type SubscribePayload } from 'graphql-ws'
import { MAX_OPERATIONS, tooManyOperations, type Connection } from '../../connection.ts'
import type { Engine } from '../../engine.ts'

const INIT_MS = 3_000

/** One server for all connections of a generation. */
export function createTransportServer(engine: Engine): Server<Record<string, unknown>> {
  return makeServer<Record<string, unknown>>({
    connectionInitWaitTimeout: INIT_MS,
    execute: args => engine.execute(args),
    subscribe: args => engine.subscribe(args),
    onSubscribe: (context, _id, payload) => {
      // The requested operation is already among them.
      if (Object.keys(context.subscriptions).length > MAX_OPERATIONS) return [tooManyOperations()]
      return prepare(engine, payload)
    },
  })
}

function prepare(
  engine: Engine,
  { query, variables, operationName }: SubscribePayload,
): ExecutionArgs | readonly GraphQLError[] {
  const prepared = engine.prepare({ query, variables: variables ?? null, operationName: operationName ?? null })
  return prepared.args ?? prepared.problems
}

/** Serves a socket that negotiated the subprotocol. */
export function serveTransport(server: Server<Record<string, unknown>>, connection: Connection): void {
  const { socket } = connection
  const closed = server.opened(
    {
      protocol: socket.protocol,
      send: message => connection.send(message),
      close: (code, reason) => socket.close(code, reason),
      onMessage: receive => {
        socket.on('message', data => {
          // The package throws for message types that only a server may send.
          connection
            .busy(() => receive(String(data)))
            .catch(() => socket.close(CloseCode.BadRequest, 'Invalid message received'))
        })
      },
    },
    {},
  )
  socket.once('close', (code, reason) => void closed(code, String(reason)))
}
