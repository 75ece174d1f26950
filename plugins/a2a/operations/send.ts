/** Owns sending a message: it starts or continues a task, and the response can wait for the result. */
import { randomUUID } from 'node:crypto'
import { heldValueBytes } from 'svc/plugin'
import { WAIT_MS } from '../bounds.ts'
import { type OperationResult, type Call, untilFinal } from '../call.ts'
import { readCredential, type Credential } from '../credential.ts'
import { A2aError, invalidParams } from '../errors.ts'
import { checkMediaTypes } from '../media-types.ts'
import { PushDelivery } from '../push/delivery.ts'
import type { PushConfigInput } from '../push/push-config.ts'
import { decideTarget, ownAddress, type PushTarget } from '../push/target.ts'
import { start } from '../runner.ts'
import { Task } from '../task.ts'
import type { TaskStore } from '../task-store.ts'
import type { AgentContext, JsonObject, Message, Plan } from '../types.ts'
import { readMessage, readObject, readPushConfig, readTexts } from '../wire/read.ts'
import { readHistoryLength } from './tasks.ts'
import { toConfig } from './push-configs.ts'

interface SendRequest {
  message: Message
  metadata: JsonObject
  waits: boolean
  historyLength: number | undefined
  push: { input: PushConfigInput; target: PushTarget } | null
}

type Sent = { task: Task } | { message: Message }

/** `SendMessage`, `message/send`, `message:send`. */
export async function send(call: Call, params: JsonObject): Promise<OperationResult> {
  const { wire } = call
  const request = readSend(call, params)
  const sent = begin(call, request, await credentialOf(call))
  if ('message' in sent) return { result: wire.messageReply(wire.message(sent.message)) }
  if (request.waits) await untilFinal(sent.task, WAIT_MS, call.a2a.svc.http.signal(call.request))
  return { result: wire.taskReply(wire.task(sent.task, { historyLength: request.historyLength })) }
}

/** `SendStreamingMessage`, `message/stream`, `message:stream`. */
export async function stream(call: Call, params: JsonObject): Promise<OperationResult> {
  const { wire } = call
  const request = readSend(call, params)
  const sent = begin(call, request, await credentialOf(call))
  if ('message' in sent) return { first: wire.messageReply(wire.message(sent.message)), task: null }
  return { first: wire.taskReply(wire.task(sent.task, { historyLength: request.historyLength })), task: sent.task }
}

/** Reads the request and makes all checks that do not need the task. */
function readSend(call: Call, params: JsonObject): SendRequest {
  const { a2a, agent, wire } = call
  const message = readMessage(params, wire)
  const configuration = readObject(params, 'configuration')
  const waits = wire.waits(configuration)
  const historyLength = configuration && readHistoryLength(configuration, wire, 'configuration.historyLength')
  const metadata = { ...readObject(params, 'metadata'), ...message.metadata }
  const accepted = configuration
    ? readTexts(configuration, 'acceptedOutputModes', 'configuration.acceptedOutputModes')
    : []
  const push = configuration && readObject(configuration, wire.pushKey, `configuration.${wire.pushKey}`)
  const input = push && readPushConfig(push, `configuration.${wire.pushKey}`)
  checkMediaTypes(agent, message, accepted)
  const target = input && decideTarget(input.url, ownAddress(a2a.svc.http, call.request), policyOf(call))
  return { message, metadata, waits, historyLength, push: input && target ? { input, target } : null }
}

/** The push targets that the operator allows. */
export function policyOf({ a2a }: Call): { allowlist: readonly string[]; allowAll: boolean } {
  return { allowlist: a2a.svc.variables.pushAllowlist, allowAll: a2a.svc.variables.pushAllowAll }
}

async function credentialOf(call: Call): Promise<Credential> {
  return call.agent.requiresToken ? await readCredential(call) : { claims: null, isRefused: false }
}

function begin(call: Call, request: SendRequest, credential: Credential): Sent {
  const { taskId } = request.message
  return taskId === undefined ? beginTask(call, request, credential) : followUp(call, request, credential, taskId)
}

