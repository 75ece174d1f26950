/** What a query gives to the data: arguments that are values of fields, and the size of lists. */
import {
  getNamedType,
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
  isScalarType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
} from 'graphql'
import { isRecord } from 'svc/toolkit'
import type { MockObject, Values } from './mock-object.ts'
import { isLeaf } from './shapes.ts'

const SIZE_ARGUMENTS = ['first', 'last', 'limit', 'count', 'take', 'pageSize']
export const MAX_ITEMS = 100

/** The items that an argument asks for, or one of a connection above. */
export function sizeOf(args: Values, parent: MockObject | null): { size?: number } {
  for (const name of SIZE_ARGUMENTS) {
    const value = args[name]
    if (typeof value === 'number' && Number.isInteger(value)) return { size: Math.min(MAX_ITEMS, Math.max(0, value)) }
  }
  return parent?.passed.size === undefined ? {} : { size: parent.passed.size }
}

/** Scalar arguments, within input objects too, by name and type: `name String`. */
export function argumentsOf(
  args: Values,
  { args: declared }: GraphQLField<unknown, unknown>,
  around: ReadonlyMap<string, unknown>,
): ReadonlyMap<string, unknown> {
  if (declared.length === 0) return around
  const given = new Map(around)
  const collect = (values: Values, inputs: readonly { name: string; type: GraphQLInputType }[]): void => {
    for (const { name, type } of inputs) {
      const value = values[name]
      const plain = getNullableType(type)
      if (value === undefined || isListType(plain)) continue
      if (isScalarType(plain) || isEnumType(plain)) given.set(`${name} ${plain.name}`, value)
      else if (isRecord(value) && 'getFields' in plain) collect(value, Object.values(plain.getFields()))
    }
  }
  collect(args, declared)
  return given
}

/** The fields of a type that arguments have given. */
export function knownFrom(given: ReadonlyMap<string, unknown> | undefined, type: GraphQLObjectType): Values {
  if (given === undefined || given.size === 0) return {}
  const known: Record<string, unknown> = {}
  for (const { name, type: fieldType } of Object.values(type.getFields())) {
    if (!isLeaf(fieldType)) continue
    const value = given.get(`${name} ${getNamedType(fieldType).name}`)
    if (value !== undefined && !(value === null && isNonNullType(fieldType))) known[name] = value
  }
  return known
}

/** The scalar members of a representation. */
export function leavesOf(representation: Values, type: GraphQLObjectType): Values {
  const fields = type.getFields()
  const leaves = Object.entries(representation).filter(
    ([name, value]) =>
      value !== null && Object.hasOwn(fields, name) && isLeaf(fields[name]!.type) && typeof value !== 'object',
  )
  return Object.fromEntries(leaves)
}
