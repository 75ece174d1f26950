/** Owns how operations are executed: on the demo data, by graphql-js, with a code for variables that do not fit. */
import { execute, subscribe } from 'graphql'
import type { ExecutionResult } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { refusedDocument } from '../errors.ts'
import type { RootValue } from '../root-value.ts'

interface Outcome {
  result: unknown
  setResult(result: ExecutionResult): void
}

/** The executor of graphql-js takes half the time of Yoga's default, which can also defer; nothing here is deferred. */
export function useExecution(rootValue: RootValue): Plugin {
  return {
    onExecute({ args, setExecuteFn }) {
      args.rootValue = rootValue
      setExecuteFn(execute)
      return { onExecuteDone: giveCode }
    },
    onSubscribe({ args, setSubscribeFn }) {
      args.rootValue = rootValue
      setSubscribeFn(subscribe)
      return { onSubscribeResult: giveCode }
    },
  }
}

/** A result without `data` means that the variables did not fit (GraphQL, 6.1.2). */
function giveCode({ result, setResult }: Outcome): void {
  if (isRequestError(result))
    setResult({ errors: result.errors?.map(error => refusedDocument(error, 'BAD_USER_INPUT')) })
}

/** Whether the result says that nothing was executed (GraphQL, 7.1.2: no `data` entry). */
export function isRequestError(result: unknown): result is ExecutionResult {
  return typeof result === 'object' && result !== null && !('data' in result) && !(Symbol.asyncIterator in result)
}
