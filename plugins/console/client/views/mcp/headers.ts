/** Headers that mirror a stateless message for gateways (MCP 2026-07-28): `Mcp-Method`, `Mcp-Name`, `Mcp-Param-*`. */
import type { NameValue } from '../../lib/protocol/http.ts'
import type { FormSchema } from '../../lib/protocol/schema-form.ts'

export interface HeaderSource {
  /** Input schema of the called tool, which names the arguments to mirror. */
  inputSchema?: FormSchema
}

export function nameHeaders(
  method: string,
  params: Record<string, unknown>,
  { inputSchema }: HeaderSource,
): NameValue[] {
  const headers = [{ name: 'Mcp-Method', value: method }]
  const name = method === 'resources/read' ? params.uri : params.name
  if (/^(?:tools\/call|prompts\/get|resources\/read)$/.test(method) && typeof name === 'string')
    headers.push({ name: 'Mcp-Name', value: encodeValue(name) })
  if (method === 'tools/call')
    headers.push(...paramHeaders(inputSchema, (params.arguments ?? {}) as Record<string, unknown>))
  return headers
}

function paramHeaders(schema: FormSchema | undefined, args: Record<string, unknown>): NameValue[] {
  return Object.entries(schema?.properties ?? {}).flatMap(([name, property]) => {
    const header = property['x-mcp-header']
    const value = args[name]
    return typeof header === 'string' && value !== undefined && value !== null
      ? [{ name: `Mcp-Param-${header}`, value: encodeValue(String(value)) }]
      : []
  })
}

/** Encodes text that a header cannot carry, or that looks encoded already, as `=?base64?…?=`. */
export function encodeValue(text: string): string {
  if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text)) return text
  return `=?base64?${btoa(Array.from(new TextEncoder().encode(text), byte => String.fromCharCode(byte)).join(''))}?=`
}
