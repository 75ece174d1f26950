/** The trace of an operation in an answer: `extensions.ftv1`, the message `Trace` of Apollo's usage reporting as base64. */
import type { ExecutionResult, GraphQLError, GraphQLResolveInfo } from 'graphql'
import type { FieldHook } from '../execution/field-hooks.ts'
import { protobufMessage, type ProtobufField } from './protobuf.ts'

/** A field, or an item of a list. */
interface Node {
  key: string | number | null
  /** Null for an item. */
  field: { type: string; parentType: string; name: string; start: number; end: number } | null
  errors: GraphQLError[]
  children: Map<string | number, Node>
}

/** Numbers of the fields in `Trace` and `Trace.Node`. */
const TRACE = { endTime: 3, startTime: 4, duration: 11, root: 14 }
const NODE = {
  responseName: 1,
  index: 2,
  type: 3,
  startTime: 8,
  endTime: 9,
  error: 11,
  child: 12,
  parentType: 13,
  originalName: 14,
}
const ERROR = { message: 1, location: 2, time: 3, json: 4 }

/** The header with which a gateway asks for a trace, and its value. */
export const TRACE_HEADER = 'apollo-federation-include-trace'
export const TRACE_FORMAT = 'ftv1'

export class FieldTrace {
  readonly #startedAt = Date.now()
  readonly #start = performance.now()
  readonly #root: Node = { key: null, field: null, errors: [], children: new Map() }

  readonly hook: FieldHook = (info, resolve) => {
    const node = this.#nodeAt(info.path)
    const start = this.#elapsed()
    const { fieldName, parentType, returnType } = info
    const field = { type: String(returnType), parentType: parentType.name, name: fieldName, start, end: start }
    node.field = field
    const end = (): void => {
      field.end = this.#elapsed()
    }
    let value: unknown
    try {
      value = resolve()
    } finally {
      end()
    }
    return value instanceof Promise ? value.finally(end) : value
  }

  /** The result with the trace. */
  addTo(result: ExecutionResult): ExecutionResult {
    for (const error of result.errors ?? []) this.#find(error.path ?? []).errors.push(error)
    const trace = Buffer.from(this.#encode()).toString('base64')
    return { ...result, extensions: { ...result.extensions, ftv1: trace } }
  }

  /** Nanoseconds since the start. */
  #elapsed(): number {
    return Math.round((performance.now() - this.#start) * 1_000_000)
  }

  #nodeAt({ prev, key }: GraphQLResolveInfo['path']): Node {
    return childOf(prev === undefined ? this.#root : this.#nodeAt(prev), key)
  }

  /** The node at a path, or the nearest one above. */
  #find(path: readonly (string | number)[]): Node {
    let node = this.#root
    for (const key of path) {
      const child = node.children.get(key)
      if (child === undefined) return node
      node = child
    }
    return node
  }

  #encode(): Uint8Array {
    const duration = this.#elapsed()
    return protobufMessage([
      [TRACE.endTime, timestamp(this.#startedAt + duration / 1_000_000)],
      [TRACE.startTime, timestamp(this.#startedAt)],
      [TRACE.duration, duration],
      [TRACE.root, encodeNode(this.#root)],
    ])
  }
}

function childOf(parent: Node, key: string | number): Node {
  let child = parent.children.get(key)
  if (child === undefined) parent.children.set(key, (child = { key, field: null, errors: [], children: new Map() }))
  return child
}

function encodeNode({ key, field, errors, children }: Node): Uint8Array {
  const fields: ProtobufField[] = []
  if (typeof key === 'string') fields.push([NODE.responseName, key])
  if (typeof key === 'number') fields.push([NODE.index, key])
  if (field !== null) {
    fields.push([NODE.type, field.type], [NODE.startTime, field.start], [NODE.endTime, field.end])
  }
  for (const error of errors) fields.push([NODE.error, encodeError(error)])
  for (const child of children.values()) fields.push([NODE.child, encodeNode(child)])
  if (field !== null) {
    fields.push([NODE.parentType, field.parentType])
    if (field.name !== key) fields.push([NODE.originalName, field.name])
  }
  return protobufMessage(fields)
}

function encodeError(error: GraphQLError): Uint8Array {
  const locations = error.locations ?? []
  return protobufMessage([
    [ERROR.message, error.message],
    ...locations.map(({ line, column }): ProtobufField => {
      const location = protobufMessage([
        [1, line],
        [2, column],
      ])
      return [ERROR.location, location]
    }),
    [ERROR.json, JSON.stringify(error)],
  ])
}

/** `google.protobuf.Timestamp`. */
function timestamp(ms: number): Uint8Array {
  const seconds = Math.floor(ms / 1000)
  return protobufMessage([
    [1, seconds],
    [2, Math.floor((ms - seconds * 1000) * 1_000_000)],
  ])
}
