/**
 * Owns the extension point `mcp.servers`: what a plugin hands over to add a tool, a resource, a template, a prompt or
 * a server, and what a handler gets while it runs. The built-in content is written against the same types.
 */
import type { JsonSchema } from 'svc/plugin'

export type JsonObject = { [name: string]: unknown }

export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency'

/** A piece of a tool result or prompt message; older protocol versions get the nearest form that they know. */
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

/** What a resource holds: text, or bytes in base64. */
export type ResourceContents = { uri: string; mimeType?: string } & ({ text: string } | { blob: string })

export interface ToolResult {
  content: Content[]
  /** Matches `outputSchema`; shown from 2025-06-18 on. */
  structuredContent?: JsonObject
  /** True: the tool failed in its own terms, and the model may read why. */
  isError?: boolean
}

/** The three requests a server may make of a client (elicitation, sampling, roots). */
export type QuestionMethod = 'elicitation/create' | 'sampling/createMessage' | 'roots/list'
export interface Question {
  method: QuestionMethod
  params?: JsonObject
}
/** Answers by the keys of the questions, as the client gave them and checked for their basic shape. */
export type Answers<Key extends string = string> = Record<Key, JsonObject>

/** The HTTP request that carries a call. */
export interface CallHttp {
  method: string
  /** Path and query as received. */
  uri: string
  /** Names and values in turn, as received (Node's `rawHeaders`). */
  rawHeaders: readonly string[]
  clientIp: string
}

/** What a handler knows and may do while it runs. */
export interface CallContext {
  /** Protocol version in effect. */
  readonly version: string
  /** Name of the server that is called. */
  readonly server: string
  readonly transport: 'streamable-http' | 'http+sse'
  /** Session id, null in a stateless call. */
  readonly session: string | null
  /** Verified claims of the caller, null where none were asked for. */
  readonly claims: JsonObject | null
  readonly http: CallHttp
  /** Aborts when the client cancels. */
  readonly signal: AbortSignal
  /** Whether the client takes this question, in this protocol version. */
  supports(method: QuestionMethod): boolean
  /** Tells how far the work is; sent when the client asked for progress. Values rise. */
  progress(progress: number, total?: number, message?: string): void
  /** Sends a log message when the client wants this level. */
  log(level: LogLevel, data: unknown): void
  /** Waits; rejects when the client cancels. */
  sleep(ms: number): Promise<void>
  /**
   * Asks the client. In a stateless call the handler is run again from its start on every round, so nothing that
   * must happen once may come before it; what it throws must be let through.
   */
  ask<Key extends string>(questions: Record<Key, Question>): Promise<Answers<Key>>
  /** The resource of this URI as this server shows it; null when it has none. */
  findResource(uri: string): { name: string; title?: string; mimeType?: string } | null
  /** Tells the clients of this server that a list has changed. */
  announce(list: ListName): void
  /** Ends the connection, not the call: the client comes back for the answer (2025-11-25 sessions, else nothing). */
  closeStream(): void
  /** An error to throw that becomes a JSON-RPC error instead of a tool error. */
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

/** What every entry of the registry states. */
interface Entry {
  name: string
  title?: string
  description?: string
  /** Servers that show it. Default: `default`, `protected`, `apikey`. */
  servers?: string[]
  /** Left out of selections by `*`: exists for one test server only. */
  fixture?: boolean
}

export interface ToolDefinition extends Entry {
  /** JSON Schema 2020-12 of an object; a property with `x-mcp-header` is routed by the header `Mcp-Param-<value>`. */
  inputSchema: JsonSchema
  outputSchema?: JsonSchema
  annotations?: ToolAnnotations
  /** OAuth scope that a call needs on servers with `auth: oauth`. */
  scope?: string
  /** `args` fit `inputSchema`, defaults filled in. */
  call(args: JsonObject, context: CallContext): ToolResult | Promise<ToolResult>
}

interface Readable extends Entry {
  mimeType?: string
  /** Customer data: not to be cached by shared caches where credentials are asked for. */
  isPrivate?: boolean
  /** Milliseconds a client may keep it. Default 60000. */
  ttlMs?: number
}
/** Contents without the URI, which is always the one that was asked for. */
export type Readout = { text: string; mimeType?: string } | { blob: string; mimeType?: string }

export interface ResourceDefinition extends Readable {
  uri: string
  /** Bytes. */
  size?: number
  read(context: CallContext): Readout | Promise<Readout>
}

export interface TemplateDefinition extends Readable {
  /** RFC 6570 level 1, such as `svc://customers/{id}`; a variable matches one path segment. */
  uriTemplate: string
  /** Whether a resource exists for these (percent-decoded) values. */
  exists(variables: Record<string, string>): boolean
  /** Values to complete each variable from. */
  complete?: Record<string, readonly string[]>
  read(variables: Record<string, string>, context: CallContext): Readout | Promise<Readout>
}

export interface PromptArgument {
  name: string
  title?: string
  description?: string
  required?: boolean
  /** Values to complete it from. */
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

/** A server: what is shown at `/mcp/servers/<name>`, and to whom. */
export interface ServerDefinition {
  /** `^[a-z][a-z0-9-]{0,63}$` */
  name: string
  title: string
  description?: string
  /** Advice for the model that uses it. */
  instructions?: string
  /** Default `open`. */
  auth?: 'open' | 'apikey' | 'oauth'
  /** Names of tools; `*` for all but fixtures. Default: those that name this server. */
  tools?: string[]
  /** URIs and URI templates; `*` as above. */
  resources?: string[]
  /** Names of prompts; `*` as above. */
  prompts?: string[]
}

/** The extension point. Each call throws when a name is taken (naming both plugins) or a definition is wrong. */
export interface McpServers {
  tool(definition: ToolDefinition): void
  resource(definition: ResourceDefinition): void
  template(definition: TemplateDefinition): void
  prompt(definition: PromptDefinition): void
  server(definition: ServerDefinition): void
  /** Tells those who subscribed to a resource that it has changed. */
  updated(uri: string): void
}

declare module 'svc/plugin' {
  interface ExtensionPoints {
    'mcp.servers': McpServers
  }
}
