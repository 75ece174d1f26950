/** Faults after an operation was executed: values, members and entities of the answer that the schema does not allow. */
import { GraphQLError, type ExecutionResult } from 'graphql'
import { isRecord } from 'svc/toolkit'
import type { FieldFaults } from './field-faults.ts'
import type { EntityFault, FaultPlan, Place } from './plan.ts'

/** The keys of a response path: `*` stands for all. */
type Keys = readonly (string | number)[]
type Edit = (parent: object, key: string | number) => void

export interface Editing {
  plan: FaultPlan
  faults: FieldFaults
  /** Response names of `_entities`. */
  entityKeys: readonly string[]
  /** Takes the bytes that are put into the answer; throws if they are too many. */
  take(bytes: number): void
}

/** The answer with the faults; the given one stays as it is. */
export function editResult(result: ExecutionResult, { plan, faults, entityKeys, take }: Editing): ExecutionResult {
  if (plan.data !== null) {
    const { data: _data, ...rest } = result
    return plan.data === 'drop' ? rest : { ...rest, data: null }
  }
  // The values of scalars can belong to a resolver, and everything below is changed in place.
  const needsCopy = plan.values.length + plan.removals.length + plan.additions.length > 0
  const data = needsCopy ? structuredClone(result.data) : result.data
  if (!isRecord(data)) return result
  let edited: ExecutionResult = { ...result, data }
  const placesOf = (at: Place): readonly Keys[] => (at.kind === 'path' ? [keysOf(at)] : faults.pathsOf(at))
  for (const { at, value } of plan.values) {
    const bytes = Buffer.byteLength(JSON.stringify(value))
    const put: Edit = (parent, key) => {
      take(bytes)
      ;(parent as Record<string | number, unknown>)[key] = value
    }
    for (const keys of placesOf(at)) forEachPlace(data, keys, put)
  }
  for (const at of plan.removals)
    for (const keys of placesOf(at))
      forEachPlace(data, keys, (parent, key) => {
        if (Array.isArray(parent)) parent[key as number] = null
        else delete (parent as Record<string, unknown>)[key]
      })
  for (const { at, name, value } of plan.additions) {
    const bytes = Buffer.byteLength(JSON.stringify(value)) + name.length + 4
    const add = (object: unknown): void => {
      if (Array.isArray(object)) object.forEach(add)
      else if (isRecord(object)) {
        take(bytes)
        object[name] = value
      }
    }
    for (const keys of placesOf(at))
      if (keys.length === 0) add(data)
      else forEachPlace(data, keys, (parent, key) => add((parent as Record<string | number, unknown>)[key]))
  }
  if (plan.entities !== null) edited = editEntities(edited, entityKeys, plan.entities)
  return edited
}

function keysOf(at: Extract<Place, { kind: 'path' }>): Keys {
  return at.segments
}

/** Calls `edit` for the places that the answer has. */
function forEachPlace(value: unknown, [key, ...rest]: Keys, edit: Edit): void {
  if (key === undefined || typeof value !== 'object' || value === null) return
  for (const found of keysIn(value, key))
    if (rest.length === 0) edit(value, found)
    else forEachPlace((value as Record<string | number, unknown>)[found], rest, edit)
}

function keysIn(value: object, key: string | number): (string | number)[] {
  if (Array.isArray(value)) {
    if (key === '*') return [...value.keys()]
    const index = Number(key)
    return index < value.length ? [index] : []
  }
  if (key === '*') return Object.keys(value)
  return Object.hasOwn(value, key) ? [String(key)] : []
}

function editEntities(result: ExecutionResult, keys: readonly string[], how: EntityFault): ExecutionResult {
  const data = { ...result.data }
  const errors = [...(result.errors ?? [])]
  for (const key of keys) {
    const entities: unknown = data[key]
    if (!Array.isArray(entities)) continue
    data[key] = faultyEntities(entities, how)
    if (how === 'error')
      errors.push(new GraphQLError('injected fault', { path: [key], extensions: { code: 'INJECTED_FAULT' } }))
  }
  return { ...result, data, ...(errors.length === 0 ? {} : { errors }) }
}

function faultyEntities(entities: unknown[], how: EntityFault): unknown {
  switch (how) {
    case 'reverse':
      return entities.toReversed()
    case 'short':
      return entities.slice(0, -1)
    case 'long':
      return [...entities, ...entities.slice(0, 1)]
    case 'null':
    case 'error':
      return entities.map(() => null)
    case 'empty':
      return []
    case 'not-list':
      return entities[0] ?? {}
  }
}
