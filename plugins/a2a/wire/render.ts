/** Owns rendering the fields that tasks and events have in common in all wire formats. */
import type { Task, Update } from '../tasks/task.ts'
import type { Artifact, JsonObject, Message, TaskStatus } from '../types.ts'
import type { TaskView } from './wire.ts'

/** How a wire format renders the parts of a task. */
export interface Renderer {
  status(status: TaskStatus): JsonObject
  artifact(artifact: Artifact): JsonObject
  message(message: Message): JsonObject
}

export function renderTask(task: Task, view: TaskView = {}, renderer: Renderer): JsonObject {
  const history = selectHistory(task, view)
  return {
    id: task.id,
    contextId: task.contextId,
    status: renderer.status(task.status),
    ...(task.artifacts.length > 0 && view.includeArtifacts !== false
      ? { artifacts: task.artifacts.map(artifact => renderer.artifact(artifact)) }
      : {}),
    ...(history.length > 0 ? { history: history.map(message => renderer.message(message)) } : {}),
  }
}

/** An artifact event in ProtoJSON, which omits false. */
export function renderProtoArtifactUpdate(
  task: Task,
  update: Extract<Update, { kind: 'artifact' }>,
  renderer: Renderer,
): JsonObject {
  return {
    artifactUpdate: {
      taskId: task.id,
      contextId: task.contextId,
      artifact: renderer.artifact(update.artifact),
      ...(update.append ? { append: true } : {}),
      ...(update.lastChunk ? { lastChunk: true } : {}),
    },
  }
}

function selectHistory(task: Task, { historyLength }: TaskView): readonly Message[] {
  if (historyLength === undefined) return task.history
  return historyLength === 0 ? [] : task.history.slice(-historyLength)
}
