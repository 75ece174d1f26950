/** Owns the JSON of generation 1.0, the same in both bindings (ProtoJSON of `lf.a2a.v1`). */
import type { Artifact, Message, Part, TaskStatus } from '../../types.ts'
import { onlyContent, readBase64, readBoolean, readContentText, readFileFacts, readText } from '../read.ts'
import { shownHistory, type Wire } from '../wire.ts'

export const v1: Wire = {
  generation: '1.0',
  pushKey: 'taskPushNotificationConfig',
  isZeroUnset: false,

  waits: configuration =>
    (configuration && readBoolean(configuration, 'returnImmediately', 'configuration.returnImmediately')) !== true,

  readPart(part, path) {
    const facts = readFileFacts(part, { filename: 'filename', mediaType: 'mediaType' }, path)
    switch (onlyContent(part, ['text', 'raw', 'url', 'data'], path)) {
      case 'text':
        return { ...readContentText(part, path), ...facts }
      case 'raw':
        return { raw: readBase64(part, 'raw', `${path}.raw`), ...facts }
      case 'url':
        return { url: readText(part, 'url', `${path}.url`) as string, ...facts }
      case 'data':
        return { data: part.data, ...facts }
    }
  },

  task(task, view) {
    const history = shownHistory(task, view)
    return {
      id: task.id,
      contextId: task.contextId,
      status: renderStatus(task.status),
      ...(task.artifacts.length > 0 && view?.includeArtifacts !== false
        ? { artifacts: task.artifacts.map(renderArtifact) }
        : {}),
      ...(history ? { history: history.map(renderMessage) } : {}),
    }
  },

  message: renderMessage,

  update(task, update) {
    const ids = { taskId: task.id, contextId: task.contextId }
    if (update.kind === 'status') return { statusUpdate: { ...ids, status: renderStatus(update.status) } }
    return {
      artifactUpdate: {
        ...ids,
        artifact: renderArtifact(update.artifact),
        ...(update.append ? { append: true } : {}),
        ...(update.lastChunk ? { lastChunk: true } : {}),
      },
    }
  },

  taskReply: task => ({ task }),
  messageReply: message => ({ message }),

  pushConfig: (taskId, { id, url, token, authentication }) => ({
    taskId,
    id,
    url,
    ...(token === undefined ? {} : { token }),
    ...(authentication ? { authentication } : {}),
  }),
}

function renderStatus({ state, message, timestamp }: TaskStatus): {
  state: string
  message?: Record<string, unknown>
  timestamp: string
} {
  return { state: `TASK_STATE_${state}`, ...(message ? { message: renderMessage(message) } : {}), timestamp }
}

function renderMessage({ role, ...message }: Message): Record<string, unknown> {
  return { ...message, role: `ROLE_${role.toUpperCase()}`, parts: message.parts.map(renderPart) }
}

function renderArtifact(artifact: Artifact): Record<string, unknown> {
  return { ...artifact, parts: artifact.parts.map(renderPart) }
}

/** The neutral model has these names already. */
function renderPart(part: Part): Record<string, unknown> {
  return { ...part }
}
