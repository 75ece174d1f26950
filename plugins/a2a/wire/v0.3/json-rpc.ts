/** Owns the JSON of version 0.3 over JSON-RPC, in which every object has a `kind`. */
import { isRecord } from 'svc/toolkit'
import { invalidParams } from '../../protocol/errors.ts'
import type { Artifact, JsonObject, Message, Part, TaskState, TaskStatus } from '../../types.ts'
import { checkKind, onlyContent, readBoolean, readContentText, readObject } from '../read.ts'
import { type Renderer, renderTask } from '../render.ts'
import type { Wire } from '../wire.ts'
import { type FileKeys, readFilePart, renderFile, renderMetadata, renderPushConfig } from './parts.ts'

const FILE_KEYS: FileKeys = { bytes: 'bytes', uri: 'uri' }
const renderer: Renderer = { status: renderStatus, artifact: renderArtifact, message: renderMessage }

/** Marks a data part with a value that is not an object and is therefore wrapped in `{ value }`. */
const WRAPPED = 'data_part_compat'

export const jsonRpcV03: Wire = {
  protocolVersion: '0.3',
  pushKey: 'pushNotificationConfig',
  isZeroUnset: false,

  waits: configuration => (configuration && readBoolean(configuration, 'blocking', 'configuration.blocking')) !== false,

  readPart(part, path) {
    const content = onlyContent(part, ['text', 'file', 'data'], path)
    checkKind(part, [content], path)
    if (content === 'text') return readContentText(part, path) as Part
    if (content === 'file') return readFilePart(part, FILE_KEYS, path)
    return readData(part, path)
  },

  task: (task, view) => ({ kind: 'task', ...renderTask(task, view, renderer) }),

  message: renderMessage,

  update(task, update) {
    const ids = { taskId: task.id, contextId: task.contextId }
    if (update.kind === 'status')
      return { kind: 'status-update', ...ids, status: renderStatus(update.status), final: update.isFinal }
    return {
      kind: 'artifact-update',
      ...ids,
      artifact: renderArtifact(update.artifact),
      append: update.append,
      lastChunk: update.lastChunk,
    }
  },

  taskReply: task => task,
  messageReply: message => message,

  pushConfig: (taskId, config) => ({ taskId, pushNotificationConfig: renderPushConfig(config) }),
}

function readData(part: JsonObject, path: string): Part {
  const data = part.data
  if (!isRecord(data)) throw invalidParams(`${path}.data`, 'expected an object')
  const metadata = readObject(part, 'metadata', `${path}.metadata`)
  if (metadata?.[WRAPPED] !== true || !Object.hasOwn(data, 'value')) return { data }
  const { [WRAPPED]: _mark, ...rest } = metadata
  return { data: data.value, metadata: rest }
}

function renderStatus({ state, message, timestamp }: TaskStatus): JsonObject {
  return { state: renderState(state), ...(message ? { message: renderMessage(message) } : {}), timestamp }
}

function renderState(state: TaskState): string {
  return state.toLowerCase().replaceAll('_', '-')
}

function renderMessage(message: Message): JsonObject {
  return { kind: 'message', ...message, parts: message.parts.map(renderPart) }
}

function renderArtifact(artifact: Artifact): JsonObject {
  return { ...artifact, parts: artifact.parts.map(renderPart) }
}

function renderPart(part: Part): JsonObject {
  const metadata = renderMetadata(part)
  if ('text' in part) return { kind: 'text', text: part.text, ...metadata }
  if ('data' in part) {
    if (isRecord(part.data)) return { kind: 'data', data: part.data, ...metadata }
    return { kind: 'data', data: { value: part.data }, metadata: { ...part.metadata, [WRAPPED]: true } }
  }
  return { kind: 'file', file: renderFile(part, FILE_KEYS), ...metadata }
}
