/**
 * The extension point `control.tools`: operations of the control plane as tools, for programs that offer them to a language
 * model.
 */
import type { ControlScope } from './control-scope.ts'
import type { InProcessCall } from './http.ts'
import type { JsonSchema } from './json-schema.ts'

/** An operation as a tool. */
export interface ControlTool {
  /** Such as `list_orders`: lower-case letters, digits and underscores. */
  name: string
  /** Default: the summary and description of the operation. */
  description?: string
  /** The operation, as in the catalog. If the instance has no such route, the tool does not exist. */
  operation: { method: string; path: string }
  /** Default: an operation with GET is read-only, one with DELETE is destructive. */
  annotations?: { readOnlyHint?: boolean; destructiveHint?: boolean }
  /**
   * JSON Schema of the arguments. Default: the parameters of the operation and the members of its JSON body. A body that is
   * not described as an object with properties is the argument `body`.
   */
  inputSchema?: JsonSchema
  /** The request for arguments that meet the schema. Required with an `inputSchema`. */
  request?(args: Record<string, unknown>): InProcessCall
  /**
   * For an operation that starts work: the request whose response shows the work, and null once it has ended. `body` is that
   * of the operation, and then of each such request. Programs that can wait call it again and again; others return the
   * response of the operation.
   */
  follow?(body: unknown): InProcessCall | null
  /**
   * With `follow`: the request that stops the work, or null if it can't be stopped. `body` is that of the latest response.
   * Called if the program gives up, for example because its client has canceled.
   */
  stop?(body: unknown): InProcessCall | null
}

/** A tool whose operation exists. */
export interface ResolvedControlTool {
  name: string
  description: string
  inputSchema: JsonSchema
  annotations: { readOnlyHint: boolean; destructiveHint: boolean; openWorldHint: false }
  /** The scope that the operation requires of control tokens. */
  scope: ControlScope
  /** The call for `svc.http.call`. */
  request(args: Record<string, unknown>): InProcessCall
  /** See `ControlTool`; null if the operation starts no work. */
  follow: ((body: unknown) => InProcessCall | null) | null
  /** See `ControlTool`; null if the operation starts no work that can be stopped. */
  stop: ((body: unknown) => InProcessCall | null) | null
}

/** `control.tools`. */
export interface ControlTools {
  /** Adds a tool. Call it while the plugin registers. */
  tool(tool: ControlTool): void
  /** The tools whose operations exist: those of the core, then others in order of registration. Call it when all plugins have registered. */
  list(): readonly ResolvedControlTool[]
}
