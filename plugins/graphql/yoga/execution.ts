/** Executes operations on the demo data with graphql-js, and adds an error code for invalid variables. */
import { execute, subscribe, type ExecutionResult } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { rejectedDocument } from '../errors.ts'
import type { RootValue } from '../root-value.ts'

interface Outcome {
  result: unknown
  setResult(result: ExecutionResult): void
}

/** The graphql-js executor takes half the time of Yoga's default, which also supports `@defer`; nothing here uses it. */
export function useExecution(rootValue: RootValue): Plugin {
  return {
    onExecute({ args, setExecuteFn }) {
      args.rootValue = rootValue
      setExecuteFn(execute)
      return { onExecuteDone: addErrorCode }
    },
    onSubscribe({ args, setSubscribeFn }) {
      args.rootValue = rootValue
      setSubscribeFn(subscribe)
      return { onSubscribeResult: addErrorCode }
    },
  }
}

/** A result without `data` means that the variables are invalid (GraphQL, 6.1.2). */
function addErrorCode({ result, setResult }: Outcome): void {
  if (isRequestError(result))
    setResult({ errors: result.errors?.map(error => rejectedDocument(error, 'BAD_USER_INPUT')) })
}

/** Whether nothing was executed (GraphQL, 7.1.2: the result has no `data` entry). */
export function isRequestError(result: unknown): result is ExecutionResult {
  return typeof result === 'object' && result !== null && !('data' in result) && !(Symbol.asyncIterator in result)
}
