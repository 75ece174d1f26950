/** The tool calls of a `reply` step. A call may name several tools: the request decides which of them is called. */
import type { Json } from 'svc/plugin'
import { asObject, asText, below, InputProblem, rejectUnknownKeys } from 'svc/toolkit'
import type { NeutralRequest, ToolName } from '../contract/neutral.ts'
import { findTool } from '../engine/tool-names.ts'

export const MAX_CALLS = 50
const MAX_NAMES = 20
const MAX_NAME = 200

/** A call as the reply states it. */
export interface ReplyCall {
  /** A single name is called whether the request offers it or not; of several, the first that the request offers. */
  names: readonly [string, ...string[]]
  namespace: string | null
  args: Json
  /** Arguments in place of `args`, by the name of the tool. */
  argsByName: ReadonlyMap<string, Json>
  id: string | null
}

/** A call of one tool. */
export interface ChosenCall extends ToolName {
  args: Json
  id: string | null
}

/** Throws an `InputProblem`. */
export function readCalls(value: Json, at: string): ReplyCall[] {
  if (!Array.isArray(value) || value.length > MAX_CALLS)
    throw new InputProblem(at, `expected a list of at most ${MAX_CALLS} calls`)
  return value.map((call, index) => readCall(call, below(at, index)))
}

/** Reads a single call. Throws an `InputProblem`. */
export function readCall(value: Json, at: string): ReplyCall {
  const given = asObject(value, at)
  rejectUnknownKeys(given, ['name', 'namespace', 'args', 'args_by_name', 'id'], at)
  const names = readNames(given.name, below(at, 'name'))
  return {
    names,
    namespace: given.namespace === undefined ? null : asText(given.namespace, below(at, 'namespace'), MAX_NAME, 1),
    args: given.args ?? {},
    argsByName: readArgsByName(given.args_by_name, below(at, 'args_by_name'), names),
    id: given.id === undefined ? null : asText(given.id, below(at, 'id'), MAX_NAME, 1),
  }
}

function readNames(value: Json | undefined, at: string): ReplyCall['names'] {
  if (!Array.isArray(value)) return [asText(value, at, MAX_NAME, 1)]
  const [first, ...others] = value.map((name, index) => asText(name, below(at, index), MAX_NAME, 1))
  if (first === undefined || others.length >= MAX_NAMES)
    throw new InputProblem(at, `expected a name, or a list of 1 to ${MAX_NAMES} names`)
  return [first, ...others]
}

function readArgsByName(value: Json | undefined, at: string, names: readonly string[]): ReadonlyMap<string, Json> {
  if (value === undefined) return new Map()
  const given = asObject(value, at)
  rejectUnknownKeys(given, names, at)
  return new Map(Object.entries(given))
}

/**
 * The calls that a request gets. Of several names, none may be offered: such a call is left out, and `ignore` is called with its place
 * and its names.
 */
export function chooseCalls(
  calls: readonly ReplyCall[],
  { tools }: Pick<NeutralRequest, 'tools'>,
  ignore: (index: number, names: readonly string[]) => void,
): ChosenCall[] {
  return calls.flatMap(({ names, namespace, args, argsByName, id }, index) => {
    const toolOf = (name: string): ToolName => (namespace === null ? { name } : { name, namespace })
    const [first, second] = names
    const name = second === undefined ? first : names.find(name => findTool(tools, toolOf(name)) !== undefined)
    if (name !== undefined) return [{ ...toolOf(name), args: argsByName.get(name) ?? args, id }]
    ignore(index, names)
    return []
  })
}
