/**
 * The neutral task model, and the extension points: `a2a.agents`, with which plugins add agents, and `a2a.core`, on which they
 * build bindings.
 */
import type { AnyRequest } from 'svc/plugin'

/** A JSON object as received; it may have any key, including `__proto__`. */
export type JsonObject = Record<string, unknown>

/** States of a task (A2A 1.0, 4.1.3), without the `TASK_STATE_` prefix. */
export type TaskState =
  | 'SUBMITTED'
  | 'WORKING'
  | 'COMPLETED'
  | 'FAILED'
  | 'CANCELED'
  | 'REJECTED'
  | 'INPUT_REQUIRED'
  | 'AUTH_REQUIRED'

/** Content of a part: text, bytes in standard base64, a URL to bytes, or any JSON value. */
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

/** One step of an agent, `afterMs` milliseconds after the previous step (default 0: a later turn of the event loop). */
export type Step = { afterMs?: number } & (
  | { state: TaskState; text: string }
  | { artifact: Artifact; append?: boolean; lastChunk?: boolean }
)

/** A reply with a message of these parts instead of a task. */
export interface DirectReply {
  reply: readonly Part[]
  /** Of the message. */
  metadata?: JsonObject
}

/** A result that is neither a task nor a message, to test how clients handle it. */
export interface InvalidReply {
  invalidReply: JsonObject
}

/**
 * How an agent handles a message. Steps after a terminal or interrupted state are ignored; without such a state the task
 * completes after the last step. If a step throws, the task fails.
 */
export type Plan = Iterable<Step> | AsyncIterable<Step> | DirectReply | InvalidReply

/** Information for an agent while it plans and runs. */
export interface AgentContext {
  readonly task: {
    readonly id: string
    readonly contextId: string
    readonly state: TaskState
    /** At most 100 messages, oldest first, including the current one. */
    readonly history: readonly Message[]
  }
  /** Whether the task existed before this message. */
  readonly isFollowUp: boolean
  /** Number of this task among the caller's tasks with this agent and `contextId`, from 1. */
  readonly turn: number
  /** The session key of the caller. */
  readonly session: string
  /** The tenant of the request, if it names one. */
  readonly tenant: string | null
  /** URIs of the extensions that the request activates, of those that the card declares. */
  readonly extensions: readonly string[]
  /** Claims of a valid access token, for agents with `requiresToken`; otherwise null. */
  readonly claims: JsonObject | null
  /** Whether the request has credentials that are not a valid access token. */
  readonly isTokenRefused: boolean
  /** Metadata of the request, overridden by that of the message. */
  readonly metadata: JsonObject
  /** Milliseconds between steps: `metadata.stepDelayMs` clamped to 0 to 5000, or else `fallback`. */
  stepDelayMs(fallback: number): number
  /** `scheme://host[:port]` of the request. */
  readonly baseUrl: string
  /** The `traceparent` header of the request, or null (W3C Trace Context). */
  readonly traceparent: string | null
  /** Aborts when the task is canceled or evicted. */
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
  /** Path segment below `/a2a`: `^[a-z][a-z0-9-]{0,39}$`, but not `v1` or `webhook-sink`. */
  id: string
  name: string
  description: string
  /** Media types or ranges, at least one. */
  inputModes: readonly string[]
  /** Media types or ranges, at least one. */
  outputModes: readonly string[]
  /** At least one. */
  skills: readonly Skill[]
  /** If true, the card declares OAuth, the agent has an extended card, and `context.claims` is set. */
  requiresToken?: boolean
  /** Additional skills that only the extended card lists. */
  extendedSkills?: readonly Skill[]
  /** If false, the agent is in no list. Default: true. */
  listed?: boolean
  /** Extensions that requests must name in `A2A-Extensions`. */
  requiredExtensions?: readonly { uri: string; description: string }[]
  /** What the card declares. Operations of a capability that is false are errors. Defaults: true, true, `requiresToken`. */
  capabilities?: { streaming?: boolean; pushNotifications?: boolean; extendedAgentCard?: boolean }
  /** Plans a new task or a follow-up to an interrupted one. */
  steps(message: Message, context: AgentContext): Plan
}

/** The extension point. Throws if the id is in use (the error names both plugins) or the definition is invalid. */
export interface A2aAgents {
  agent(definition: AgentDefinition): void
}

/** Who calls an operation. */
export interface A2aCaller {
  /** For the session, the access token and the base URL. */
  readonly request: AnyRequest
  /** Agent id. */
  readonly agent: string
  readonly tenant: string | null
  /** The requested protocol version. Default: 1.0. */
  readonly version?: string
  /** The value of `A2A-Extensions`. Default: the header of the request. */
  readonly extensions?: string
  /** Aborts when the caller no longer waits. The task continues. */
  readonly signal: AbortSignal
}

/** Receives the events of a stream. */
export interface A2aReceiver {
  /** An event as in a stream of 1.0: `{ task }`, `{ message }`, `{ statusUpdate }` or `{ artifactUpdate }`. */
  event(event: JsonObject): void
  /** The stream ends: after its last event, or because the task was evicted or updates were missed. */
  end(): void
  /** The connection should break, because the request asks for this fault. */
  cut(): void
}

export interface A2aFailure {
  reason: string
  message: string
  /** Name of the `google.rpc.Code`. */
  status: string
  /** `google.rpc.ErrorInfo`, then `BadRequest` if fields are invalid; in ProtoJSON. */
  details: JsonObject[]
}

/** `open` sends the events, the first one at once. It returns a function that stops. */
export type A2aOutcome = (
  | { kind: 'result'; result: unknown }
  | { kind: 'stream'; open(receiver: A2aReceiver): () => void }
  | { kind: 'error'; error: A2aFailure }
) & {
  /** The value of `A2A-Extensions` in the response; empty if no extension is active. */
  extensions: string
}

/** The agents for further bindings. Parameters and results are the JSON of protocol version 1.0. */
export interface A2aCore {
  readonly tenants: readonly string[]
  /** Performs an operation by its method name, such as `SendMessage`. Rejects only for unexpected errors. */
  call(method: string, params: JsonObject, caller: A2aCaller): Promise<A2aOutcome>
}

declare module 'svc/plugin' {
  interface ExtensionPoints {
    'a2a.agents': A2aAgents
    'a2a.core': A2aCore
  }
}
