/** The messages of `agentgateway.dev.ext_mcp`, as the loader gives and takes them. */
import type { JsonObject } from 'svc/plugin'
import { structOf, writeJson } from 'svc/toolkit'
import type { McpDecision } from '../call.ts'

interface McpHeader {
  key: string
  value: Buffer
}

/** `McpRequest` and `McpResponse`. */
export interface McpMessage {
  service_names: string[]
  method: string
  /** `google.protobuf.Struct`. */
  metadata_context?: { fields: { key: string; value?: { string_value?: string } | null }[] } | null
  mcp_request?: Buffer
  mcp_response?: Buffer
  headers?: McpHeader[]
}

/** `McpRequestResult` and `McpResponseResult`. */
export interface McpMessageResult {
  pass?: object
  mutated?: Buffer
  error?: { code: string; reason: string; mcp_error?: Buffer }
  header_mutation?: { set: McpHeader[]; remove: readonly string[] }
  metadata?: JsonObject
}

/** Bytes that are not JSON. */
const NOT_JSON = Buffer.from('{"params":')

export function policyOf({ metadata_context: context }: McpMessage): string | undefined {
  const text = context?.fields.find(({ key }) => key === 'policy')?.value?.string_value
  return text === '' ? undefined : text
}

/** Names and values, alternating. Values are ISO 8859-1. */
export function headersOf({ headers = [] }: McpMessage): string[] {
  return headers.flatMap(({ key, value }) => [key, value.toString('latin1')])
}

export function resultOf(decision: McpDecision): McpMessageResult {
  switch (decision.kind) {
    case 'pass':
      return { pass: {} }
    case 'mutate': {
      const { value, headers, metadata } = decision
      return {
        ...(value === undefined ? { pass: {} } : { mutated: Buffer.from(writeJson(value)) }),
        ...(headers === undefined
          ? {}
          : {
              header_mutation: {
                set: headers.set.map(([key, text]) => ({ key: key.toLowerCase(), value: Buffer.from(text, 'latin1') })),
                remove: headers.remove,
              },
            }),
        ...(metadata === undefined ? {} : { metadata: structOf(metadata) }),
      }
    }
    case 'deny': {
      const { code, reason, error } = decision
      return {
        error: { code, reason, ...(error === undefined ? {} : { mcp_error: Buffer.from(writeJson(error)) }) },
      }
    }
    case 'empty':
      return {}
    case 'malformed':
      return { mutated: NOT_JSON }
  }
}
