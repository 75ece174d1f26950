/** What the mock of a schema knows of its types: identities, operations, and which mutations write objects. */
import {
  getNamedType,
  getNullableType,
  isEnumType,
  isListType,
  isObjectType,
  isScalarType,
  Kind,
  parse,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  type SelectionSetNode,
} from 'graphql'
import { valueAt } from 'svc/toolkit'
import type { JsonObject } from '../document/json.ts'
import { argumentOf } from './federation.ts'
import { isEntity, type GraphSchema } from './read-schema.ts'

/** An operation of the schema. */
export interface GraphOperationShape {
  /** `Query.user`. */
  key: string
  kind: 'query' | 'mutation' | 'subscription'
  type: string
  arguments: { name: string; type: string }[]
}

/** What a mutation does to the objects of a type. */
export interface Write {
  kind: 'create' | 'update' | 'delete'
  type: string
  /** The field of the payload that has the object; null: the mutation returns it. */
  payloadField: string | null
}

/** Values of graphql-faker's directives on a field. */
export interface FieldHints {
  examples: readonly unknown[] | null
  listLength: { min: number; max: number } | null
}

/** A longer key is not read. In characters. */
const MAX_KEY = 1000
/** Fields that the protocol adds. */
const PROTOCOL_FIELDS = new Set(['_service', '_entities'])

export class Shapes {
  readonly schema: GraphQLSchema
  /** The types of `_entities`. */
  readonly entities: ReadonlySet<string>
  /** In the order of the schema. */
  readonly operations: readonly GraphOperationShape[]
  /** By coordinate: `Mutation.createUser`. */
  readonly writes: ReadonlyMap<string, Write>
  readonly #graph: GraphSchema
  readonly #identities = new Map<string, readonly string[]>()
  /** The fields of each key, by type. */
  readonly #keyPaths = new Map<string, readonly (readonly string[])[][]>()

  constructor(graph: GraphSchema) {
    const { schema, keys } = graph
    this.#graph = graph
    this.schema = schema
    this.entities = new Set([...keys.keys()].filter(name => isEntity(keys.get(name))))
    this.operations = operationsOf(schema)
    this.writes = this.#writes()
  }

  /** The fields that identify an object; none if it has no identity. */
  identityOf(type: GraphQLObjectType): readonly string[] {
    const known = this.#identities.get(type.name)
    if (known !== undefined) return known
    const found = this.#findIdentity(type)
    this.#identities.set(type.name, found)
    return found
  }

  /** Whether a representation has all fields of one of the type's keys. Keys that cannot be read are not looked at. */
  hasKey(typename: string, representation: Readonly<Record<string, unknown>>): boolean {
    let keys = this.#keyPaths.get(typename)
    if (keys === undefined) {
      const resolvable = (this.#graph.keys.get(typename) ?? []).filter(({ isResolvable }) => isResolvable)
      keys = resolvable.map(({ fields }) => pathsOfKey(fields)).filter(paths => paths.length > 0)
      this.#keyPaths.set(typename, keys)
    }
    return (
      keys.length === 0 || keys.some(paths => paths.every(path => valueAt(representation as JsonObject, path) != null))
    )
  }

  /** The types whose objects mutations write, in alphabetical order. */
  get written(): string[] {
    return [...new Set([...this.writes.values()].map(({ type }) => type))].toSorted()
  }

  #findIdentity(type: GraphQLObjectType): readonly string[] {
    const fields = type.getFields()
    const keys = this.#graph.keys.get(type.name) ?? []
    const key = keys.find(({ fields: selection }) => !selection.includes('{'))
    const names = key === undefined ? [] : key.fields.split(/[\s,]+/).filter(name => Object.hasOwn(fields, name))
    if (names.length > 0) return names
    if (fields['id'] !== undefined && isLeaf(fields['id'].type)) return ['id']
    const ids = Object.values(fields).filter(field => isLeaf(field.type) && getNamedType(field.type).name === 'ID')
    return ids.length === 1 ? [ids[0]!.name] : []
  }

