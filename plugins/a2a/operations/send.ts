/** Owns sending a message: it starts or continues a task, and the response can wait for the result. */
import { randomUUID } from 'node:crypto'
import { heldValueBytes } from 'svc/toolkit'
import { WAIT_MS } from '../bounds.ts'
import { type OperationResult, type Call, untilFinal } from '../calls/call.ts'
import { requirePush } from '../protocol/capabilities.ts'
import { readCredential, type Credential } from '../calls/credential.ts'
import { checkMediaTypes } from '../protocol/media-types.ts'
import { LocalRun } from '../tasks/local-runs.ts'
import { applyEvent, createTask, messageEvent, withConfig, type StoredConfig, type Task } from '../tasks/task.ts'
import type { Begun } from '../tasks/task-service.ts'
import { withFault, withHugeArtifact } from '../tasks/task-faults.ts'
import { ownTask, taskFaultOf } from './own-task.ts'
import type { AgentContext, DirectReply, JsonObject, Message, Plan, TaskState } from '../types.ts'
import { readMessage, readObject, readPushConfig, readTexts } from '../wire/read.ts'
import { readHistoryLength } from './tasks.ts'
import { toConfig } from './push-configs.ts'

interface SendRequest {
  message: Message
  metadata: JsonObject
  waits: boolean
  historyLength: number | undefined
  config: StoredConfig | null
}

/** `first`: the task before the agent has done anything, as responses that do not wait show it. */
type Sent = (Begun & { first: Task }) | { message: Message } | { invalid: JsonObject }

/** `SendMessage`, `message/send`, `message:send`. */
export async function send(call: Call, params: JsonObject): Promise<OperationResult> {
  const { wire } = call
  const request = readSend(call, params)
  const sent = await begin(call, request, await credentialOf(call))
  if ('invalid' in sent) return { result: sent.invalid }
  if ('message' in sent) return { result: wire.messageReply(wire.message(sent.message)) }
  const reached = request.waits ? await untilFinal(call, sent.task, WAIT_MS) : sent.first
  const task = withHugeArtifact(reached, call.a2a.bounds.hugeArtifactBytes)
  return { result: wire.taskReply(wire.task(task, { historyLength: request.historyLength })) }
}

/** `SendStreamingMessage`, `message/stream`, `message:stream`. */
export async function stream(call: Call, params: JsonObject): Promise<OperationResult> {
  const { wire } = call
  const request = readSend(call, params)
  const sent = await begin(call, request, await credentialOf(call))
  if ('invalid' in sent) return { first: sent.invalid, task: null }
  if ('message' in sent) return { first: wire.messageReply(wire.message(sent.message)), task: null }
  const { task, events } = sent
  const shown = withHugeArtifact(sent.first, call.a2a.bounds.hugeArtifactBytes)
  const first = wire.taskReply(wire.task(shown, { historyLength: request.historyLength }))
  return { first, task: sent.first.run ? task : null, events }
}

/** Reads the request and makes all checks that do not need the task. */
function readSend(call: Call, params: JsonObject): SendRequest {
  const { agent, wire } = call
  const message = readMessage(params, wire)
  const configuration = readObject(params, 'configuration')
  const waits = wire.waits(configuration)
  const historyLength = configuration && readHistoryLength(configuration, wire, 'configuration.historyLength')
  const metadata = { ...readObject(params, 'metadata'), ...message.metadata }
  const accepted = configuration
    ? readTexts(configuration, 'acceptedOutputModes', 'configuration.acceptedOutputModes')
    : []
  const push = configuration && readObject(configuration, wire.pushKey, `configuration.${wire.pushKey}`)
  if (push) requirePush(agent)
  const input = push && readPushConfig(push, `configuration.${wire.pushKey}`)
  checkMediaTypes(agent, message, accepted)
  return { message, metadata, waits, historyLength, config: input ? toConfig(call, input) : null }
}

async function credentialOf(call: Call): Promise<Credential> {
  return call.agent.requiresToken ? await readCredential(call) : { claims: null, isRefused: false }
}

async function begin(call: Call, request: SendRequest, credential: Credential): Promise<Sent> {
  const { taskId } = request.message
  if (taskId === undefined) return beginTask(call, request, credential)
  const task = await followUp(call, request, credential, taskId)
  return { first: task, task, events: [] }
}

