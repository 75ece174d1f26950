/** Resolves local references (`$ref: '#/…'`) and reports broken ones. External references are never followed. */
import { isRecord } from 'svc/toolkit'
import type { Bounds } from '../bounds.ts'
import { issue, type Issue } from './issue.ts'
import { ownText, type Json, type JsonObject } from './json.ts'
import { fragmentOf, fragmentTokens, valueAt } from './json-pointer.ts'
import { eachObject } from './walk.ts'

/** Resolves references of one document, with a cache. */
export class References {
  readonly #root: JsonObject
  readonly #chain: number
  readonly #found = new Map<string, Json | undefined>()

  constructor(root: JsonObject, chain: number) {
    this.#root = root
    this.#chain = chain
  }

  /** The target of a reference, which can be another reference; undefined if it does not exist. */
  target(ref: string): Json | undefined {
    if (this.#found.has(ref)) return this.#found.get(ref)
    const tokens = fragmentTokens(ref)
    const value = tokens && valueAt(this.#root, tokens)
    this.#found.set(ref, value)
    return value
  }

  /**
   * Resolves a value that may be a reference to an object; undefined if there is no object or the chain is too long.
   */
  resolve(value: Json | undefined): JsonObject | undefined {
    for (let link = 0; link <= this.#chain && isRecord(value); link++) {
      const ref = ownText(value, '$ref')
      if (ref === undefined) return value
      value = this.target(ref)
    }
    return undefined
  }
}

/** Reports references that can't be resolved: external, unresolved and circular ones. */
export function checkReferences(root: JsonObject, bounds: Bounds, limit: number): Issue[] {
  const issues: Issue[] = []
  const references = new References(root, bounds.refChain)
  const problems = new Map<string, { code: string; message: string } | undefined>()
  eachObject(root, (object, tokens) => {
    const ref = ownText(object, '$ref')
    if (ref === undefined) return
    if (!problems.has(ref)) problems.set(ref, checkReference(ref, references, bounds.refChain))
    const problem = problems.get(ref)
    if (problem && issues.length < limit)
      issues.push(issue(problem.code, fragmentOf([...tokens, '$ref']), problem.message))
  })
  return issues
}

function checkReference(
  ref: string,
  references: References,
  chain: number,
): { code: string; message: string } | undefined {
  if (!ref.startsWith('#'))
    return {
      code: 'external_ref',
      message: `"${ref.slice(0, 200)}" is an external reference, which is not fetched; bundle the document into one file first, or serve it from a file with svc.yaml or "svc mock push"`,
    }
  const seen = new Set<string>()
  let current = ref
  for (;;) {
    if (seen.has(current) || seen.size > chain)
      return { code: 'circular_ref', message: `"${ref}" does not resolve to a value after ${seen.size} references` }
    seen.add(current)
    const target = references.target(current)
    if (target === undefined) return { code: 'unresolved_ref', message: `"${current}" does not exist in the document` }
    const next = isRecord(target) ? ownText(target, '$ref') : undefined
    // In 3.1 a reference with sibling keywords is a schema, but in a cycle it is not resolvable either.
    if (next === undefined) return undefined
    if (!next.startsWith('#')) return undefined
    current = next
  }
}