  #writes(): Map<string, Write> {
    const writes = new Map<string, Write>()
    const mutation = this.schema.getMutationType()
    for (const field of Object.values(mutation?.getFields() ?? {})) {
      const write = this.#writeOf(field)
      if (write !== null) writes.set(`${mutation!.name}.${field.name}`, write)
    }
    return writes
  }

  #writeOf({ name, type }: GraphQLField<unknown, unknown>): Write | null {
    const [, verb, subject] = /^(create|add|update|edit|delete|remove)([A-Z]\w*)$/.exec(name) ?? []
    const object = subject === undefined ? undefined : this.schema.getType(subject)
    if (!isObjectType(object) || this.identityOf(object).length === 0) return null
    const kind =
      verb === 'create' || verb === 'add' ? 'create' : verb === 'update' || verb === 'edit' ? 'update' : 'delete'
    const named = getNamedType(type)
    if (named === object && !isList(type)) return { kind, type: object.name, payloadField: null }
    if (isObjectType(named) && !isList(type)) {
      const fields = Object.values(named.getFields()).filter(field => getNamedType(field.type) === object)
      if (fields.length === 1 && !isList(fields[0]!.type))
        return { kind, type: object.name, payloadField: fields[0]!.name }
    }
    // `deleteUser(id: ID!): Boolean!` tells no more than that.
    return kind === 'delete' ? { kind, type: object.name, payloadField: null } : null
  }
}

/** `code maker { id }`: `code`, and `id` in `maker`. None if the text is not a selection. */
function pathsOfKey(fields: string): string[][] {
  const paths: string[][] = []
  const collect = ({ selections }: SelectionSetNode, above: readonly string[]): void => {
    for (const selection of selections) {
      if (selection.kind !== Kind.FIELD) continue
      const path = [...above, selection.name.value]
      if (selection.selectionSet === undefined) paths.push(path)
      else collect(selection.selectionSet, path)
    }
  }
  if (fields.length > MAX_KEY) return []
  try {
    const [definition] = parse(`{ ${fields} }`, { noLocation: true }).definitions
    if (definition?.kind === Kind.OPERATION_DEFINITION) collect(definition.selectionSet, [])
    return paths
  } catch {
    return []
  }
}

/** The values of `@examples` and `@listLength` on a field. */
export function hintsOf({ astNode }: GraphQLField<unknown, unknown>): FieldHints {
  const directives = astNode?.directives ?? []
  const find = (name: string) => directives.find(directive => directive.name.value === name)
  const examples = find('examples')
  const values = examples === undefined ? undefined : argumentOf(examples, 'values')
  const length = find('listLength')
  const bound = (name: string): number => {
    const value = length === undefined ? undefined : argumentOf(length, name)
    return value?.kind === 'IntValue' ? Math.min(100, Math.max(0, Number(value.value))) : 0
  }
  return {
    examples: values?.kind === 'ListValue' && values.values.length > 0 ? values.values.map(plainValue) : null,
    listLength: length === undefined ? null : { min: bound('min'), max: Math.max(bound('min'), bound('max')) },
  }
}

function plainValue(node: import('graphql').ConstValueNode): unknown {
  switch (node.kind) {
    case 'IntValue':
    case 'FloatValue':
      return Number(node.value)
    case 'StringValue':
    case 'EnumValue':
    case 'BooleanValue':
      return node.value
    case 'NullValue':
      return null
    case 'ListValue':
      return node.values.map(plainValue)
    case 'ObjectValue':
      return Object.fromEntries(node.fields.map(({ name, value }) => [name.value, plainValue(value)]))
  }
}

export function isList(type: GraphQLOutputType): boolean {
  return isListType(getNullableType(type))
}

/** Whether values of a type are scalars or enums, not in lists. */
export function isLeaf(type: GraphQLOutputType): boolean {
  const plain = getNullableType(type)
  return isScalarType(plain) || isEnumType(plain)
}

function operationsOf(schema: GraphQLSchema): GraphOperationShape[] {
  const roots = [
    ['query', schema.getQueryType()],
    ['mutation', schema.getMutationType()],
    ['subscription', schema.getSubscriptionType()],
  ] as const
  return roots.flatMap(([kind, root]) =>
    Object.values(root?.getFields() ?? {})
      .filter(({ name }) => !PROTOCOL_FIELDS.has(name))
      .map(({ name, type, args }) => ({
        key: `${root!.name}.${name}`,
        kind,
        type: String(type),
        arguments: args.map(argument => ({ name: argument.name, type: String(argument.type) })),
      })),
  )
}
