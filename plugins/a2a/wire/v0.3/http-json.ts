/** Owns the JSON of generation 0.3 over HTTP+JSON (ProtoJSON of its `a2a.v1` proto). */
import type { Artifact, JsonObject, Message, Part, TaskStatus } from '../../types.ts'
import {
  checkKind,
  onlyContent,
  readBase64,
  readBoolean,
  readContentText,
  readFileFacts,
  readObject,
  readText,
} from '../read.ts'
import { shownHistory, type Wire } from '../wire.ts'
import { renderPushConfig } from './json-rpc.ts'

export const rest3: Wire = {
  generation: '0.3',
  pushKey: 'pushNotification',
  isZeroUnset: true,

  // ProtoJSON leaves false out: absent inside a configuration means false.
  waits: configuration =>
    configuration === undefined || readBoolean(configuration, 'blocking', 'configuration.blocking') === true,

  readPart(part, path) {
    const content = onlyContent(part, ['text', 'file', 'data'], path)
    checkKind(part, [content], path)
    if (content === 'text') return readContentText(part, path) as Part
    if (content === 'file') return readFile(part, path)
    const wrapper = readObject(part, 'data', `${path}.data`) ?? {}
    onlyContent(wrapper, ['data'], `${path}.data`)
    return { data: wrapper.data }
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
    if (update.kind === 'status')
      return { statusUpdate: { ...ids, status: renderStatus(update.status), final: update.isSettling } }
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

  pushConfig: (taskId, config) => ({
    name: `tasks/${taskId}/pushNotificationConfigs/${config.id}`,
    pushNotificationConfig: renderPushConfig(config),
  }),
}

function readFile(part: JsonObject, path: string): Part {
  const file = readObject(part, 'file', `${path}.file`) ?? {}
  const facts = readFileFacts(file, { filename: 'name', mediaType: 'mimeType' }, `${path}.file`)
  if (onlyContent(file, ['fileWithBytes', 'fileWithUri'], `${path}.file`) === 'fileWithBytes')
    return { raw: readBase64(file, 'fileWithBytes', `${path}.file.fileWithBytes`), ...facts }
  return { url: readText(file, 'fileWithUri', `${path}.file.fileWithUri`) as string, ...facts }
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
  const metadata = part.metadata && Object.keys(part.metadata).length > 0 ? { metadata: part.metadata } : {}
  if ('text' in part) return { text: part.text, ...metadata }
  if ('data' in part) return { data: { data: part.data }, ...metadata }
  const content = 'raw' in part ? { fileWithBytes: part.raw } : { fileWithUri: part.url }
  return {
    file: {
      ...content,
      ...(part.mediaType ? { mimeType: part.mediaType } : {}),
      ...(part.filename ? { name: part.filename } : {}),
    },
    ...metadata,
  }
}
