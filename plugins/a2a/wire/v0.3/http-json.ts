/** Owns the JSON of version 0.3 over HTTP+JSON (ProtoJSON of its `a2a.v1` proto). */
import type { Artifact, JsonObject, Message, Part, TaskStatus } from '../../types.ts'
import { checkKind, onlyContent, readBoolean, readContentText, readObject } from '../read.ts'
import { type Renderer, renderProtoArtifactUpdate, renderTask } from '../render.ts'
import type { Wire } from '../wire.ts'
import { type FileKeys, readFilePart, renderFile, renderMetadata, renderPushConfig } from './parts.ts'

const FILE_KEYS: FileKeys = { bytes: 'fileWithBytes', uri: 'fileWithUri' }
const renderer: Renderer = { status: renderStatus, artifact: renderArtifact, message: renderMessage }

export const httpJsonV03: Wire = {
  protocolVersion: '0.3',
  pushKey: 'pushNotification',
  isZeroUnset: true,

  // ProtoJSON omits false, so in a configuration without `blocking` it is false.
  waits: configuration =>
    configuration === undefined || readBoolean(configuration, 'blocking', 'configuration.blocking') === true,

  readPart(part, path) {
    const content = onlyContent(part, ['text', 'file', 'data'], path)
    checkKind(part, [content], path)
    if (content === 'text') return readContentText(part, path) as Part
    if (content === 'file') return readFilePart(part, FILE_KEYS, path)
    const wrapper = readObject(part, 'data', `${path}.data`) ?? {}
    onlyContent(wrapper, ['data'], `${path}.data`)
    return { data: wrapper.data }
  },

  task: (task, view) => renderTask(task, view, renderer),

  message: renderMessage,

  update(task, update) {
    if (update.kind === 'status')
      return {
        statusUpdate: {
          taskId: task.id,
          contextId: task.contextId,
          status: renderStatus(update.status),
          final: update.isFinal,
        },
      }
    return renderProtoArtifactUpdate(task, update, renderer)
  },

  taskReply: task => ({ task }),
  messageReply: message => ({ message }),

  pushConfig: (taskId, config) => ({
    name: `tasks/${taskId}/pushNotificationConfigs/${config.id}`,
    pushNotificationConfig: renderPushConfig(config),
  }),
}

function renderStatus({ state, message, timestamp }: TaskStatus): JsonObject {
  const name = state === 'CANCELED' ? 'CANCELLED' : state
  return { state: `TASK_STATE_${name}`, ...(message ? { message: renderMessage(message) } : {}), timestamp }
}

function renderMessage({ role, parts, ...message }: Message): JsonObject {
  return { ...message, role: `ROLE_${role.toUpperCase()}`, content: parts.map(renderPart) }
}

function renderArtifact(artifact: Artifact): JsonObject {
  return { ...artifact, parts: artifact.parts.map(renderPart) }
}

function renderPart(part: Part): JsonObject {
  const metadata = renderMetadata(part)
  if ('text' in part) return { text: part.text, ...metadata }
  if ('data' in part) return { data: { data: part.data }, ...metadata }
  return { file: renderFile(part, FILE_KEYS), ...metadata }
}
