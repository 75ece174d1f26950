/** The parts of MCP messages that the inspector reads. */
import type { FormSchema } from '../../lib/protocol/schema-form.ts'
import type { Gateway } from '../../lib/shell/storage.ts'
import type { NameValue } from '../../lib/protocol/http.ts'

export const VERSIONS = ['2026-07-28', '2025-11-25'] as const
export type Version = (typeof VERSIONS)[number]

export interface Target {
  /** A path of the instance, or an absolute URL. */
  url: string
  /** Null: direct. Ignored for an absolute URL. */
  gateway: Gateway | null
  headers: readonly NameValue[]
  version: Version
}

export interface ServerInfo {
  name: string
  title?: string
  version: string
  protocolVersion: string
  instructions?: string
  capabilities: Record<string, unknown>
}

export interface Tool {
  name: string
  title?: string
  description?: string
  inputSchema: FormSchema
  outputSchema?: FormSchema
  annotations?: Record<string, unknown>
}

export interface Resource {
  uri: string
  name: string
  title?: string
  description?: string
  mimeType?: string
  size?: number
}
export interface Template {
  uriTemplate: string
  name: string
  title?: string
  description?: string
  mimeType?: string
}
export interface Prompt {
  name: string
  title?: string
  description?: string
  arguments?: { name: string; title?: string; description?: string; required?: boolean }[]
}

export interface Lists {
  tools: Tool[]
  resources: Resource[]
  templates: Template[]
  prompts: Prompt[]
}

/** A block of content; its members depend on its type. */
export interface Content {
  type: string
  text?: string
  data?: string
  mimeType?: string
  uri?: string
  name?: string
  resource?: ResourceContents
}

export interface ResourceContents {
  uri: string
  mimeType?: string
  text?: string
  blob?: string
}

export interface ToolResult {
  content?: Content[]
  structuredContent?: unknown
  isError?: boolean
}

export interface Message {
  jsonrpc?: string
  id?: string | number | null
  method?: string
  params?: Record<string, unknown>
  result?: Record<string, unknown>
  error?: { code: number; message: string; data?: unknown }
}

/** A request of the server to the user: a form, a model response, the roots. */
export interface ServerRequest {
  method: string
  params: Record<string, unknown>
}
