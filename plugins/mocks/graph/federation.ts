/** The federation of a schema: which directives it uses under which names, and the keys of its types. */
import {
  Kind,
  type ConstDirectiveNode,
  type ConstValueNode,
  type DefinitionNode,
  type DocumentNode,
  type TypeDefinitionNode,
  type TypeExtensionNode,
} from 'graphql'

export type TypeNode = TypeDefinitionNode | TypeExtensionNode

const FEDERATION = /\/federation\/v\d/
const SUPERGRAPH = /\/join\/v\d/

export interface Federation {
  /** Names of directives in the document, by their names in the specification: `key`: `@id`. */
  renamed: ReadonlyMap<string, string>
  isSupergraph: boolean
}

/** Null for a schema that is not a subgraph: it has neither a link to the specification nor a key. */
export function federationOf(document: DocumentNode): Federation | null {
  const links = document.definitions.flatMap(linksOf)
  const isSupergraph = links.some(link => SUPERGRAPH.test(urlOf(link))) || usesDirective(document, 'join__graph')
  const link = links.find(candidate => FEDERATION.test(urlOf(candidate)))
  if (link !== undefined) return { renamed: importsOf(link), isSupergraph }
  return isSupergraph || usesDirective(document, 'key') ? { renamed: new Map(), isSupergraph } : null
}

/** The names under which a document uses a directive of the specification. */
export function namesOf(name: string, { renamed }: Federation): string[] {
  return [name, `federation__${name}`, ...[renamed.get(name) ?? []].flat()]
}

/** A key of a type: its fields, and whether other subgraphs can ask for entities by it. */
export interface KeyFields {
  fields: string
  isResolvable: boolean
}

export function keysOf(node: TypeNode, federation: Federation): KeyFields[] {
  const names = namesOf('key', federation)
  return (node.directives ?? []).flatMap(directive => {
    if (!names.includes(directive.name.value)) return []
    const fields = argumentOf(directive, 'fields')
    const resolvable = argumentOf(directive, 'resolvable')
    if (fields?.kind !== Kind.STRING) return []
    return [{ fields: fields.value, isResolvable: !(resolvable?.kind === Kind.BOOLEAN && !resolvable.value) }]
  })
}

export function isTypeNode(node: DefinitionNode): node is TypeNode {
  return 'name' in node && node.kind !== Kind.DIRECTIVE_DEFINITION && /Type(?:Definition|Extension)$/.test(node.kind)
}

export function argumentOf(directive: ConstDirectiveNode, name: string): ConstValueNode | undefined {
  return directive.arguments?.find(argument => argument.name.value === name)?.value
}

function linksOf(node: DefinitionNode): ConstDirectiveNode[] {
  if (node.kind !== Kind.SCHEMA_DEFINITION && node.kind !== Kind.SCHEMA_EXTENSION) return []
  return (node.directives ?? []).filter(({ name }) => name.value === 'link' || name.value === 'core')
}

function urlOf(link: ConstDirectiveNode): string {
  const url = argumentOf(link, 'url') ?? argumentOf(link, 'feature')
  return url?.kind === Kind.STRING ? url.value : ''
}

/** `import: [{ name: "@key", as: "@id" }]`. */
function importsOf(link: ConstDirectiveNode): Map<string, string> {
  const renamed = new Map<string, string>()
  const list = argumentOf(link, 'import')
  for (const entry of list?.kind === Kind.LIST ? list.values : []) {
    if (entry.kind !== Kind.OBJECT) continue
    const text = (name: string): string => {
      const value = entry.fields.find(field => field.name.value === name)?.value
      return value?.kind === Kind.STRING ? value.value.replace(/^@/, '') : ''
    }
    if (text('name') !== '' && text('as') !== '') renamed.set(text('name'), text('as'))
  }
  const as = argumentOf(link, 'as')
  if (as?.kind === Kind.STRING) renamed.set('key', renamed.get('key') ?? `${as.value}__key`)
  return renamed
}

function usesDirective({ definitions }: DocumentNode, name: string): boolean {
  return definitions.some(
    node =>
      (isTypeNode(node) && (node.directives ?? []).some(directive => directive.name.value === name)) ||
      (node.kind === Kind.DIRECTIVE_DEFINITION && node.name.value === name && name !== 'key'),
  )
}
