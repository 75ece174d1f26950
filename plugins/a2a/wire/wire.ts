/** A wire format: one of the three JSON formats in which the internal model is read and written. */
import type { PushConfig } from '../protocol/push-config.ts'
import type { ProtocolVersion } from '../protocol/version.ts'
import type { Task, Update } from '../tasks/task.ts'
import type { JsonObject, Message, Part } from '../types.ts'

/** The parts of a task to render. */
export interface TaskView {
  /** Number of latest history messages; undefined: all, 0: none. */
  historyLength?: number
  /** Default true. */
  includeArtifacts?: boolean
}

export interface Wire {
  readonly protocolVersion: ProtocolVersion
  /** Key of the push config inside the configuration of a send. */
  readonly pushKey: string
  /** Whether a count of 0 means that it is not set (0.3 over HTTP+JSON). */
  readonly isZeroUnset: boolean
  /** Whether a send with this configuration is blocking: it waits for a terminal or interrupted state. */
  waits(configuration: JsonObject | undefined): boolean
  /** Reads a part; `path` is its position in the request. Throws InvalidParams. */
  readPart(value: JsonObject, path: string): Part
  task(task: Task, view?: TaskView): JsonObject
  message(message: Message): JsonObject
  /** A change as an event of a stream. */
  update(task: Task, update: Update): JsonObject
  /** Wraps a task for the response to a send, and for the first event of a stream. */
  taskReply(task: JsonObject): JsonObject
  /** The same for a message. */
  messageReply(message: JsonObject): JsonObject
  pushConfig(taskId: string, config: PushConfig): JsonObject
}
