/**
 * All variables of a server in one order: the table of the core, with the variables of plugins at the positions they
 * ask for.
 */
import type { Plugin } from '../contract/plugin.ts'
import { variables, type Variable } from './variables.ts'
import type { VariableDefinition } from '../contract/declarations.ts'

/** Plugin definitions by plugin name: built-in plugins first, each group in alphabetical order. */
export type Definitions = ReadonlyMap<string, Pick<Plugin, 'variables' | 'resolveVariables'>>

export type PlacedVariable =
  | { plugin: null; definition: Variable }
  | { plugin: string; key: string; definition: VariableDefinition }

/** The order used by the reference, by `GET /_svc/config` and by warnings. */
export function orderVariables(definitions: Definitions): PlacedVariable[] {
  const placed: PlacedVariable[] = variables.map(definition => ({ plugin: null, definition }))
  let waiting = [...definitions].flatMap(([plugin, { variables: own = {} }]) => withAnchors(plugin, own))
  // A variable can follow one of a plugin that is processed later.
  for (let before = Infinity; waiting.length < before; ) {
    before = waiting.length
    waiting = waiting.filter(one => !insert(one, placed))
  }
  return [...placed, ...waiting]
}

type Waiting = Extract<PlacedVariable, { key: string }> & { after: string | undefined }

/** Each variable follows the previous one, unless it asks for another position. */
function withAnchors(plugin: string, own: Record<string, VariableDefinition>): Waiting[] {
  let before: string | undefined
  return Object.entries(own).map(([key, definition]) => {
    const after = definition.after ?? before
    before = definition.name
    return { plugin, key, definition, after }
  })
}

function insert({ after, ...one }: Waiting, placed: PlacedVariable[]): boolean {
  if (after === undefined) return placed.push(one) > 0
  const anchor = placed.findIndex(({ definition }) => definition.name === after)
  if (anchor !== -1) placed.splice(anchor + 1, 0, one)
  return anchor !== -1
}
