/** Namespace scopes: resolves prefixes (Namespaces in XML 1.0, 3 to 6). */
import { malformed } from '../faults.ts'
import type { Attribute } from './element.ts'

/** An attribute as written, with references resolved. */
export interface WrittenAttribute {
  name: string
  value: string
}

const NAME = /^(?:([^:\s]+):)?([^:\s]+)$/

export class Scope {
  static readonly ROOT = new Scope(
    new Map([
      ['', ''],
      ['xml', 'http://www.w3.org/XML/1998/namespace'],
    ]),
  )
  readonly #namespaces: ReadonlyMap<string, string>

  constructor(namespaces: ReadonlyMap<string, string>) {
    this.#namespaces = namespaces
  }

  /** The scope of an element with these attributes. */
  within(attributes: WrittenAttribute[]): Scope {
    const declared = attributes.filter(({ name }) => isDeclaration(name))
    if (declared.length === 0) return this
    const namespaces = new Map(this.#namespaces)
    for (const { name, value } of declared) {
      const prefix = name.slice('xmlns:'.length)
      if (prefix !== '' && value === '') throw malformed(`the prefix ${prefix} is bound to an empty namespace`)
      namespaces.set(prefix, value)
    }
    return new Scope(namespaces)
  }

  resolveElement(name: string): { namespace: string; local: string } {
    const { prefix, local } = split(name)
    return { namespace: this.#find(prefix), local }
  }

  /** Attributes that are not namespace declarations. Without a prefix they have no namespace; duplicates are errors (6.3). */
  resolveAttributes(attributes: WrittenAttribute[]): Attribute[] {
    const seen = new Set<string>()
    return attributes
      .filter(({ name }) => !isDeclaration(name))
      .map(({ name, value }) => {
        const { prefix, local } = split(name)
        const namespace = prefix === '' ? '' : this.#find(prefix)
        if (seen.size === seen.add(`${namespace} ${local}`).size) throw malformed(`duplicate attribute ${name}`)
        return { namespace, local, value }
      })
  }

  #find(prefix: string): string {
    const namespace = this.#namespaces.get(prefix)
    if (namespace === undefined) throw malformed(`the prefix ${prefix} is not declared`)
    return namespace
  }
}

function isDeclaration(name: string): boolean {
  return name === 'xmlns' || name.startsWith('xmlns:')
}

function split(name: string): { prefix: string; local: string } {
  const [, prefix = '', local] = NAME.exec(name) ?? []
  if (local === undefined) throw malformed(`${name} is not a valid qualified name`)
  return { prefix, local }
}
