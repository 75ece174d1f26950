/** What becomes of operations on sockets, for those who watch them: the extension point `graphql.steps`. */
import type { FastifyRequest } from 'svc/plugin'
import type { FindOperationStep, OperationStep, OperationSteps, SocketOperation } from './types.ts'

export class OperationStepFinders implements OperationSteps {
  readonly #finders = new Set<FindOperationStep>()

  add(find: FindOperationStep): () => void {
    this.#finders.add(find)
    return () => void this.#finders.delete(find)
  }

  /** Of the first that knows the operation. */
  find(operation: SocketOperation, handshake: FastifyRequest): OperationStep | null {
    for (const find of this.#finders) {
      const found = find(operation, handshake)
      if (found !== null) return found
    }
    return null
  }
}
