/** Owns the JSON of generation 0.3 over JSON-RPC (its TypeScript types: everything has a `kind`). */
import { isRecord } from 'svc/plugin'
import { invalidParams } from '../../errors.ts'
import type { Artifact, JsonObject, Message, Part, TaskState, TaskStatus } from '../../types.ts'
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

/** Marks a data part whose value is no object and stands under `value`. */
const WRAPPED = 'data_part_compat'

export const rpc3: Wire = {
  generation: '0.3',
  pushKey: 'pushNotificationConfig',
  isZeroUnset: false,

  waits: configuration => (configuration && readBoolean(configuration, 'blocking', 'configuration.blocking')) !== false,

  readPart(part, path) {
    const content = onlyContent(part, ['text', 'file', 'data'], path)
    checkKind(part, [content], path)
    if (content === 'text') return readContentText(part, path) as Part
    if (content === 'file') return readFile(part, path)
    return readData(part, path)
  },

  task(task, view) {
    const history = shownHistory(task, view)
    return {
      kind: 'task',
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
      return { kind: 'status-update', ...ids, status: renderStatus(update.status), final: update.isSettling }
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

/** A push config as 0.3 has it in both bindings: a list of schemes. */
export function renderPushConfig({ id, url, token, authentication }: Parameters<Wire['pushConfig']>[1]): JsonObject {
  const schemes = authentication && {
    schemes: [authentication.scheme],
    ...(authentication.credentials === undefined ? {} : { credentials: authentication.credentials }),
  }
  return { id, url, ...(token === undefined ? {} : { token }), ...(schemes ? { authentication: schemes } : {}) }
}

function readFile(part: JsonObject, path: string): Part {
  const file = readObject(part, 'file', `${path}.file`) ?? {}
  const facts = readFileFacts(file, { filename: 'name', mediaType: 'mimeType' }, `${path}.file`)
  if (onlyContent(file, ['bytes', 'uri'], `${path}.file`) === 'bytes')
    return { raw: readBase64(file, 'bytes', `${path}.file.bytes`), ...facts }
  return { url: readText(file, 'uri', `${path}.file.uri`) as string, ...facts }
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
  const metadata = part.metadata && Object.keys(part.metadata).length > 0 ? { metadata: part.metadata } : {}
  if ('text' in part) return { kind: 'text', text: part.text, ...metadata }
  if ('data' in part) {
    if (isRecord(part.data)) return { kind: 'data', data: part.data, ...metadata }
    return { kind: 'data', data: { value: part.data }, metadata: { ...part.metadata, [WRAPPED]: true } }
  }
  const content = 'raw' in part ? { bytes: part.raw } : { uri: part.url }
  return {
    kind: 'file',
    file: {
      ...content,
      ...(part.mediaType ? { mimeType: part.mediaType } : {}),
      ...(part.filename ? { name: part.filename } : {}),
    },
    ...metadata,
  }
}
