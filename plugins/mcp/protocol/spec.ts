/**
 * The protocol's types from the official SDKs. Objects that svc writes are checked against them with `satisfies`, so that
 * missing, misspelled or wrongly typed members fail the type check. Only types: no SDK code runs here.
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

/** Removes index signatures, which would accept misspelled members. */
type Named<T> = { [Key in keyof T as string extends Key ? never : Key]: T[Key] }

export type InitializeResult = Named<spec.InitializeResult>
export type CallToolResult = Named<spec.CallToolResult>
export type GetPromptResult = Named<spec.GetPromptResult>
export type CompleteResult = Named<spec.CompleteResult>

/** Schemas have generic types, because they are checked when a tool is registered. */
export type Tool = Omit<spec.Tool, 'inputSchema' | 'outputSchema'> & {
  inputSchema: JsonSchema
  outputSchema?: JsonSchema
}

/** Members of 2026-07-28, without those that `completeResult` adds to every result. */
export type DiscoverResult = Pick<SdkDiscoverResult, 'supportedVersions' | 'instructions'> & {
  capabilities: spec.ServerCapabilities
}
export type InputRequiredResult = Pick<SdkInputRequiredResult, 'resultType' | 'requestState'> & {
  inputRequests: Record<string, InputRequest>
}
/** The parameters are not checked; handlers must pass valid ones. */
export interface InputRequest {
  method: NonNullable<SdkInputRequiredResult['inputRequests']>[string]['method']
  params: JsonObject
}
