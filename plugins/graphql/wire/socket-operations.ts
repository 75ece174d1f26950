/** The operations of one socket, for both subprotocols. */
import type { ExecutionArgs, ExecutionResult } from 'graphql'
import type { PreparedOperation } from '../engine.ts'
import type { SocketOperation } from '../types.ts'

export interface SocketOperations {
  /** `parameters` is the payload of `connection_init`. Throws a GraphQLError for parameters that ask for wrong faults. */
  prepare(
    operation: SocketOperation,
    parameters: Readonly<Record<string, unknown>>,
  ): PreparedOperation | Promise<PreparedOperation>
  /** Runs a query or mutation. A result with errors and without `data` means that the variables are invalid. */
  execute(args: ExecutionArgs): Promise<AsyncIterableIterator<ExecutionResult> | ExecutionResult>
  /** Starts a subscription; a single result means that it failed to start. */
  subscribe(args: ExecutionArgs): Promise<AsyncIterableIterator<ExecutionResult> | ExecutionResult>
}