async function beginTask(
  call: Call,
  { message, metadata, config }: SendRequest,
  credential: Credential,
): Promise<Sent> {
  const { a2a, agent, scope } = call
  const owner = { contextId: message.contextId ?? randomUUID(), agent: agent.id, session: scope }
  const blank = createTask({ ...owner, turn: 0, rank: a2a.tasks.nextRank() })
  const initial = { ...message, contextId: blank.contextId, taskId: blank.id }
  // The initial message is part of the new task, not an update of it.
  const filled = { ...applyEvent(blank, messageEvent(initial, blank.rank)), updates: 0 }
  a2a.service.checkSize(filled)
  const run = a2a.service.newRun(heldValueBytes(metadata))
  const fault = taskFaultOf(call)
  const configured = config ? withConfig(filled, config) : filled
  // At the same time, since both may be questions to a state store.
  const [turn, refusal] = await Promise.all([a2a.tasks.takeTurn(owner), a2a.service.refusal()])
  if (refusal) {
    await a2a.tasks.returnTurn(owner)
    throw refusal
  }
  const first = { ...(fault ? withFault(configured, fault) : configured), turn, run }
  const local = new LocalRun(run.id, first)
  const plan = planOf(call, message, {
    local,
    context: new Context(call, local, { metadata, credential, isFollowUp: false }),
  })
  if ('invalidReply' in plan) return { invalid: plan.invalidReply }
  if ('reply' in plan) {
    await a2a.tasks.returnTurn(owner)
    return { message: messageOf(plan, first.contextId) }
  }
  return { first, ...(await a2a.service.begin(local, plan)) }
}

async function followUp(
  call: Call,
  { message, metadata, config }: SendRequest,
  credential: Credential,
  taskId: string,
): Promise<Task> {
  const task = await ownTask(call, taskId)
  return call.a2a.service.followUp(
    task,
    { message, config },
    {
      heldBytes: heldValueBytes(metadata),
      plan: local => {
        const plan = planOf(call, message, {
          local,
          context: new Context(call, local, { metadata, credential, isFollowUp: true }),
        })
        if ('invalidReply' in plan) return []
        return 'reply' in plan ? [{ artifact: { artifactId: 'reply', parts: plan.reply } }] : plan
      },
    },
  )
}

function messageOf({ reply, metadata }: DirectReply, contextId: string): Message {
  return {
    messageId: randomUUID(),
    contextId,
    role: 'agent',
    parts: reply,
    ...(metadata ? { metadata } : {}),
  }
}

/** If the agent throws here, the task fails, as it does when a step throws. */
function planOf(
  { a2a, agent, fault }: Call,
  message: Message,
  { local, context }: { local: LocalRun; context: AgentContext },
): Plan {
  if (fault?.kind === 'never-settles') {
    local.isEndless = true
    return [{ state: 'WORKING', text: 'Working until the task is canceled.' }]
  }
  try {
    return agent.steps(message, context)
  } catch (error) {
    const log = a2a.agents.logOf(agent.id) ?? a2a.svc.log
    log.error('an A2A agent failed', { agent: agent.id, error })
    return [{ state: 'FAILED', text: 'The agent failed unexpectedly.' }]
  }
}

interface Facts {
  metadata: JsonObject
  credential: Credential
  isFollowUp: boolean
}

/**
 * Classes, because a getter in an object literal creates a long-lived V8 hidden class for each object. They do not
 * reference the call: an agent may run for a long time, which would keep the request and its body in memory.
 */
class Context implements AgentContext {
  readonly task: AgentContext['task']
  readonly isFollowUp: boolean
  readonly turn: number
  readonly session: string
  readonly tenant: string | null
  readonly extensions: readonly string[]
  readonly traceparent: string | null
  readonly claims: JsonObject | null
  readonly isTokenRefused: boolean
  readonly metadata: JsonObject
  readonly baseUrl: string
  /** An arrow function, because agents destructure it from the context. */
  readonly stepDelayMs = (fallback: number): number => readStepDelay(this.metadata.stepDelayMs) ?? fallback
  readonly #run: LocalRun

  constructor(call: Call, run: LocalRun, { metadata, credential, isFollowUp }: Facts) {
    this.task = new ContextTask(run)
    this.isFollowUp = isFollowUp
    this.turn = run.task.turn
    this.session = call.session
    this.tenant = call.tenant
    this.extensions = call.extensions
    this.traceparent = readTraceParent(call.request.headers.traceparent)
    this.claims = credential.claims
    this.isTokenRefused = credential.isRefused
    this.metadata = metadata
    this.baseUrl = call.a2a.svc.http.baseUrl(call.request)
    this.#run = run
  }

  get signal(): AbortSignal {
    return this.#run.signal
  }
}

/** The task as the agent sees it; messages that arrive while it works join the history. */
class ContextTask {
  readonly id: string
  readonly contextId: string
  readonly state: TaskState
  readonly #run: LocalRun

  constructor(run: LocalRun) {
    this.id = run.task.id
    this.contextId = run.task.contextId
    this.state = run.task.status.state
    this.#run = run
  }

  get history(): readonly Message[] {
    return this.#run.task.history
  }
}

/** Version 00 of the header (W3C Trace Context, 3.2). */
function readTraceParent(header: string | string[] | undefined): string | null {
  return typeof header === 'string' && /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(header) ? header : null
}

/** Milliseconds, clamped to 0 to 5000; undefined if the value is not a number. */
function readStepDelay(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(value) ? Number(value) : value
  return typeof number === 'number' && !Number.isNaN(number) ? Math.min(5000, Math.max(0, number)) : undefined
}
