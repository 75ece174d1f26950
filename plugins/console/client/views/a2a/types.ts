/** A2A tasks and messages, independent of protocol version and binding. */
import type { Gateway } from '../../lib/shell/storage.ts'
import type { NameValue } from '../../lib/protocol/http.ts'

export type Version = '1.0' | '0.3'
export type Binding = 'JSONRPC' | 'HTTP+JSON'

/** An agent of `GET /a2a`. */
export interface Agent {
  id: string
  name: string
  description: string
  jsonrpc: string
  card: string
  legacyCard: string
  requiresAuth: boolean
}
export interface Directory {
  agents: Agent[]
  webhookSink: string
}

/** How to reach an agent. */
export interface AgentTarget {
  agent: string
  version: Version
  binding: Binding
  gateway: Gateway | null
  headers: readonly NameValue[]
}

export interface Part {
  text?: string
  data?: unknown
  raw?: string
  url?: string
  filename?: string
  mediaType?: string
}

/** Lower case with hyphens: `input-required`. */
export type State = string

export interface AgentMessage {
  messageId: string
  role: 'user' | 'agent'
  parts: readonly Part[]
  taskId?: string
  contextId?: string
}
export interface Status {
  state: State
  message: AgentMessage | null
  timestamp: string | null
}
export interface Artifact {
  artifactId: string
  name: string
  parts: readonly Part[]
  chunks: number
  isComplete: boolean
}

export type AgentEvent =
  | {
      kind: 'task'
      id: string
      contextId: string
      status: Status
      artifacts: readonly Artifact[]
      history: readonly AgentMessage[]
    }
  | { kind: 'status'; taskId: string; contextId: string; status: Status }
  | { kind: 'artifact'; taskId: string; artifact: Artifact; append: boolean }
  | { kind: 'message'; message: AgentMessage }

/** One entry of a task's timeline. */
export interface TimelineEntry {
  number: number
  /** Milliseconds since 1970, in the clock of this page. */
  at: number
  kind: 'you' | 'status' | 'artifact' | 'message'
  state?: State
  title: string
  parts: readonly Part[]
}

export interface TaskView {
  /** Null: the agent answered with a message instead of a task. */
  id: string | null
  contextId: string | null
  state: State | null
  timeline: readonly TimelineEntry[]
  artifacts: readonly Artifact[]
}

export const NO_TASK: TaskView = { id: null, contextId: null, state: null, timeline: [], artifacts: [] }

const TERMINAL = new Set(['completed', 'failed', 'canceled', 'rejected'])
export const isTerminal = (state: State | null): boolean => state !== null && TERMINAL.has(state)
export const isInterrupted = (state: State | null): boolean => state === 'input-required' || state === 'auth-required'
