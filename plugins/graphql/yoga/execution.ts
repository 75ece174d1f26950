/** Executes operations with graphql-js, with the context and the faults of their request. */
import type { Plugin } from 'graphql-yoga'
import { executeOperation, subscribeTo } from '../execution/execute.ts'
import { around } from '../execution/around.ts'
import type { Run } from '../execution/run.ts'

/** The graphql-js executor takes half the time of Yoga's default, which also supports `@defer`. */
export function useExecution(rootValue: object): Plugin {
  const runOf = (context: unknown): Run => (context as { run: Run }).run
  return {
    onExecute({ args, setExecuteFn }) {
      args.rootValue = rootValue
      setExecuteFn(executed => around(executed, runOf(executed.contextValue), executeOperation))
    },
    onSubscribe({ args, setSubscribeFn }) {
      args.rootValue = rootValue
      setSubscribeFn(subscribed => around(subscribed, runOf(subscribed.contextValue), subscribeTo))
    },
  }
}
