/**
 * Owns the extension point `mcp.servers`: the definitions of tools, resources, templates, prompts and servers, and the
 * context of their handlers. The built-in content uses the same types.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest, JsonSchema, SseStream } from 'svc/plugin'

export type JsonObject = { [name: string]: unknown }

export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency'

/** Content of a tool result or prompt message; converted for older revisions that do not support it. */
export type Content =
  | { type: 'text'; text: string }
  | { type: 'image' | 'audio' /** Base64. */; data: string; mimeType: string }
  | { type: 'resource'; resource: ResourceContents }
  | {
      type: 'resource_link'
      uri: string
      name: string
      title?: string
      description?: string
      mimeType?: string
      size?: number
    }

/** Contents of a resource: text, or bytes in base64. */
export type ResourceContents = { uri: string; mimeType?: string } & ({ text: string } | { blob: string })

export interface ToolResult {
  content: Content[]
  /** Must match `outputSchema`; sent since revision 2025-06-18. */
  structuredContent?: JsonObject
  /** True: the tool failed, and the content tells the model why. */
  isError?: boolean
}

/** The requests that a server can send to a client: elicitation, sampling and roots. */
export type QuestionMethod = 'elicitation/create' | 'sampling/createMessage' | 'roots/list'
export interface Question {
  method: QuestionMethod
  params?: JsonObject
}
/** The client's results by the keys of the questions, checked for their basic shape. */
export type Answers<Key extends string = string> = Record<Key, JsonObject>

/** The HTTP request that carries a call. */
export interface CallHttp {
  method: string
  /** Path and query as received. */
  uri: string
  /** Alternating names and values, as received (Node's `rawHeaders`). */
  rawHeaders: readonly string[]
  clientIp: string
  /** For `svc.http`. */
  request: FastifyRequest
}

/** The context of a running handler. */
export interface CallContext {
  /** Protocol revision of the call. */
  readonly version: string
  /** Name of the called server. */
  readonly server: string
  readonly transport: 'streamable-http' | 'http+sse'
  /** Session id, null in a stateless call. */
  readonly session: string | null
  /** Verified claims of the caller, null on open servers. */
  readonly claims: JsonObject | null
  readonly http: CallHttp
  /** Aborts when the client cancels. */
  readonly signal: AbortSignal
  /** Whether the client supports this question in this revision. */
  supports(method: QuestionMethod): boolean
  /** Reports progress, if the client requested it. Values must increase. */
  progress(progress: number, total?: number, message?: string): void
  /** Sends a log message, if the client requested this level. */
  log(level: LogLevel, data: unknown): void
  /** Waits `ms` milliseconds; rejects when the client cancels. */
  sleep(ms: number): Promise<void>
  /**
   * Asks the client. In a stateless call the handler runs again from its start in every round, so it must not have side
   * effects before `ask`, and it must not catch what `ask` throws.
   */
  ask<Key extends string>(questions: Record<Key, Question>): Promise<Answers<Key>>
  /** The resource of this server with this URI, or null. */
  findResource(uri: string): { name: string; title?: string; mimeType?: string } | null
  /** Notifies the clients of this server that a list has changed. */
  announce(list: ListName): void
  /** Ends the connection but not the call; the client reconnects for the result. Only in sessions of 2025-11-25. */
  closeStream(): void
  /** The task that the handler runs in; null in an ordinary call. In a task, `ask` waits for the client's answers. */
  readonly task: { id: string } | null
  /** Sets the status message of the task. Without effect in an ordinary call. */
  status(text: string): void
  /**
   * Continues in a task and returns the result for the client, which contains the id of the task. Only in tools with
   * `task: 'manual'`.
   */
  startTask(run: (context: CallContext) => ToolResult | Promise<ToolResult>): Promise<ToolResult>
  /** Creates an error to throw; it is sent as a JSON-RPC error instead of a tool error. */
  rpcError(code: number, message: string, data?: unknown): Error
}

export type ListName = 'tools' | 'resources' | 'prompts'

export interface ToolAnnotations {
  title?: string
  readOnlyHint?: boolean
  destructiveHint?: boolean
  idempotentHint?: boolean
  openWorldHint?: boolean
}

/** The common fields of all definitions. */
interface Entry {
  name: string
  title?: string
  description?: string
  /** Servers that list it. Default: `default`, `protected`, `apikey`. */
  servers?: string[]
  /** Not selected by `*`, because it exists only for one test server. */
  fixture?: boolean
}

