/** The legacy subprotocol `graphql-ws` of `subscriptions-transport-ws` clients. */
import { isRecord, shownText } from 'svc/toolkit'
import { GraphQLError, type ExecutionResult, type GraphQLFormattedError } from 'graphql'
import { MAX_OPERATIONS, tooManyOperations, type Connection } from '../../connection.ts'
import type { PreparedOperation } from '../../engine.ts'
import { withoutStatus } from '../../errors.ts'

import type { SocketOperations } from '../socket-operations.ts'
import { isRequestError } from '../../execution/request-errors.ts'

const KEEP_ALIVE_MS = 20_000
const UNAUTHORIZED = 4401
const NORMAL = 1000

/** A running operation; `results` is set once a subscription has started. */
interface Operation {
  isStopped: boolean
  results?: AsyncIterableIterator<ExecutionResult>
}
type RunnableOperation = Exclude<PreparedOperation, { args: null }>
interface ClientMessage {
  id: string
  type: unknown
  payload: Record<string, unknown>
}

export function serveLegacy(socketOperations: SocketOperations, connection: Connection): void {
  const { socket } = connection
  const operations = new Map<string, Operation>()
  let keepAlive: NodeJS.Timeout | undefined
  let parameters: Record<string, unknown> = {}

  const send = (message: { type: string; id?: string; payload?: object }): Promise<void> =>
    connection.send(JSON.stringify(message))
  const refuse = (id: string, error: GraphQLFormattedError): Promise<void> =>
    send({ type: 'error', id, payload: { message: error.message, extensions: error.extensions } })

  function stop(id: string): void {
    const operation = operations.get(id)
    if (operation === undefined) return
    operations.delete(id)
    operation.isStopped = true
    void operation.results?.return?.()
  }

  async function acknowledge({ payload }: ClientMessage): Promise<void> {
    parameters = payload
    // Before any await, because a `start` message may follow immediately.
    keepAlive ??= setInterval(() => void send({ type: 'ka' }), KEEP_ALIVE_MS)
    await send({ type: 'connection_ack' })
    await send({ type: 'ka' })
  }

  async function start({ id, payload }: ClientMessage): Promise<void> {
    stop(id)
    if (operations.size >= MAX_OPERATIONS) return refuse(id, tooManyOperations())
    const operation: Operation = { isStopped: false }
    // Before any await, because a `stop` message may follow immediately.
    operations.set(id, operation)
    const prepared = await prepare(socketOperations, payload, parameters)
    if ('message' in prepared) {
      if (operations.get(id) === operation) operations.delete(id)
      return refuse(id, prepared)
    }
    await connection.busy(() => run(id, operation, prepared))
  }

  async function run(id: string, operation: Operation, { type, args }: RunnableOperation): Promise<void> {
    const outcome =
      type === 'subscription' ? await socketOperations.subscribe(args) : await socketOperations.execute(args)
    const results = Symbol.asyncIterator in outcome ? outcome : null
    if (operation.isStopped) return void results?.return?.()
    if (isRequestError(outcome)) {
      operations.delete(id)
      return refuse(id, outcome.errors![0]!)
    }
    if (results === null) await send({ type: 'data', id, payload: outcome })
    else {
      operation.results = results
      for await (const result of results) if (!operation.isStopped) await send({ type: 'data', id, payload: result })
    }
    if (operation.isStopped) return
    operations.delete(id)
    await send({ type: 'complete', id })
  }

  async function receive(text: string): Promise<void> {
    const message = readMessage(text)
    if (message === null)
      return send({ type: 'connection_error', payload: { message: 'the message must be a JSON object' } })
    switch (message.type) {
      case 'connection_init':
        return acknowledge(message)
      case 'start':
        return keepAlive === undefined ? socket.close(UNAUTHORIZED, 'Unauthorized') : start(message)
      case 'stop':
        stop(message.id)
        return send({ type: 'complete', id: message.id })
      case 'connection_terminate':
        return socket.close(NORMAL)
      default:
        return refuse(message.id, {
          message: 'unknown message type (expected connection_init, start, stop or connection_terminate)',
        })
    }
  }

  socket.on('message', data => void receive(String(data)))
  socket.once('close', () => {
    clearInterval(keepAlive)
    for (const id of operations.keys()) stop(id)
  })
}

function readMessage(text: string): ClientMessage | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  if (!isRecord(value)) return null
  return { id: shownText(value.id ?? ''), type: value.type, payload: isRecord(value.payload) ? value.payload : {} }
}

/** The executable operation, or the first error. */
async function prepare(
  operations: SocketOperations,
  { query, variables, operationName }: Record<string, unknown>,
  parameters: Record<string, unknown>,
): Promise<RunnableOperation | GraphQLFormattedError> {
  if (typeof query !== 'string')
    return { message: 'payload.query must be a string', extensions: { code: 'BAD_REQUEST' } }
  if (variables != null && !isRecord(variables))
    return { message: 'payload.variables must be an object', extensions: { code: 'BAD_REQUEST' } }
  try {
    const operation = {
      query,
      variables: variables ?? null,
      operationName: typeof operationName === 'string' ? operationName : null,
    }
    const prepared = await operations.prepare(operation, parameters)
    return prepared.args === null ? prepared.problems[0]!.toJSON() : prepared
  } catch (error) {
    if (error instanceof GraphQLError) return withoutStatus(error).toJSON()
    throw error
  }
}
