/** Reads and writes the three JSON shapes of A2A: 1.0, 0.3 over JSON-RPC, 0.3 over HTTP+JSON. */
import { isRecord } from '../../../../../core/contract/record.ts'
import type { AgentEvent, Artifact, Binding, Part, AgentMessage, State, Status, Version } from './types.ts'

type Json = Record<string, unknown>

const recordOf = (value: unknown): Json => (isRecord(value) ? value : {})
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Options of a message. */
export interface SendOptions {
  taskId: string | null
  contextId: string | null
  /** Return before the task is done. */
  returnsAtOnce: boolean
  /** URL for push notifications; null: none. */
  pushUrl: string | null
}

/** The parameters of `SendMessage` and its counterparts. */
export function writeSend(
  version: Version,
  binding: Binding,
  parts: readonly Part[],
  { taskId, contextId, returnsAtOnce, pushUrl }: SendOptions,
): Json {
  const message: Json = {
    messageId: `con-${Math.random().toString(36).slice(2)}`,
    ...(taskId === null ? {} : { taskId }),
    ...(contextId === null ? {} : { contextId }),
  }
  const push = pushUrl === null ? null : { url: pushUrl, token: 'console' }
  if (version === '1.0') {
    const configuration = {
      ...(returnsAtOnce ? { returnImmediately: true } : {}),
      ...(push ? { taskPushNotificationConfig: push } : {}),
    }
    return {
      message: { ...message, role: 'ROLE_USER', parts },
      ...(Object.keys(configuration).length === 0 ? {} : { configuration }),
    }
  }
  // In the HTTP binding, a configuration without `blocking` means not to wait.
  if (binding === 'JSONRPC')
    return {
      message: { kind: 'message', ...message, role: 'user', parts: parts.map(writeRpcPart) },
      configuration: { blocking: !returnsAtOnce, ...(push ? { pushNotificationConfig: push } : {}) },
    }
  return {
    message: {
      ...message,
      role: 'ROLE_USER',
      content: parts.map(part => (part.data === undefined ? part : { data: { data: part.data } })),
    },
    configuration: { blocking: !returnsAtOnce, ...(push ? { pushNotification: push } : {}) },
  }
}

function writeRpcPart(part: Part): Json {
  return part.text === undefined ? { kind: 'data', data: part.data } : { kind: 'text', text: part.text }
}

/** Reads a result or an event of a stream. Null: unknown. */
export function readEvent(json: unknown): AgentEvent | null {
  const value = recordOf(json)
  const [name, inner] = ['task', 'message', 'statusUpdate', 'artifactUpdate']
    .map(key => [key, value[key]] as const)
    .find(([, member]) => isRecord(member)) ?? [KINDS[textOf(value.kind)], value]
  const item = recordOf(inner)
  switch (name) {
    case 'task':
      return readTask(item)
    case 'message':
      return { kind: 'message', message: readMessage(item) }
    case 'statusUpdate':
      return {
        kind: 'status',
        taskId: textOf(item.taskId),
        contextId: textOf(item.contextId),
        status: readStatus(item.status),
      }
    case 'artifactUpdate':
      return {
        kind: 'artifact',
        taskId: textOf(item.taskId),
        artifact: { ...readArtifact(item.artifact), isComplete: item.lastChunk === true },
        append: item.append === true,
      }
    // A bare task, the response to getting or canceling a task in 1.0.
    default:
      return typeof value.id === 'string' && typeof value.status === 'object' ? readTask(value) : null
  }
}

const KINDS: Record<string, string> = {
  task: 'task',
  message: 'message',
  'status-update': 'statusUpdate',
  'artifact-update': 'artifactUpdate',
}

export function readTask(task: Json): AgentEvent & { kind: 'task' } {
  return {
    kind: 'task',
    id: textOf(task.id),
    contextId: textOf(task.contextId),
    status: readStatus(task.status),
    artifacts: listOf(task.artifacts).map(readArtifact),
    history: listOf(task.history).map(message => readMessage(recordOf(message))),
  }
}

function readStatus(value: unknown): Status {
  const { state, message, timestamp, update } = recordOf(value)
  const inner = message ?? update
  return {
    state: readState(textOf(state)),
    message: inner ? readMessage(recordOf(inner)) : null,
    timestamp: textOf(timestamp) || null,
  }
}

/** `TASK_STATE_CANCELLED`, `canceled`: both are `canceled`. */
export function readState(state: string): State {
  return state
    .replace(/^TASK_STATE_/, '')
    .toLowerCase()
    .replace(/_/g, '-')
    .replace('cancelled', 'canceled')
}

function readMessage(message: Json): AgentMessage {
  const read: AgentMessage = {
    messageId: textOf(message.messageId),
    role: /user/i.test(textOf(message.role)) ? 'user' : 'agent',
    parts: listOf(message.parts ?? message.content).map(readPart),
  }
  if (message.taskId) read.taskId = textOf(message.taskId)
  if (message.contextId) read.contextId = textOf(message.contextId)
  return read
}

function readArtifact(value: unknown): Artifact {
  const artifact = recordOf(value)
  const artifactId = textOf(artifact.artifactId)
  return {
    artifactId,
    name: textOf(artifact.name) || artifactId,
    parts: listOf(artifact.parts).map(readPart),
    chunks: 1,
    isComplete: true,
  }
}

function readPart(value: unknown): Part {
  const part = recordOf(value)
  const file = recordOf(part.file)
  const url = textOf(part.url) || textOf(file.uri) || textOf(file.fileWithUri)
  const raw = textOf(part.raw) || textOf(file.bytes) || textOf(file.fileWithBytes)
  const filename = textOf(part.filename) || textOf(file.name)
  const mediaType = textOf(part.mediaType) || textOf(file.mimeType)
  const isWrapped =
    part.kind === undefined &&
    typeof part.data === 'object' &&
    part.data !== null &&
    Object.keys(part.data).join() === 'data'
  return {
    ...(typeof part.text === 'string' ? { text: part.text } : {}),
    ...(part.data === undefined ? {} : { data: isWrapped ? recordOf(part.data).data : part.data }),
    ...(url === '' ? {} : { url }),
    ...(raw === '' ? {} : { raw }),
    ...(filename === '' ? {} : { filename }),
    ...(mediaType === '' ? {} : { mediaType }),
  }
}