export interface ToolDefinition extends Entry {
  /** JSON Schema 2020-12 of an object. A property with `x-mcp-header` is repeated in the header `Mcp-Param-<value>`. */
  inputSchema: JsonSchema
  outputSchema?: JsonSchema
  annotations?: ToolAnnotations
  /** Scope that a call requires on servers with `auth: oauth`, and on those with `callerScopes`. */
  scope?: string
  /**
   * Whether calls run as tasks (extension `io.modelcontextprotocol/tasks`): `optional` if the client supports tasks and
   * the tool does not return at once, `required` always, `manual` when the handler calls `startTask`. With `required` and
   * `manual`, clients without the extension get an error.
   */
  task?: 'optional' | 'required' | 'manual'
  /** Sent as `_meta` in the list. */
  meta?: JsonObject
  /** `args` are valid for `inputSchema`, with defaults filled in. */
  call(args: JsonObject, context: CallContext): ToolResult | Promise<ToolResult>
}

interface Readable extends Entry {
  mimeType?: string
  /** On servers with authentication, shared caches must not store it. */
  isPrivate?: boolean
  /** How long a client may cache it, in milliseconds. Default 60000. */
  ttlMs?: number
  /** Sent as `_meta` in the list and with the contents. */
  meta?: JsonObject
}
/** Contents without the URI, which is always the requested one. */
export type Readout = { text: string; mimeType?: string } | { blob: string; mimeType?: string }

export interface ResourceDefinition extends Readable {
  uri: string
  /** Size in bytes. */
  size?: number
  read(context: CallContext): Readout | Promise<Readout>
}

export interface TemplateDefinition extends Readable {
  /** RFC 6570 level 1, such as `svc://customers/{id}`; a variable matches one path segment. */
  uriTemplate: string
  /** Whether a resource exists for these values, which are percent-decoded. */
  exists(variables: Record<string, string>): boolean
  /** Completion values by variable. */
  complete?: Record<string, readonly string[]>
  read(variables: Record<string, string>, context: CallContext): Readout | Promise<Readout>
}

export interface PromptArgument {
  name: string
  title?: string
  description?: string
  required?: boolean
  /** Completion values. */
  complete?: readonly string[]
}
export interface PromptResult {
  description?: string
  messages: { role: 'user' | 'assistant'; content: Content }[]
}
export interface PromptDefinition extends Entry {
  arguments?: PromptArgument[]
  get(args: Record<string, string>, context: CallContext): PromptResult | Promise<PromptResult>
}

/** A server at `/mcp/servers/<name>`, or at a path of its own. */
export interface ServerDefinition {
  /** `^[a-z][a-z0-9-]{0,63}$` */
  name: string
  /**
   * Another path than `/mcp/servers/<name>`, one of the plugin's own `paths`. A server below `/_svc` is part of the control
   * plane: nothing injects faults, and the list of servers does not show it.
   */
  path?: string
  /** The instance of the plugin, which gets the routes of `path`. */
  app?: FastifyInstance
  title: string
  /** `serverInfo.name`. Default: `svc-mcp-<name>`. */
  infoName?: string
  description?: string
  /** Instructions for the model. */
  instructions?: string
  /** Default `open`. */
  auth?: 'open' | 'apikey' | 'oauth'
  /** Names of tools, or `*` for all except fixtures. Tools that list this server in `servers` are always included. */
  tools?: string[]
  /** URIs and URI templates, or `*`. */
  resources?: string[]
  /** Names of prompts, or `*`. */
  prompts?: string[]
  /**
   * Called when all plugins have registered, to add content that depends on them. Later additions are errors.
   */
  complete?(servers: McpServers): void
  /** With `auth: oauth`: name of the issuer whose tokens are accepted. Default: the default issuer. */
  issuer?: string
  /** With `auth: oauth`: scopes that every request needs. Default: none, and the metadata names `mcp:tools`. */
  scopes?: readonly string[]
  /** With `auth: oauth`: whether tokens can, must or cannot be bound to a key (RFC 9449). Default `off`. */
  dpop?: 'required' | 'optional' | 'off'
  /** The scopes of a caller, for tools with `scope`. Default: with `auth: oauth` those of the token, else all. */
  callerScopes?(request: FastifyRequest): readonly string[]
  /** Tools whose scope the caller lacks are not listed. */
  filterByScope?: boolean
  /** Number of sessions at a replica, within the limit of all servers: the one that began first ends. */
  maxSessions?: number
  /** Protocol extensions that the server offers in addition to those of its content: settings by id. */
  extensions?: Record<string, JsonObject>
  /** Set if the server attacks its clients on purpose: what it does, in a few ASCII characters. */
  hostile?: string
  /** For servers that do not behave as the protocol wants. */
  hooks?: ServerHooks
}

