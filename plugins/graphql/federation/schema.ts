/** The executable schema of a subgraph: its SDL, and what the federation protocol adds. */
import {
  buildASTSchema,
  concatAST,
  Kind,
  parse,
  type DirectiveNode,
  type DocumentNode,
  type GraphQLSchema,
  type TypeDefinitionNode,
} from 'graphql'
import { DEFER_AND_STREAM, FEDERATION_DIRECTIVES } from 'svc/toolkit'

/** A subgraph: its schema, and the types that `_entities` takes. */
export interface FederatedSchema {
  schema: GraphQLSchema
  /** Types with a key that can be resolved here. */
  entities: ReadonlySet<string>
}

/** Reads the SDL of a subgraph, which may contain directives without their definition. Throws a GraphQLError. */
export function federatedSchema(sdl: string): FederatedSchema {
  const document = parse(sdl)
  const types = document.definitions.filter(isType)
  const entities = types.filter(({ directives = [] }) => directives.some(isResolvableKey))
  const objects = entities.filter(({ kind }) => kind === Kind.OBJECT_TYPE_DEFINITION).map(({ name }) => name.value)
  const additions = parse(`
    ${FEDERATION_DIRECTIVES}
    ${DEFER_AND_STREAM}
    scalar _Any
    type _Service { sdl: String }
    ${objects.length === 0 ? '' : `union _Entity = ${objects.join(' | ')}`}
    extend type Query {
      _service: _Service!
      ${objects.length === 0 ? '' : '_entities(representations: [_Any!]!): [_Entity]!'}
    }
  `)
  const schema = buildASTSchema(concatAST([document, withoutKnown(additions, document)]), { assumeValidSDL: true })
  return { schema, entities: new Set(entities.map(({ name }) => name.value)) }
}

/** The additions that the SDL does not define itself. */
function withoutKnown(additions: DocumentNode, document: DocumentNode): DocumentNode {
  const named = (node: DocumentNode['definitions'][number]): string =>
    'name' in node && node.kind !== Kind.OBJECT_TYPE_EXTENSION ? `${node.kind} ${node.name?.value}` : ''
  const known = new Set(document.definitions.map(named).filter(name => name !== ''))
  return { ...additions, definitions: additions.definitions.filter(node => !known.has(named(node))) }
}

type EntityDefinition = Extract<
  TypeDefinitionNode,
  { kind: Kind.OBJECT_TYPE_DEFINITION | Kind.INTERFACE_TYPE_DEFINITION }
>

function isType(node: DocumentNode['definitions'][number]): node is EntityDefinition {
  return node.kind === Kind.OBJECT_TYPE_DEFINITION || node.kind === Kind.INTERFACE_TYPE_DEFINITION
}

function isResolvableKey({ name, arguments: args = [] }: DirectiveNode): boolean {
  if (name.value !== 'key') return false
  return !args.some(({ name: argument, value }) => {
    return argument.value === 'resolvable' && value.kind === Kind.BOOLEAN && !value.value
  })
}
