/** Faults while an operation is executed: fields that fail, and fields that take time. */
import { GraphQLError, type GraphQLResolveInfo } from 'graphql'
import { sleep } from 'svc/toolkit'
import type { FieldHook } from '../execution/field-hooks.ts'
import type { FaultPlan, FieldError, Place } from './plan.ts'

/** The path of a field or item in the answer, as graphql-js has it. */
type Path = GraphQLResolveInfo['path']

export interface FieldFaultOptions {
  /** What the delays of one operation, or of one event, may take together in milliseconds. */
  maxDelayMs: number
  /** Ends delays: the client has left. */
  signal: AbortSignal | undefined
}

/** The faults of one operation, or of one event of a subscription. */
export class FieldFaults {
  readonly #plan: FaultPlan
  readonly #options: FieldFaultOptions
  readonly #deadline: number
  /** Coordinates whose paths the edits of the answer need, and the paths of the fields found so far. */
  readonly #found = new Map<Place, (string | number)[][]>()

  constructor(plan: FaultPlan, options: FieldFaultOptions) {
    this.#plan = plan
    this.#options = options
    this.#deadline = performance.now() + options.maxDelayMs
    for (const { at } of [...plan.values, ...plan.additions]) this.#watch(at)
    for (const at of plan.removals) this.#watch(at)
  }

  #watch(at: Place): void {
    if (at.kind === 'coordinate') this.#found.set(at, [])
  }

  /** The paths of the fields that a coordinate has in the answer. */
  pathsOf(at: Place): readonly (readonly (string | number)[])[] {
    return this.#found.get(at) ?? []
  }

  readonly hook: FieldHook = (info, resolve) => {
    for (const [place, paths] of this.#found) if (isField(place, info)) paths.push(keysOf(info.path))
    const { errors, delays } = this.#plan
    const delay = delays.find(({ at }) => isField(at, info))
    const error = errors.find(({ at }) => isField(at, info))
    if (error !== undefined || delay !== undefined)
      return this.#wait(delay?.ms ?? 0, () => {
        if (error !== undefined) throw errorOf(error)
        return this.#items(info, resolve())
      })
    return this.#items(info, resolve())
  }

  #wait(ms: number, then: () => unknown): unknown {
    const { signal } = this.#options
    const left = Math.min(ms, this.#deadline - performance.now())
    if (left <= 0) return then()
    return sleep(left, signal === undefined ? {} : { signal }).then(isOver => {
      if (!isOver) throw new GraphQLError('the client has left')
      return then()
    })
  }

  /** The value of a field, with the faults of its items if it is a list. */
  #items(info: GraphQLResolveInfo, value: unknown): unknown {
    const isItem = ({ at }: { at: Place }): boolean => at.kind === 'path' && isParent(at.segments, info.path)
    const errors = this.#plan.errors.filter(isItem)
    const delays = this.#plan.delays.filter(isItem)
    if (errors.length === 0 && delays.length === 0) return value
    const inItems = (list: unknown): unknown => {
      if (!Array.isArray(list)) return list
      return list.map((item, index) => {
        const isHere = ({ at }: { at: Place }): boolean => at.kind === 'path' && isKey(at.segments.at(-1)!, index)
        const error = errors.find(isHere)
        const delay = delays.find(isHere)
        const faulty = error === undefined ? item : errorOf(error)
        return delay === undefined ? faulty : this.#wait(delay.ms, () => faulty)
      })
    }
    return value instanceof Promise ? value.then(inItems) : inItems(value)
  }
}

function errorOf({ message, code, extensions }: FieldError): GraphQLError {
  return new GraphQLError(message, { extensions: { ...extensions, code } })
}

function isField(place: Place, { path, parentType, fieldName }: GraphQLResolveInfo): boolean {
  if (place.kind === 'path') return isPath(place.segments, place.segments.length, path)
  if (place.field !== fieldName) return false
  return place.type === parentType.name || parentType.getInterfaces().some(({ name }) => name === place.type)
}

/** Whether the segments lead to an item of the list at the path. */
function isParent(segments: readonly string[], path: Path): boolean {
  return segments.length > 0 && isPath(segments, segments.length - 1, path)
}

/** Whether the first `length` segments are the path. */
function isPath(segments: readonly string[], length: number, path: Path): boolean {
  let rest: Path | undefined = path
  for (let index = length - 1; index >= 0; index--, rest = rest.prev)
    if (rest === undefined || !isKey(segments[index]!, rest.key)) return false
  return rest === undefined
}

function isKey(segment: string, key: string | number): boolean {
  return segment === '*' || segment === String(key)
}

function keysOf(path: Path): (string | number)[] {
  const keys: (string | number)[] = []
  for (let rest: Path | undefined = path; rest !== undefined; rest = rest.prev) keys.unshift(rest.key)
  return keys
}