/** Where a server can misbehave. */
export interface ServerHooks {
  /** Before all checks. Throws an `HttpError` to refuse the request; returns true if it has sent a response. */
  arrive?(request: FastifyRequest, reply: FastifyReply): boolean | void
  /** Before a message of a POST is handled. Not called for batches. */
  message?(exchange: MessageExchange): void | Promise<void>
  /** When a stream for notifications was opened, by GET or `subscriptions/listen`. */
  stream?(stream: NotificationStream): void
  /** The parameters of a challenge of a server with `auth: oauth`. */
  challenge?(
    parameters: Record<string, string | undefined>,
    request: FastifyRequest,
  ): Record<string, string | undefined>
  /** The metadata document of a server with `auth: oauth`. */
  metadata?(document: JsonObject, request: FastifyRequest): JsonObject
}

/** A message of a POST and its response. */
export interface MessageExchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** Empty for a response. */
  readonly method: string
  readonly params: JsonObject
  /** Whether the message is a request, which gets a response. */
  readonly isRequest: boolean
  /** Key of the session of the client. */
  readonly session: string
  /** Counts messages of this client by a name; see `McpServers.count`. */
  count(name: string): Promise<number>
  /** Applies a fault of the header `X-Svc-Mcp-Fail`. */
  fault(kind: string): Promise<void>
  /** Lets `send` send the response. */
  answer(send: (answer: FinishedAnswer) => void | Promise<void>): void
}

export interface FinishedAnswer {
  /** The JSON-RPC response. */
  readonly text: string
  send(text: string): void
  /** Null if the client has disconnected. */
  openStream(): SseStream | null
}

export interface NotificationStream {
  readonly request: FastifyRequest
  readonly signal: AbortSignal
  push(method: string): void
}

/** A skill (extension `io.modelcontextprotocol/skills`): a SKILL.md with `name` and `description`, and other files. */
export type SkillDefinition = {
  server: string
  /** Whether `skills/list` shows it. Default true. */
  listed?: boolean
  /** The entry lists no files, because they may change. */
  dynamic?: boolean
} & (
  | {
      /** Absolute path; the name of the skill is that of the folder. */
      folder: string
    }
  | {
      name: string
      /** By path in the folder of the skill. */
      files: Record<string, string | Uint8Array>
    }
)

/** The transport that a server of an SDK gets. */
export interface SdkTransport {
  onmessage?: ((message: never, extra?: never) => void) | undefined
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  start(): Promise<void>
  send(message: unknown): Promise<void>
  close(): Promise<void>
}

/** `McpServer` or `Server` of `@modelcontextprotocol/sdk` or `@modelcontextprotocol/server`. */
export interface SdkServer {
  connect(transport: SdkTransport): Promise<void>
  close(): Promise<void>
}

/** A server of an SDK, served at `/mcp/servers/<name>` in all revisions. Its own information and lists are shown. */
export type SdkDefinition = Pick<
  ServerDefinition,
  'name' | 'title' | 'description' | 'instructions' | 'auth' | 'issuer' | 'scopes' | 'dpop'
> & {
  /** One object for all clients. */
  server?: SdkServer
  /** Creates an object for each session of a legacy revision, and one (with null) for all stateless calls. */
  create?(session: string | null): SdkServer | Promise<SdkServer>
}

/** Handles a method of a protocol extension. Returns the result. */
export type MethodHandler = (params: JsonObject, context: CallContext) => JsonObject | Promise<JsonObject>

/** The extension point. Throws if a name is in use (the error names both plugins) or a definition is invalid. */
export interface McpServers {
  tool(definition: ToolDefinition): void
  resource(definition: ResourceDefinition): void
  template(definition: TemplateDefinition): void
  prompt(definition: PromptDefinition): void
  server(definition: ServerDefinition): void
  /** Serves a server of an official SDK. */
  sdk(definition: SdkDefinition): void
  /** Adds a skill to a server. An invalid one is reported as a load error. */
  skill(definition: SkillDefinition): void
  /** Adds a method of a protocol extension to a server, or replaces one of the protocol, such as `tools/list`. */
  method(server: string, name: string, handler: MethodHandler): void
  /** Notifies the subscribers of a resource that it has changed. */
  updated(uri: string): void
  /**
   * Counts requests of a client for a server by a name, this one included. The counts end after ten minutes, or with a reset
   * of `mcp`.
   */
  count(server: string, request: FastifyRequest, name: string): Promise<number>
  /** The kinds of `X-Svc-Mcp-Fail` that change how a response is sent. */
  readonly wireFaults: readonly string[]
}

declare module 'svc/plugin' {
  interface ExtensionPoints {
    'mcp.servers': McpServers
  }
}
