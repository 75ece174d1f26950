/** The wires of other plugins, and those of the product with them. */
import { forPlugin, type PersonalPoint } from 'svc/plugin'
import { isRecord } from 'svc/toolkit'
import type { ProbeWires } from '../types.ts'
import type { Wire } from './types.ts'
import { WIRES } from './wires.ts'

const MAX_WIRES = 20
const ID = /^[a-z][a-z0-9-]{0,29}\.[a-z][a-z0-9-]{0,29}$/
const BASE = /^(?:\/[\w.~-]{1,100}){0,10}$/
const FUNCTIONS = [
  'matches',
  'writeRequest',
  'readRequest',
  'readReply',
  'readStream',
  'readError',
  'credentials',
] as const

/** A registry that records which plugin adds a wire. */
export function createWireRegistry(own: string): ProbeWires & PersonalPoint<ProbeWires> {
  const added: Wire[] = []
  const owners = new Map<string, string>()
  const registryOf = (plugin: string): ProbeWires => ({
    add(wire) {
      const problem = wireProblem(wire)
      if (problem !== null) throw new Error(`the wire ${shownId(wire)} is not valid: ${problem}`)
      const owner = owners.get(wire.id)
      if (owner !== undefined) throw new Error(`the wire ${wire.id} of ${plugin} was already added by ${owner}`)
      if (added.length >= MAX_WIRES) throw new Error(`plugins can add at most ${MAX_WIRES} wires`)
      owners.set(wire.id, plugin)
      added.push({ ...wire })
    },
    list: () => added,
  })
  return { ...registryOf(own), [forPlugin]: registryOf }
}

/** In the order in which pairs are shown; those of the product if there is no extension point. */
export function wiresWith(point: ProbeWires | undefined): readonly Wire[] {
  return point === undefined ? WIRES : [...WIRES, ...point.list()]
}

/** Plugins may be written in JavaScript, so types are checked too. */
function wireProblem(wire: unknown): string | null {
  if (!isRecord(wire)) return 'a wire must be an object'
  if (typeof wire.id !== 'string' || !ID.test(wire.id)) return 'the id must have a prefix and a name, such as acme.soap'
  if (typeof wire.base !== 'string' || !BASE.test(wire.base)) return '"base" must be a path without a slash at its end'
  const missing = FUNCTIONS.find(name => typeof wire[name] !== 'function')
  if (missing !== undefined) return `"${missing}" must be a function`
  const { limits } = wire
  const hasLimits = isRecord(limits) && [limits.request, limits.reply, limits.refusedInFormats].every(isSet)
  if (!hasLimits) return '"limits" needs the sets request, reply and refusedInFormats'
  return limits.schemaKeywords === null || isSet(limits.schemaKeywords)
    ? null
    : '"limits.schemaKeywords" must be a set, or null'
}

const isSet = (value: unknown): boolean => value instanceof Set

function shownId(wire: unknown): string {
  return JSON.stringify(String(isRecord(wire) ? wire.id : undefined).slice(0, 100))
}
