/** Schemas as large as those of real APIs, and random operations that are valid for them. */
import {
  getNamedType,
  getNullableType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isScalarType,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql'

/** SDL with `types` object types, each with a connection of its own, as GitHub's API has them: about 1.2 MB for 420. */
export function largeSchema(types: number): string {
  const lines = [
    'scalar DateTime',
    'scalar URI',
    'interface Node { id: ID! }',
    'interface Actor { login: String! url: URI! }',
    'enum Order { ASC DESC }',
    'type PageInfo { hasNextPage: Boolean! endCursor: String }',
  ]
  const at = (number: number): string => `Item${number % types}`
  const about = (what: string): string =>
    `"""${what}. ${'Descriptions make up about half of the bytes of such a schema. '.repeat(3)}"""`
  for (let n = 0; n < types; n++) {
    lines.push(
      about(`An item of the kind ${n}`),
      `type Item${n} implements Node & Actor @key${n % 3}(note: "n") {`,
      '  id: ID!\n  login: String!\n  url: URI!',
      ...['title', 'body', 'email', 'city', 'color'].map(name => `  ${about(name)}\n  ${name}: String`),
      ...['createdAt', 'updatedAt'].map(name => `  ${about(name)}\n  ${name}: DateTime!`),
      `  ${about('a count')}\n  total(since: DateTime, order: Order = ASC): Int!`,
      `  parent: Item${(n * 7 + 1) % types}`,
      `  subject: Subject${n % 20}`,
      `  ${about('a connection')}\n  items(first: Int, after: String, filter: Filter${n}): Item${(n + 1) % types}Connection!`,
      '}',
      `type Item${n}Connection { edges: [Item${n}Edge!]! nodes: [Item${n}] pageInfo: PageInfo! totalCount: Int! }`,
      `type Item${n}Edge { cursor: String! node: Item${n} }`,
      `input Filter${n} { title: String, order: Order, states: [State${n}!], nested: Filter${(n + 1) % types} }`,
      `enum State${n} { OPEN CLOSED MERGED }`,
      `input ChangeItem${n}Input { id: ID!, title: String, state: State${n} }`,
      `type ChangeItem${n}Payload { item: Item${n} clientMutationId: String }`,
    )
  }
  for (let n = 0; n < 20; n++) lines.push(`union Subject${n} = ${[n, n + 1, n + 2].map(at).join(' | ')}`)
  for (let n = 0; n < 3; n++) lines.push(`directive @key${n}(note: String) on OBJECT`)
  lines.push('type Query {', '  node(id: ID!): Node\n  actor(login: String!): Actor')
  for (let n = 0; n < types; n++) lines.push(`  item${n}(id: ID!): Item${n}\n  items${n}(first: Int): [Item${n}!]!`)
  lines.push('}', 'type Mutation {')
  for (let n = 0; n < types; n++) lines.push(`  changeItem${n}(input: ChangeItem${n}Input!): ChangeItem${n}Payload`)
  lines.push('}')
  return lines.join('\n')
}

/** A valid query, or a mutation every fifth time, with at most `fields` fields. */
export function randomOperation(schema: GraphQLSchema, random: (below: number) => number, fields: number): string {
  let left = fields
  const mutation = schema.getMutationType()
  const isMutation = mutation != null && random(5) === 0

  function selection(type: GraphQLOutputType, depth: number): string {
    const named = getNamedType(type)
    if (isScalarType(named) || isEnumType(named)) return ''
    if (isAbstractType(named)) {
      const possible = schema.getPossibleTypes(named)
      const chosen = possible[random(possible.length)]!
      return ` { __typename ... on ${chosen.name}${selectionOf(chosen, depth)} }`
    }
    return selectionOf(named as GraphQLObjectType, depth)
  }

  function selectionOf(type: GraphQLObjectType, depth: number): string {
    const all = Object.values(type.getFields()).filter(({ name }) => !name.startsWith('_'))
    const usable = all.filter(field => depth > 0 || isLeafType(field.type))
    const count = Math.min(usable.length, 1 + random(4))
    const chosen = Array.from({ length: count }, (_, index) => {
      if (left-- <= 0) return null
      const field = usable[random(usable.length)]!
      const given = field.args.filter(argument => isNonNullType(argument.type) || random(3) === 0)
      const args = given.map(argument => `${argument.name}: ${literal(argument.type, 2, argument.name)}`)
      const list = args.length === 0 ? '' : `(${args.join(', ')})`
      return `a${index}: ${field.name}${list}${selection(field.type, depth - 1)}`
    })
    return ` { __typename ${chosen.filter(text => text !== null).join(' ')} }`
  }

  function literal(type: GraphQLInputType, depth: number, name: string): string {
    const plain = getNullableType(type)
    if (isListType(plain)) return `[${literal(plain.ofType as GraphQLInputType, depth, name)}]`
    if (isEnumType(plain)) return plain.getValues()[random(plain.getValues().length)]!.name
    if (isInputObjectType(plain)) {
      const members = Object.values(plain.getFields()).filter(
        field => isNonNullType(field.type) || (depth > 0 && random(2) === 0),
      )
      return `{${members.map(field => `${field.name}: ${literal(field.type, depth - 1, field.name)}`).join(', ')}}`
    }
    switch ((plain as { name: string }).name) {
      case 'Int':
        return String(1 + random(3))
      case 'Float':
        return '1.5'
      case 'Boolean':
        return random(2) === 0 ? 'true' : 'false'
      default:
        return JSON.stringify(`${name}-${random(100)}`)
    }
  }

  const root = isMutation ? mutation : schema.getQueryType()!
  return `${isMutation ? 'mutation' : 'query'}${selectionOf(root, 4)}`
}

function isLeafType(type: GraphQLOutputType): boolean {
  const named = getNamedType(type)
  return isScalarType(named) || isEnumType(named)
}
