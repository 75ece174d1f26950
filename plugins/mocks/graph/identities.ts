/** The values of fields that identify objects. */
import { getNamedType, isEnumType, isScalarType, type GraphQLObjectType } from 'graphql'
import { leafValue } from './scalars.ts'

/** `user-1`, or 1, for the first. */
export function identityValue(type: GraphQLObjectType, name: string, index: number): unknown {
  return identityOf(type, name, index + 1, `${type.name.toLowerCase()}-${index + 1}`)
}

/** Of the object that a mutation creates as this one of its type, from 1. */
export function newIdentity(type: GraphQLObjectType, name: string, number: number): unknown {
  return identityOf(type, name, 1_000_000 + number, `${type.name.toLowerCase()}-new-${number}`)
}

function identityOf(type: GraphQLObjectType, name: string, number: number, text: string): unknown {
  const named = getNamedType(type.getFields()[name]!.type)
  if (named.name === 'ID' || named.name === 'String') return text
  if (named.name === 'Int') return number
  if (isScalarType(named) || isEnumType(named)) return leafValue(named, `${type.name}\n${name}\n${number}`, name)
  return text
}
