/** Small helpers of the formats. */
import { isRecord } from '../../../../../../core/contract/record.ts'
import type { Ask, ToolCall, Turn } from '../types.ts'

/** Leaves out members that are undefined, so that requests read as a person would write them. */
export function compact<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T
}

/** The arguments of a call as an object; what is no JSON is kept as text. */
export function argsOf({ args }: ToolCall): object {
  try {
    const value = JSON.parse(args || '{}') as unknown
    return typeof value === 'object' && value !== null ? value : { value }
  } catch {
    return { text: args }
  }
}

/** A tool's result as an object, for wires that want one. */
export function resultOf(content: string): object {
  try {
    const value = JSON.parse(content) as unknown
    if (isRecord(value)) return value
  } catch {
    /* text it is */
  }
  return { result: content }
}

/** Text of a tool call's arguments, whether they came as a value or as JSON text. */
export function argsText(args: unknown): string {
  return typeof args === 'string' ? args : JSON.stringify(args ?? {})
}

/** A turn of the assistant without anything to say is left out: no wire takes it. */
export function turnsOf({ turns }: Ask): readonly Turn[] {
  return turns.filter(
    turn => turn.role !== 'assistant' || turn.run.reply.text !== '' || turn.run.reply.calls.length > 0,
  )
}

/** JSON as source code, indented to stand within a call. */
export function literal(value: unknown, indent = 2): string {
  return JSON.stringify(value, null, 2).replace(/\n/g, `\n${' '.repeat(indent)}`)
}

/** `, defaultHeaders: {…}` or nothing. */
export function headersOption(name: string, headers: Record<string, string>): string {
  return Object.keys(headers).length === 0 ? '' : `\n  ${name}: ${literal(headers)},`
}
