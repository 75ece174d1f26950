/** The operations of one socket: with the faults of its handshake, or with the step of an operation that is watched. */
import type { FastifyRequest, ProtocolFacts, Svc, WebSocket } from 'svc/plugin'
import { sleep } from 'svc/toolkit'
import type { ExecutionArgs } from 'graphql'
import type { Engine, PreparedOperation } from '../engine.ts'
import { CutEvents } from '../execution/cut-events.ts'
import type { Executed } from '../execution/execute.ts'
import { MappedEvents } from '../execution/mapped-events.ts'
import type { Run } from '../execution/run.ts'
import type { FaultPlan } from '../faults/plan.ts'
import { planOfStep, STEP } from '../faults/step.ts'
import type { GraphServer } from '../graph-server.ts'
import type { OperationStep, SocketOperation } from '../types.ts'
import type { SocketOperations } from '../wire/socket-operations.ts'

/** A step that comes along has no conditions. */
const FACTS: ProtocolFacts = {
  protocol: 'graphql',
  read: () => Promise.resolve(null),
  takesReply: () => Promise.resolve(false),
}

interface OpenSocket {
  engine: Engine
  socket: WebSocket
  request: FastifyRequest
  /** Of the handshake. */
  faults: FaultPlan | null
}

interface Watch {
  isSilent: boolean
  end(): void
}

const runOf = ({ contextValue }: ExecutionArgs): Run => (contextValue as { run: Run }).run

export function createSocketOperations(
  svc: Svc,
  { path, runs, steps }: Pick<GraphServer, 'path' | 'runs' | 'steps'>,
  { engine, socket, request, faults }: OpenSocket,
): SocketOperations {
  const watches = new WeakMap<Run, Watch>()

  const prepareWith = (
    plan: FaultPlan | null,
    operation: SocketOperation,
    parameters: Readonly<Record<string, unknown>>,
  ): PreparedOperation => engine.prepare(operation, runs.create(request, plan, { parameters, takesParts: true }))

  async function prepareWatched(
    found: OperationStep,
    operation: SocketOperation,
    parameters: Readonly<Record<string, unknown>>,
  ): Promise<PreparedOperation> {
    const end = onceOf(() => found.onEnd())
    socket.once('close', end)
    try {
      const plan = found.step === null ? null : await planOf(found.step, operation)
      if (found.instead === 'reset') socket.terminate()
      const prepared = prepareWith(plan ?? faults, operation, parameters)
      if (prepared.args === null) end()
      else watches.set(runOf(prepared.args), { isSilent: found.instead === 'silence', end })
      return prepared
    } catch (error) {
      end()
      throw error
    }
  }

  /** Waits for the delay of the step, and breaks the socket off if it says so. */
  async function planOf(
    step: NonNullable<OperationStep['step']>,
    operation: SocketOperation,
  ): Promise<FaultPlan | null> {
    const message = { method: 'POST', url: path, body: Buffer.from(JSON.stringify(operation)), canAbort: true, step }
    const rule = await svc.http.applyRulesToMessage(request, message, FACTS)
    if (rule === null) return null
    if (rule.delayMs > 0) await sleep(rule.delayMs, { signal: svc.http.signal(request) })
    if (rule.kind === 'abort') {
      socket.terminate()
      return null
    }
    const own = rule.also?.find(({ name }) => name === STEP)
    return own === undefined ? null : planOfStep(own)
  }

  async function watched(args: ExecutionArgs, run: () => Promise<Executed>): Promise<Executed> {
    const watch = watches.get(runOf(args))
    if (watch === undefined) return run()
    if (watch.isSilent) return new Promise(() => {})
    const outcome = await run()
    if (Symbol.asyncIterator in outcome) return new MappedEvents(outcome, result => result, watch.end)
    watch.end()
    return outcome
  }

  return {
    prepare(operation, parameters) {
      const found = steps.find(operation, request)
      return found === null ? prepareWith(faults, operation, parameters) : prepareWatched(found, operation, parameters)
    },
    execute: args => watched(args, () => engine.execute(args)),
    async subscribe(args) {
      const outcome = await watched(args, () => engine.subscribe(args))
      const cut = runOf(args).faults?.cut ?? null
      if (cut === null || !(Symbol.asyncIterator in outcome)) return outcome
      return new CutEvents(outcome, cut, () => socket.terminate())
    },
  }
}

function onceOf(call: () => void): () => void {
  let isCalled = false
  return () => {
    if (isCalled) return
    isCalled = true
    call()
  }
}
