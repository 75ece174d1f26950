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
import { joinSignals } from 'svc/toolkit'
import { editResult } from '../faults/edited-result.ts'
import { FieldFaults } from '../faults/field-faults.ts'
import { FieldTrace } from '../federation/field-trace.ts'
import { hookedResolver, hooksOf, type FieldHook } from './field-hooks.ts'
import { executeInParts, isIncremental } from './incremental.ts'
import { MappedEvents } from './mapped-events.ts'
import { addErrorCode } from './request-errors.ts'
import type { Run } from './run.ts'

/** A result, or its parts. */
export type Executed = ExecutionResult | AsyncIterableIterator<ExecutionResult>

/** Runs a query or mutation. */
export function executeOperation(args: ExecutionArgs, run: Run): Promise<Executed> | Executed {
  const plain = { ...args, contextValue: run.context }
  if (run.takesParts && isIncremental(args.document)) return executeHooked(plain, run, run.signal())
  if (!isHooked(run)) {
    const result = execute(plain)
    return result instanceof Promise ? result.then(addErrorCode) : addErrorCode(result)
  }
  return executeWhole(plain, run, run.signal())
}

/** Starts a subscription; a single result means that it could not start. */
export async function subscribeTo(args: ExecutionArgs, run: Run): Promise<Executed> {
  const plain = { ...args, contextValue: run.context }
  if (!isHooked(run)) {
    const outcome = await subscribe(plain)
    return Symbol.asyncIterator in outcome ? (outcome as AsyncIterableIterator<ExecutionResult>) : addErrorCode(outcome)
  }
  const source = await createSourceEventStream(plain)
  if (!(Symbol.asyncIterator in source)) return addErrorCode(source)
  const left = new AbortController()
  const signal = run.signal()
  const joined = joinSignals(left.signal, ...(signal === undefined ? [] : [signal]))
  return new MappedEvents(
    source,
    event => executeWhole({ ...plain, rootValue: event }, run, joined.signal),
    () => {
      left.abort()
      joined.release()
    },
  )
}

function isHooked({ faults, isTraced, maxFields }: Run): boolean {
  return faults !== null || isTraced || maxFields !== Infinity
}

async function executeWhole(args: ExecutionArgs, run: Run, signal: AbortSignal | undefined): Promise<ExecutionResult> {
  const hooks = new OperationHooks(run, signal)
  return hooks.finish(addErrorCode(await execute(hooks.argsFor(args))))
}

/** In parts; faults that change the answer change the first of them. */
async function executeHooked(args: ExecutionArgs, run: Run, signal: AbortSignal | undefined): Promise<Executed> {
  const hooks = new OperationHooks(run, signal)
  const executed = await executeInParts(hooks.argsFor(args), signal)
  if (!(Symbol.asyncIterator in executed)) return hooks.finish(addErrorCode(executed))
  let isFirst = true
  const finishFirst = (part: ExecutionResult): ExecutionResult => {
    const isEdited = isFirst
    isFirst = false
    return isEdited ? hooks.finish(part) : part
  }
  return new MappedEvents(executed, finishFirst, () => {})
}

/** The hooks of one operation, or of one event of a subscription, and what they change in the result. */
class OperationHooks {
  readonly #run: Run
  readonly #faults: FieldFaults | null
  readonly #trace: FieldTrace | null
  readonly #entityKeys: string[] = []
  #fields = 0

  constructor(run: Run, signal: AbortSignal | undefined) {
    const { faults, isTraced, maxDelayMs } = run
    this.#run = run
    this.#faults = faults === null ? null : new FieldFaults(faults, { maxDelayMs, signal })
    this.#trace = isTraced ? new FieldTrace() : null
  }

  argsFor(args: ExecutionArgs): ExecutionArgs {
    // Of its own for each operation: resolvers find the hook by it.
    const contextValue = Object.create(args.contextValue as object) as object
    hooksOf(args.schema).set(contextValue, this.#hook)
    return { ...args, contextValue, fieldResolver: hookedResolver(this.#hook) }
  }

  readonly #hook: FieldHook = (info, resolve) => {
    if (++this.#fields > this.#run.maxFields) throw tooLarge(this.#run.maxFields)
    if (info.fieldName === '_entities' && info.path.prev === undefined) this.#entityKeys.push(String(info.path.key))
    const faults = this.#faults
    const faulty = faults === null ? resolve : () => faults.hook(info, resolve)
    return this.#trace === null ? faulty() : this.#trace.hook(info, faulty)
  }

  finish(result: ExecutionResult): ExecutionResult {
    const { faults: plan, maxFields } = this.#run
    if (!('data' in result)) return result
    if (this.#fields > maxFields) return { data: null, errors: [tooLarge(maxFields)] }
    const traced = this.#trace === null ? result : this.#trace.addTo(result)
    if (plan === null || this.#faults === null) return traced
    const output = this.#run.output()
    try {
      const take = (bytes: number): void => output.take(bytes)
      return editResult(traced, { plan, faults: this.#faults, entityKeys: this.#entityKeys, take })
    } catch (error) {
      if (!isOutputError(error)) throw error
      return { data: null, errors: [new GraphQLError(error.message, { extensions: { code: 'RESPONSE_TOO_LARGE' } })] }
    } finally {
      output.release()
    }
  }
}

function tooLarge(maxFields: number): GraphQLError {
  return new GraphQLError(`the answer would have more than ${maxFields} fields`, {
    extensions: { code: 'RESPONSE_TOO_LARGE' },
  })
}