function beginTask(call: Call, { message, metadata, push }: SendRequest, credential: Credential): Sent {
  const { a2a, agent, session } = call
  a2a.tasks.checkRunning()
  const task = new Task({ contextId: message.contextId ?? randomUUID(), agent: agent.id, session }, a2a.tasks)
  addMessage(call, task, { ...message, contextId: task.contextId, taskId: task.id })
  const run = new AbortController()
  const plan = planOf(
    call,
    message,
    new Context(call, task, { metadata, credential, signal: run.signal, isFollowUp: false }),
  )
  if ('reply' in plan)
    return { message: { messageId: randomUUID(), contextId: task.contextId, role: 'agent', parts: plan.reply } }
  a2a.tasks.add(task)
  if (push) a2a.push.attach(task, toConfig(push.input, call.wire), push.target, a2a.sinks)
  start(a2a.tasks, task, { steps: plan, run, heldBytes: heldValueBytes(metadata) }, a2a.svc.log)
  return { task }
}

function followUp(call: Call, { message, metadata, push }: SendRequest, credential: Credential, taskId: string): Sent {
  const { a2a, agent, session } = call
  const task = a2a.tasks.find(taskId, agent.id, session)
  if (message.contextId !== undefined && message.contextId !== task.contextId)
    throw invalidParams('message.contextId', 'it differs from the contextId of the task')
  if (task.isTerminal)
    throw new A2aError('UNSUPPORTED_OPERATION', `the task is ${task.status.state} and accepts no more messages`)
  if (push) PushDelivery.checkCount(task, push.input.id)
  if (!task.run) a2a.tasks.checkRunning()
  addMessage(call, task, { ...message, contextId: task.contextId })
  if (push) a2a.push.attach(task, toConfig(push.input, call.wire), push.target, a2a.sinks)
  // A running agent continues undisturbed.
  if (task.run || task.isEvicted) return { task }
  const run = new AbortController()
  const plan = planOf(
    call,
    message,
    new Context(call, task, { metadata, credential, signal: run.signal, isFollowUp: true }),
  )
  const steps = 'reply' in plan ? [{ artifact: { artifactId: 'reply', parts: plan.reply } }] : plan
  start(a2a.tasks, task, { steps, run, heldBytes: heldValueBytes(metadata) }, a2a.svc.log)
  return { task }
}

/** Throws if the task would become too large. */
function addMessage({ a2a }: Call, task: Task, message: Message): void {
  task.addMessage(message, a2a.tasks.measure(task, message))
}

/** If the agent throws here, the task fails, as it does when a step throws. */
function planOf({ a2a, agent }: Call, message: Message, context: AgentContext): Plan {
  try {
    return agent.steps(message, context)
  } catch (error) {
    a2a.svc.log.error('an A2A agent failed', { agent: agent.id, error })
    return [{ state: 'FAILED', text: 'The agent failed unexpectedly.' }]
  }
}

interface Facts {
  metadata: JsonObject
  credential: Credential
  signal: AbortSignal
  isFollowUp: boolean
}

/**
 * A class, because a getter in an object literal creates a long-lived V8 hidden class for each object. It does not
 * reference the call: an agent may run for a long time, which would keep the request and its body in memory.
 */
class Context implements AgentContext {
  readonly task: AgentContext['task']
  readonly isFollowUp: boolean
  readonly session: string
  readonly claims: JsonObject | null
  readonly isTokenRefused: boolean
  readonly metadata: JsonObject
  readonly baseUrl: string
  readonly signal: AbortSignal
  /** An arrow function, because agents destructure it from the context. */
  readonly stepDelayMs = (fallback: number): number => readStepDelay(this.metadata.stepDelayMs) ?? fallback
  readonly #tasks: TaskStore
  readonly #agent: string

  constructor(call: Call, task: Task, { metadata, credential, signal, isFollowUp }: Facts) {
    this.task = { id: task.id, contextId: task.contextId, state: task.status.state, history: task.history }
    this.isFollowUp = isFollowUp
    this.session = call.session
    this.claims = credential.claims
    this.isTokenRefused = credential.isRefused
    this.metadata = metadata
    this.baseUrl = call.a2a.svc.http.baseUrl(call.request)
    this.signal = signal
    this.#tasks = call.a2a.tasks
    this.#agent = call.agent.id
  }

  get turn(): number {
    return this.#tasks.countIn(this.#agent, this.session, this.task.contextId) + (this.isFollowUp ? 0 : 1)
  }
}

/** Milliseconds, clamped to 0 to 5000; undefined if the value is not a number. */
function readStepDelay(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(value) ? Number(value) : value
  return typeof number === 'number' && !Number.isNaN(number) ? Math.min(5000, Math.max(0, number)) : undefined
}
