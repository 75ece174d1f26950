/** The subprotocol `graphql-transport-ws`, implemented by its reference package. */
import { GraphQLError, type ExecutionArgs } from 'graphql'
import { CloseCode, makeServer, type Server, type SubscribePayload } from 'graphql-ws'
import { MAX_OPERATIONS, tooManyOperations, type Connection } from '../../connection.ts'
import { withoutStatus } from '../../errors.ts'
import type { SocketOperations } from '../socket-operations.ts'

const INIT_MS = 3_000

/** One server for all connections of a graph; the operations are those of the connection. */
export function createTransportServer(): Server<Extra> {
  return makeServer<Extra>({
    connectionInitWaitTimeout: INIT_MS,
    execute: args => operationsOf(args).execute(args),
    subscribe: args => operationsOf(args).subscribe(args),
    onSubscribe: ({ subscriptions, extra, connectionParams = {} }, _id, payload) => {
      // The requested operation is already among them.
      if (Object.keys(subscriptions).length > MAX_OPERATIONS) return [tooManyOperations()]
      return prepare((extra as Extra).operations, payload, connectionParams)
    },
  })
}

interface Extra extends Record<string, unknown> {
  operations: SocketOperations
}

/** What runs prepared arguments. */
const OPERATIONS = Symbol('svc.graphql.operations')
interface OwnedArgs extends ExecutionArgs {
  [OPERATIONS]: SocketOperations
}

function operationsOf(args: ExecutionArgs): SocketOperations {
  return (args as OwnedArgs)[OPERATIONS]
}

async function prepare(
  operations: SocketOperations,
  { query, variables, operationName }: SubscribePayload,
  parameters: Record<string, unknown>,
): Promise<ExecutionArgs | readonly GraphQLError[]> {
  try {
    const prepared = await operations.prepare(
      { query, variables: variables ?? null, operationName: operationName ?? null },
      parameters,
    )
    if (prepared.args === null) return prepared.problems
    return Object.assign(prepared.args, { [OPERATIONS]: operations })
  } catch (error) {
    if (error instanceof GraphQLError) return [withoutStatus(error)]
    throw error
  }
}

/** Serves a socket that negotiated the subprotocol. */
export function serveTransport(server: Server<Extra>, operations: SocketOperations, connection: Connection): void {
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
    { operations },
  )
  socket.once('close', (code, reason) => void closed(code, String(reason)))
}
