/** Owns the decision whether a call of a tool becomes a task, and the conversation of a task with its client. */
import type { Call, Conversation } from '../servers/call.ts'
import { HandlerContext } from '../servers/call-context.ts'
import { ToolFailure } from '../errors.ts'
import { missingExtension, TASKS } from '../extensions.ts'
import type { Answers, CallContext, JsonObject, ListName, Question, ToolDefinition, ToolResult } from '../types.ts'
import { renderToolResult } from '../servers/results.ts'
import type { RunningTask } from './running-task.ts'
import { taskMembers } from './task-record.ts'

/** The result of a call that has become a task. */
export class StartedTask implements ToolResult {
  readonly content = []
  readonly members: JsonObject

  constructor({ id, record }: RunningTask) {
    this.members = taskMembers(id, record)
  }
}

/** Whether a tool runs as a task. Throws if the client does not support that and the tool requires it. */
export function runsAsTask({ name, task }: ToolDefinition, { conversation, version }: Call): boolean {
  if (task === undefined) return false
  if (conversation.extensions.has(TASKS)) return task !== 'manual'
  if (task === 'optional') return false
  if (version.isStateless) throw missingExtension(TASKS)
  throw new ToolFailure(`The tool ${name} runs as a task: it needs revision 2026-07-28 and the extension ${TASKS}`)
}

type Run = (context: CallContext) => ToolResult | Promise<ToolResult>

export interface StartOptions {
  /** Whether the result may be sent at once, if the tool returns it without waiting. */
  mayComplete: boolean
  announce(list: ListName): void
  log(error: unknown): void
}

/** Runs a tool in a new task. Returns its result if it needs no task, else the task once it is stored. */
export async function startTask(
  call: Call,
  task: RunningTask,
  run: Run,
  options: StartOptions,
): Promise<ToolResult | null> {
  const taskCall: Call = { ...call, conversation: new TaskConversation(task, call.conversation, options.announce) }
  const context = new HandlerContext(taskCall)
  const { mayComplete, log } = options
  let first: { result: ToolResult } | { error: unknown } | null = null
  const work = async (): Promise<JsonObject> => {
    try {
      const result = await run(context)
      first = { result }
      return await renderToolResult(result, taskCall, context)
    } catch (error) {
      first = { error }
      throw error
    }
  }
  // A failure at once is reported by the response to the call, not in the log of a task.
  let isTask = false
  void task.run(work, error => {
    if (isTask || !mayComplete) log(error)
  })
  await new Promise(resolve => setImmediate(resolve))
  const outcome = first as { result: ToolResult } | { error: unknown } | null
  if (outcome && mayComplete) {
    if ('error' in outcome) throw outcome.error
    return outcome.result
  }
  isTask = true
  return null
}

class TaskConversation implements Conversation {
  readonly session = null
  readonly transport = 'streamable-http'
  /** A task has no stream for log messages. */
  readonly logLevel = null
  readonly clientCapabilities
  readonly extensions
  readonly principal
  readonly task: { id: string; setStatus(text: string): void }
  readonly signal: AbortSignal
  readonly announce: (list: ListName) => void
  readonly #task: RunningTask

  constructor(task: RunningTask, of: Conversation, announce: (list: ListName) => void) {
    this.#task = task
    this.task = task
    this.signal = task.signal
    this.clientCapabilities = of.clientCapabilities
    this.extensions = of.extensions
    this.principal = of.principal
    this.announce = announce
  }

  notify(): void {}
  resume(): void {}
  closeStream(): void {}

  ask(questions: Record<string, Question>, call: Call): Promise<Answers> {
    return this.#task.ask(questions, call)
  }

  startTask(): never {
    throw new Error('a task cannot start another task')
  }
}
