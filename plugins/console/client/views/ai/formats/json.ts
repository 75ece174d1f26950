/** Shared functions of the wire formats. */
import { isRecord } from '../../../../../../core/contract/record.ts'
import type { ModelRequest, ToolCall, Turn } from '../types.ts'

/** Removes undefined members. */
export function compact<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T
}

/** The arguments of a call as an object; invalid JSON is kept as text. */
export function argsOf({ args }: ToolCall): object {
  try {
    const value = JSON.parse(args || '{}') as unknown
    return typeof value === 'object' && value !== null ? value : { value }
  } catch {
    return { text: args }
  }
}

/** The result of a tool as an object, for formats that require one. */
export function resultOf(content: string): object {
  try {
    const value = JSON.parse(content) as unknown
    if (isRecord(value)) return value
  } catch {
    /* text it is */
  }
  return { result: content }
}

/** JSON text of the arguments of a tool call, from a value or JSON text. */
export function argsText(args: unknown): string {
  return typeof args === 'string' ? args : JSON.stringify(args ?? {})
}

/** The turns without empty turns of the assistant, which no format accepts. */
export function turnsOf({ turns }: ModelRequest): readonly Turn[] {
  return turns.filter(
    turn => turn.role !== 'assistant' || turn.run.reply.text !== '' || turn.run.reply.calls.length > 0,
  )
}

/** JSON as source code, indented as an argument of a call. */
export function literal(value: unknown, indent = 2): string {
  return JSON.stringify(value, null, 2).replace(/\n/g, `\n${' '.repeat(indent)}`)
}

/** `, defaultHeaders: {…}`, or an empty string. */
export function headersOption(name: string, headers: Record<string, string>): string {
  return Object.keys(headers).length === 0 ? '' : `\n  ${name}: ${literal(headers)},`
}
