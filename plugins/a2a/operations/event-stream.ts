/** Owns the events of a stream: the first one, then the updates of the task, with the fault that the request asks for. */
import type { Call, EventStream } from '../calls/call.ts'
import { type ActiveFault, isStreamKind } from '../protocol/fault-kinds.ts'
import { withStreamFault } from '../faults/stream-faults.ts'
import { hugeArtifact } from '../tasks/task-faults.ts'
import { isTerminal } from '../protocol/states.ts'
import { endsRun, type Task, type TaskEvent, type Update } from '../tasks/task.ts'
import type { JsonObject } from '../types.ts'

export interface StreamStart {
  first: JsonObject
  /** Null: the stream has only the first event. */
  task: Task | null
  /** Updates that led to this state of the task and are not yet reported. */
  events?: readonly TaskEvent[]
}

/** Streams the given updates and those after the given state of a task, until it reaches a terminal or interrupted state. */
export function openEvents(call: Call, start: StreamStart, fault: ActiveFault | null): EventStream {
  const isFaulty = fault !== null && isStreamKind(fault.kind)
  return receiver => {
    const { task, first, events = [] } = start
    const to = isFaulty ? withStreamFault(fault, receiver) : receiver
    to.event({ kind: 'first', body: first, isFinal: task === null })
    if (task === null) {
      to.end()
      return () => {}
    }
    const { a2a, wire } = call
    const shown = fault?.kind === 'wrong-context' ? { ...task, contextId: `${task.contextId}-other` } : task
    const report = (update: Update): void => {
      const isFinal = update.kind === 'status' && update.isFinal
      if (update.kind === 'status' && isTerminal(update.status.state)) {
        const artifact = hugeArtifact(task, a2a.bounds.hugeArtifactBytes)
        const added = { kind: 'artifact', append: false, lastChunk: true } as const
        const body = artifact && wire.update(shown, { ...added, artifact })
        if (body) to.event({ kind: 'artifact', body, isFinal: false, isHuge: true })
      }
      to.event({ kind: update.kind, body: wire.update(shown, update), isFinal })
      if (isFinal) to.end()
    }
    for (const event of events) if (event.kind !== 'message') report(event)
    return endsRun(events.at(-1)) ? () => {} : a2a.tasks.follow(task, { update: report, closed: () => to.end() })
  }
}
