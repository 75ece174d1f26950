/** Executes operations with graphql-js: as they are, or with hooks, faults and a trace. */
import {
  createSourceEventStream,
  execute,
  GraphQLError,
  subscribe,
  type ExecutionArgs,
  type ExecutionResult,
} from 'graphql'
import { isOutputError } from 'svc/plugin'
import { editResult } from '../faults/edited-result.ts'
import { FieldFaults } from '../faults/field-faults.ts'
import { addErrorCode } from './request-errors.ts'
import { hookedResolver, hooksOf, type FieldHook } from './field-hooks.ts'
import { MappedEvents } from './mapped-events.ts'
import type { Run } from './run.ts'
import { FieldTrace } from '../federation/field-trace.ts'

/** Runs a query or mutation. */
export function executeOperation(args: ExecutionArgs, run: Run): Promise<ExecutionResult> | ExecutionResult {
  const plain = { ...args, contextValue: run.context }
  if (!isHooked(run)) {
    const result = execute(plain)
    return result instanceof Promise ? result.then(addErrorCode) : addErrorCode(result)
  }
  return executeHooked(plain, run, run.signal)
}

/** Starts a subscription; a single result means that it could not start. */
export async function subscribeTo(
  args: ExecutionArgs,
  run: Run,
): Promise<AsyncIterableIterator<ExecutionResult> | ExecutionResult> {
  const plain = { ...args, contextValue: run.context }
  if (!isHooked(run)) {
    const outcome = await subscribe(plain)
    return Symbol.asyncIterator in outcome ? (outcome as AsyncIterableIterator<ExecutionResult>) : addErrorCode(outcome)
  }
  const source = await createSourceEventStream(plain)
  if (!(Symbol.asyncIterator in source)) return addErrorCode(source)
  const left = new AbortController()
  const signal = run.signal === undefined ? left.signal : AbortSignal.any([left.signal, run.signal])
  return new MappedEvents(
    source,
    event => executeHooked({ ...plain, rootValue: event }, run, signal),
    () => left.abort(),
  )
}

function isHooked({ faults, isTraced, maxFields }: Run): boolean {
  return faults !== null || isTraced || maxFields !== Infinity
}

async function executeHooked(args: ExecutionArgs, run: Run, signal: AbortSignal | undefined): Promise<ExecutionResult> {
  const { faults: plan, isTraced, maxDelayMs, maxFields } = run
  let fields = 0
  const faults = plan === null ? null : new FieldFaults(plan, { maxDelayMs, signal })
  const trace = isTraced ? new FieldTrace() : null
  const entityKeys: string[] = []
  const hook: FieldHook = (info, resolve) => {
    if (++fields > maxFields) throw tooLarge(maxFields)
    if (info.fieldName === '_entities' && info.path.prev === undefined) entityKeys.push(String(info.path.key))
    const faulty = faults === null ? resolve : () => faults.hook(info, resolve)
    return trace === null ? faulty() : trace.hook(info, faulty)
  }
  // Of its own for each operation: resolvers find the hook by it.
  const contextValue = Object.create(args.contextValue as object) as object
  hooksOf(args.schema).set(contextValue, hook)
  const result = addErrorCode(await execute({ ...args, contextValue, fieldResolver: hookedResolver(hook) }))
  if (!('data' in result)) return result
  if (fields > maxFields) return { data: null, errors: [tooLarge(maxFields)] }
  const traced = trace === null ? result : trace.addTo(result)
  if (plan === null || faults === null) return traced
  const output = run.output()
  try {
    return editResult(traced, { plan, faults, entityKeys, take: bytes => output.take(bytes) })
  } catch (error) {
    if (!isOutputError(error)) throw error
    return { data: null, errors: [new GraphQLError(error.message, { extensions: { code: 'RESPONSE_TOO_LARGE' } })] }
  } finally {
    output.release()
  }
}

function tooLarge(maxFields: number): GraphQLError {
  return new GraphQLError(`the answer would have more than ${maxFields} fields`, {
    extensions: { code: 'RESPONSE_TOO_LARGE' },
  })
}
