/** What the toy gateway knows of a supergraph: the schema of clients, and which subgraph has which field. */
import {
  buildASTSchema,
  Kind,
  parse,
  print,
  visit,
  type ConstDirectiveNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type GraphQLSchema,
} from 'graphql'

export interface OwnedField {
  typeName: string
  /** Subgraphs that resolve it, with the fields that they need. */
  owners: Map<string, { requires: string | null }>
  /** Fields of the returned object that a subgraph provides here. */
  provides: Map<string, string>
  arguments: string[]
}

export interface OwnedType {
  /** Keys without nesting, by subgraph. */
  keys: Map<string, string[]>
  /** Subgraphs that know the type under the name of this interface. */
  fields: Map<string, OwnedField>
  interfaces: string[]
  isAbstract: boolean
}

export interface Supergraph {
  api: GraphQLSchema
  types: Map<string, OwnedType>
  urls: Map<string, string>
}

const isInternal = (name: string): boolean => /^(?:join__|link__|core__)/.test(name)

export function readSupergraph(sdl: string, { showsHidden = false, allowsNull = false } = {}): Supergraph {
  const document = parse(sdl)
  return { api: apiOf(document, showsHidden, allowsNull), types: typesOf(document), urls: urlsOf(document) }
}

function argumentOf({ arguments: own }: ConstDirectiveNode, name: string): string | null {
  const value = own?.find(one => one.name.value === name)?.value
  return value === undefined
    ? null
    : value.kind === Kind.BOOLEAN
      ? String(value.value)
      : 'value' in value
        ? String(value.value)
        : null
}

const named = (directives: readonly ConstDirectiveNode[] | undefined, name: string): ConstDirectiveNode[] =>
  (directives ?? []).filter(one => one.name.value === name)

function typeName(field: FieldDefinitionNode): string {
  return print(field.type).replaceAll(/[[\]!]/g, '')
}

function urlsOf(document: DocumentNode): Map<string, string> {
  const graphs = document.definitions.find(
    one => one.kind === Kind.ENUM_TYPE_DEFINITION && one.name.value === 'join__Graph',
  )
  if (graphs?.kind !== Kind.ENUM_TYPE_DEFINITION) throw new Error('no subgraphs')
  return new Map(
    (graphs.values ?? []).map(one => [one.name.value, argumentOf(named(one.directives, 'join__graph')[0]!, 'url')!]),
  )
}

function typesOf(document: DocumentNode): Map<string, OwnedType> {
  const types = new Map<string, OwnedType>()
  for (const definition of document.definitions) {
    const isInterface = definition.kind === Kind.INTERFACE_TYPE_DEFINITION
    if (definition.kind === Kind.UNION_TYPE_DEFINITION)
      types.set(definition.name.value, { keys: new Map(), fields: new Map(), interfaces: [], isAbstract: true })
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION && !isInterface) continue
    const keys = new Map<string, string[]>()
    const graphs: string[] = []
    for (const join of named(definition.directives, 'join__type')) {
      const graph = argumentOf(join, 'graph')!
      const key = argumentOf(join, 'key')
      if (!graphs.includes(graph)) graphs.push(graph)
      if (key !== null && !key.includes('{') && argumentOf(join, 'resolvable') !== 'false')
        keys.set(graph, [...(keys.get(graph) ?? []), key])
    }
    const fields = new Map<string, OwnedField>()
    for (const field of definition.fields ?? []) {
      const joins = named(field.directives, 'join__field')
      const owned: OwnedField = {
        typeName: typeName(field),
        owners: new Map(),
        provides: new Map(),
        arguments: (field.arguments ?? []).map(({ name }) => name.value),
      }
      if (joins.length === 0) for (const graph of graphs) owned.owners.set(graph, { requires: null })
      for (const join of joins) {
        const graph = argumentOf(join, 'graph')
        if (graph === null || argumentOf(join, 'external') === 'true') continue
        owned.owners.set(graph, { requires: argumentOf(join, 'requires') })
        const provides = argumentOf(join, 'provides')
        if (provides !== null) owned.provides.set(graph, provides)
      }
      fields.set(field.name.value, owned)
    }
    types.set(definition.name.value, {
      keys,
      fields,
      interfaces: (definition.interfaces ?? []).map(({ name }) => name.value),
      isAbstract: isInterface,
    })
  }
  return types
}

/** Without what only gateways see. */
function apiOf(document: DocumentNode, showsHidden: boolean, allowsNull: boolean): GraphQLSchema {
  const isHidden = (directives: readonly ConstDirectiveNode[] | undefined): boolean =>
    !showsHidden && named(directives, 'inaccessible').length > 0
  const own = visit(document, {
    SchemaDefinition: node => ({ ...node, directives: [] }),
    DirectiveDefinition: () => null,
    FieldDefinition: node => (isHidden(node.directives) ? null : undefined),
    enter(node) {
      if (
        'name' in node &&
        node.name?.kind === Kind.NAME &&
        node.kind.endsWith('TypeDefinition') &&
        isInternal(node.name.value)
      )
        return null
      return undefined
    },
  })
  const bare = visit(own, {
    Directive: () => null,
    NonNullType: {
      leave: (node, _key, parent) =>
        allowsNull && !Array.isArray(parent) && isOfField(parent) ? node.type : undefined,
    },
  })
  return buildASTSchema(bare)
}

const isOfField = (parent: unknown): boolean =>
  (parent as { kind?: string } | undefined)?.kind === Kind.FIELD_DEFINITION
