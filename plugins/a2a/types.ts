/** The neutral task model, and the extension point `a2a.agents` through which plugins add agents. */

/** A JSON object as received; its keys are any, `__proto__` included. */
export type JsonObject = Record<string, unknown>

/** States of a task (A2A 1.0, 4.1.3), without the prefix of either protocolVersion. */
export type TaskState =
  | 'SUBMITTED'
  | 'WORKING'
  | 'COMPLETED'
  | 'FAILED'
  | 'CANCELED'
  | 'REJECTED'
  | 'INPUT_REQUIRED'
  | 'AUTH_REQUIRED'

/** What a part holds: text, bytes in standard base64, a URL to bytes, or any JSON value. */
export type PartContent = { text: string } | { raw: string } | { url: string } | { data: unknown }
export type Part = PartContent & { filename?: string; mediaType?: string; metadata?: JsonObject }

export interface Message {
  messageId: string
  contextId?: string
  taskId?: string
  role: 'user' | 'agent'
  parts: readonly Part[]
  metadata?: JsonObject
}

export interface TaskStatus {
  state: TaskState
  message?: Message
  /** ISO 8601 with milliseconds, UTC. */
  timestamp: string
}

export interface Artifact {
  artifactId: string
  name?: string
  description?: string
  parts: readonly Part[]
  metadata?: JsonObject
}

/** One thing that an agent does, so many milliseconds after the one before (default 0: a later turn of the event loop). */
export type Step = { afterMs?: number } & (
  | { state: TaskState; text: string }
  | { artifact: Artifact; append?: boolean; lastChunk?: boolean }
)

/** Instead of a task: a message of the agent with these parts. */
export interface DirectReply {
  reply: readonly Part[]
}

/**
 * What an agent does about a message. Steps after a terminal or interrupted state are dropped; without such a state
 * the task completes at the end. What is thrown makes the task fail.
 */
export type Plan = Iterable<Step> | AsyncIterable<Step> | DirectReply

/** What an agent knows while it plans and works. */
export interface AgentContext {
  readonly task: {
    readonly id: string
    readonly contextId: string
    readonly state: TaskState
    /** Oldest first, the message at hand included, at most 100. */
    readonly history: readonly Message[]
  }
  /** Whether the task existed before this message. */
  readonly isFollowUp: boolean
  /** Which of the caller's tasks of this agent with this `contextId` it is, from 1. */
  readonly turn: number
  /** The session key of the caller. */
  readonly session: string
  /** Agents with `requiresToken`: claims of the valid access token, else null. */
  readonly claims: JsonObject | null
  /** Whether a credential came that is no valid access token. */
  readonly isTokenRefused: boolean
  /** Metadata of the message over that of the request. */
  readonly metadata: JsonObject
  /** Milliseconds between steps: `metadata.stepDelayMs` clamped to 0 to 5000, else the default given. */
  stepDelayMs(fallback: number): number
  /** `scheme://host[:port]` of the request. */
  readonly baseUrl: string
  /** Aborts when the task is cancelled or evicted. */
  readonly signal: AbortSignal
}

export interface Skill {
  id: string
  name: string
  description: string
  /** At least one. */
  tags: readonly string[]
  /** At least one. */
  examples: readonly string[]
  /** Default: the agent's. */
  inputModes?: readonly string[]
  /** Default: the agent's. */
  outputModes?: readonly string[]
}

export interface AgentDefinition {
  /** `^[a-z][a-z0-9-]{0,39}$`, not `v1` or `webhook-sink`; the path below `/a2a`. */
  id: string
  name: string
  description: string
  /** Media types or ranges, at least one. */
  inputModes: readonly string[]
  /** Media types or ranges, at least one. */
  outputModes: readonly string[]
  /** At least one. */
  skills: readonly Skill[]
  /** Its card declares OAuth, it has an extended card, and `context.claims` is filled. */
  requiresToken?: boolean
  /** Skills that the extended card shows after the others. */
  extendedSkills?: readonly Skill[]
  /** Plans a new task or a follow-up to an interrupted one. */
  steps(message: Message, context: AgentContext): Plan
}

/** The extension point. Throws when the id is taken (naming both plugins) or the definition is wrong. */
export interface A2aAgents {
  agent(definition: AgentDefinition): void
}

declare module 'svc/plugin' {
  interface ExtensionPoints {
    'a2a.agents': A2aAgents
  }
}
