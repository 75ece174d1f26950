/** State of the current task, with the operations on it. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { explain } from '../../lib/instance/api.ts'
import { createMessageLog, type MessageLog } from '../../lib/protocol/message-log.ts'
import { A2aClient } from './client.ts'
import { withEvent, withMessage } from './timeline.ts'
import { isTerminal, NO_TASK, type AgentEvent, type AgentTarget, type Part, type TaskView } from './types.ts'

export interface SendChoices {
  isStreamed: boolean
  returnsAtOnce: boolean
  /** Push URL for a new task; a task that continues keeps its configuration. */
  pushUrl: string | null
}

export interface TaskHandle {
  log: MessageLog
  task: TaskView
  isRunning: boolean
  error: string | null
  send(target: AgentTarget, parts: readonly Part[], choices: SendChoices): Promise<void>
  subscribe(target: AgentTarget): Promise<void>
  refresh(target: AgentTarget): Promise<void>
  cancel(target: AgentTarget): Promise<void>
  open(target: AgentTarget, id: string): Promise<void>
  stop(): void
  clear(): void
}

export function useTask(): TaskHandle {
  const [log] = useState(createMessageLog)
  const [task, setTask] = useState<TaskView>(NO_TASK)
  const [isRunning, setRunning] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])

  /** Applies events until they end or another call starts. */
  async function follow(events: (signal: AbortSignal) => AsyncIterable<AgentEvent>): Promise<void> {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    setError(null)
    setRunning(true)
    try {
      for await (const event of events(controller.signal))
        if (running.current === controller) setTask(view => withEvent(view, event))
    } catch (reason) {
      if (!controller.signal.aborted) setError(explain(reason))
    }
    if (running.current === controller) setRunning(false)
  }

  /** Applies one event without ending the followed stream. */
  async function once(load: () => Promise<AgentEvent | null>): Promise<void> {
    setError(null)
    try {
      const event = await load()
      if (event !== null) setTask(view => withEvent(view, event))
    } catch (reason) {
      setError(explain(reason))
    }
  }

  const clientOf = (target: AgentTarget) => new A2aClient(target, log)
  return {
    log,
    task,
    isRunning,
    error,
    async send(target, parts, choices) {
      const continues = task.id !== null && !isTerminal(task.state)
      const { id: taskId, contextId } = continues ? task : NO_TASK
      setTask(withMessage(continues ? task : NO_TASK, parts))
      await follow(signal =>
        clientOf(target).send(
          parts,
          { taskId, contextId, returnsAtOnce: choices.returnsAtOnce, pushUrl: continues ? null : choices.pushUrl },
          choices.isStreamed,
          signal,
        ),
      )
    },
    subscribe: target => follow(signal => clientOf(target).subscribe(task.id!, signal)),
    refresh: target => once(() => clientOf(target).task('get', task.id!)),
    cancel: target => once(() => clientOf(target).task('cancel', task.id!)),
    async open(target, id) {
      running.current?.abort()
      setTask(NO_TASK)
      await once(() => clientOf(target).task('get', id))
    },
    stop() {
      running.current?.abort()
      setRunning(false)
    },
    clear() {
      running.current?.abort()
      setRunning(false)
      setError(null)
      setTask(NO_TASK)
    },
  }
}
