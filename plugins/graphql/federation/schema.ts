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
import { DEFER_AND_STREAM } from '../execution/incremental.ts'

/** The directives of federation 2, as introspection shows them. */
const DIRECTIVES = `
scalar federation__FieldSet
scalar federation__Scope
scalar federation__Policy
scalar federation__ContextFieldValue
directive @link(url: String!, as: String, for: link__Purpose, import: [link__Import]) repeatable on SCHEMA
scalar link__Import
enum link__Purpose { SECURITY EXECUTION }
directive @key(fields: federation__FieldSet!, resolvable: Boolean = true) repeatable on OBJECT | INTERFACE
directive @requires(fields: federation__FieldSet!) on FIELD_DEFINITION
directive @provides(fields: federation__FieldSet!) on FIELD_DEFINITION
directive @external(reason: String) on OBJECT | FIELD_DEFINITION
directive @extends on OBJECT | INTERFACE
directive @shareable repeatable on OBJECT | FIELD_DEFINITION
directive @inaccessible on FIELD_DEFINITION | INTERFACE | OBJECT | UNION | ARGUMENT_DEFINITION | SCALAR | ENUM | ENUM_VALUE | INPUT_OBJECT | INPUT_FIELD_DEFINITION
directive @override(from: String!, label: String) on FIELD_DEFINITION
directive @tag(name: String!) repeatable on FIELD_DEFINITION | INTERFACE | OBJECT | UNION | ARGUMENT_DEFINITION | SCALAR | ENUM | ENUM_VALUE | INPUT_OBJECT | INPUT_FIELD_DEFINITION | SCHEMA
directive @composeDirective(name: String!) repeatable on SCHEMA
directive @interfaceObject on OBJECT
directive @authenticated on FIELD_DEFINITION | OBJECT | INTERFACE | SCALAR | ENUM
directive @requiresScopes(scopes: [[federation__Scope!]!]!) on FIELD_DEFINITION | OBJECT | INTERFACE | SCALAR | ENUM
directive @policy(policies: [[federation__Policy!]!]!) on FIELD_DEFINITION | OBJECT | INTERFACE | SCALAR | ENUM
directive @context(name: String!) repeatable on INTERFACE | OBJECT | UNION
directive @fromContext(field: federation__ContextFieldValue) on ARGUMENT_DEFINITION
directive @cost(weight: Int!) on ARGUMENT_DEFINITION | ENUM | FIELD_DEFINITION | INPUT_FIELD_DEFINITION | OBJECT | SCALAR
directive @listSize(assumedSize: Int, slicingArguments: [String!], sizedFields: [String!], requireOneSlicingArgument: Boolean = true) on FIELD_DEFINITION
directive @cacheTag(format: String!) repeatable on INTERFACE | OBJECT | FIELD_DEFINITION
`

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
    ${DIRECTIVES}
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
