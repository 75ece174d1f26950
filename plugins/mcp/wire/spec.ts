/**
 * The protocol's shapes as its SDKs declare them. What this folder writes is checked against them (`satisfies`), so that a
 * member that is missing, misspelled or of another type fails the type check. Types alone: nothing of an SDK runs here.
 */
import type {
  DiscoverResult as SdkDiscoverResult,
  InputRequiredResult as SdkInputRequiredResult,
} from '@modelcontextprotocol/client'
import type * as spec from '@modelcontextprotocol/sdk/spec.types.js'
import type { JsonSchema } from 'svc/plugin'
import type { JsonObject } from '../types.ts'

export type {
  Implementation,
  JSONRPCNotification,
  JSONRPCRequest,
  Prompt,
  Resource,
  ResourceTemplate,
  ServerCapabilities,
} from '@modelcontextprotocol/sdk/spec.types.js'

/** The members that a type names. Results may carry any others, and a misspelled one would pass for one of those. */
type Named<T> = { [Key in keyof T as string extends Key ? never : Key]: T[Key] }

export type InitializeResult = Named<spec.InitializeResult>
export type CallToolResult = Named<spec.CallToolResult>
export type GetPromptResult = Named<spec.GetPromptResult>
export type CompleteResult = Named<spec.CompleteResult>

/** Schemas are checked when a tool is registered: their types say nothing. */
export type Tool = Omit<spec.Tool, 'inputSchema' | 'outputSchema'> & {
  inputSchema: JsonSchema
  outputSchema?: JsonSchema
}

/** The members of 2026-07-28; what every result of that revision carries besides is added by `completeResult`. */
export type DiscoverResult = Pick<SdkDiscoverResult, 'supportedVersions' | 'instructions'> & {
  capabilities: spec.ServerCapabilities
}
export type InputRequiredResult = Pick<SdkInputRequiredResult, 'resultType' | 'requestState'> & {
  inputRequests: Record<string, InputRequest>
}
/** What a handler asks is its own to get right. */
export interface InputRequest {
  method: NonNullable<SdkInputRequiredResult['inputRequests']>[string]['method']
  params: JsonObject
}
