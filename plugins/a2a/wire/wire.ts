/** Owns what a wire is: one of the three JSON shapes in which the neutral model is read and written. */
import type { PushConfig } from '../push/push-config.ts'
import type { Task, Update } from '../task.ts'
import type { JsonObject, Message, Part } from '../types.ts'

export type ProtocolVersion = '1.0' | '0.3'

/** What is shown of a task. */
export interface TaskView {
  /** Last messages of the history; undefined shows all, 0 none. */
  historyLength?: number
  /** Default true. */
  includeArtifacts?: boolean
}

export interface Wire {
  readonly protocolVersion: ProtocolVersion
  /** Key of the push config inside the configuration of a send. */
  readonly pushKey: string
  /** 0.3 over HTTP can't tell 0 from absent. */
  readonly isZeroUnset: boolean
  /** Whether a send with this configuration waits for the task to settle. */
  waits(configuration: JsonObject | undefined): boolean
  /** Reads a part; `path` is where it stands. Throws InvalidParams. */
  readPart(value: JsonObject, path: string): Part
  task(task: Task, view?: TaskView): JsonObject
  message(message: Message): JsonObject
  /** A change as an event of a stream. */
  update(task: Task, update: Update): JsonObject
  /** How a task stands in the reply to a send, and as the first event of a stream. */
  taskReply(task: JsonObject): JsonObject
  /** How a direct message stands there. */
  messageReply(message: JsonObject): JsonObject
  pushConfig(taskId: string, config: PushConfig): JsonObject
}
