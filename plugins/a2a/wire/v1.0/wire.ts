/** Owns the JSON of version 1.0, which is the same in both bindings (ProtoJSON of `lf.a2a.v1`). */
import type { Artifact, Message, Part, TaskStatus } from '../../types.ts'
import { onlyContent, readBase64, readBoolean, readContentText, readFileFields, readText } from '../read.ts'
import { type Renderer, renderProtoArtifactUpdate, renderTask } from '../render.ts'
import type { Wire } from '../wire.ts'

const renderer: Renderer = { status: renderStatus, artifact: renderArtifact, message: renderMessage }

export const v1: Wire = {
  protocolVersion: '1.0',
  pushKey: 'taskPushNotificationConfig',
  isZeroUnset: false,

  waits: configuration =>
    (configuration && readBoolean(configuration, 'returnImmediately', 'configuration.returnImmediately')) !== true,

  readPart(part, path) {
    const fields = readFileFields(part, { filename: 'filename', mediaType: 'mediaType' }, path)
    switch (onlyContent(part, ['text', 'raw', 'url', 'data'], path)) {
      case 'text':
        return { ...readContentText(part, path), ...fields }
      case 'raw':
        return { raw: readBase64(part, 'raw', `${path}.raw`), ...fields }
      case 'url':
        return { url: readText(part, 'url', `${path}.url`) as string, ...fields }
      case 'data':
        return { data: part.data, ...fields }
    }
  },

  task: (task, view) => renderTask(task, view, renderer),

  message: renderMessage,

  update(task, update) {
    if (update.kind === 'status')
      return { statusUpdate: { taskId: task.id, contextId: task.contextId, status: renderStatus(update.status) } }
    return renderProtoArtifactUpdate(task, update, renderer)
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

/** The internal model uses the names of 1.0. */
function renderPart(part: Part): Record<string, unknown> {
  return { ...part }
}
