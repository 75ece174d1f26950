/** Local references (`$ref: '#/…'`): following them, and finding those that lead nowhere. Others are never followed. */
import { isRecord } from 'svc/plugin'
import type { Bounds } from '../bounds.ts'
import { issue, type Issue } from '../check/issue.ts'
import { ownText, type Json, type JsonObject } from './json.ts'
import { fragmentOf, fragmentTokens, valueAt } from './json-pointer.ts'
import { eachObject } from './walk.ts'

/** Follows references of one document; answers are remembered. */
export class References {
  readonly #root: JsonObject
  readonly #chain: number
  readonly #found = new Map<string, Json | undefined>()

  constructor(root: JsonObject, chain: number) {
    this.#root = root
    this.#chain = chain
  }

  /** What one reference names, which may be a reference again; undefined when nothing is there. */
  target(ref: string): Json | undefined {
    if (this.#found.has(ref)) return this.#found.get(ref)
    const tokens = fragmentTokens(ref)
    const value = tokens && valueAt(this.#root, tokens)
    this.#found.set(ref, value)
    return value
  }

  /** The object behind a value that may be a reference; undefined when there is none or the chain is too long. */
  resolve(value: Json | undefined): JsonObject | undefined {
    for (let link = 0; link <= this.#chain && isRecord(value); link++) {
      const ref = ownText(value, '$ref')
      if (ref === undefined) return value
      value = this.target(ref)
    }
    return undefined
  }
}

/** References that can't be served: external ones, those that name nothing, and rings that never reach a value. */
export function checkReferences(root: JsonObject, bounds: Bounds, limit: number): Issue[] {
  const issues: Issue[] = []
  const references = new References(root, bounds.refChain)
  const verifications = new Map<string, { code: string; message: string } | undefined>()
  eachObject(root, (object, tokens) => {
    const ref = ownText(object, '$ref')
    if (ref === undefined) return
    if (!verifications.has(ref)) verifications.set(ref, judge(ref, references, bounds.refChain))
    const verification = verifications.get(ref)
    if (verification && issues.length < limit)
      issues.push(issue(verification.code, fragmentOf([...tokens, '$ref']), verification.message))
  })
  return issues
}

function judge(ref: string, references: References, chain: number): { code: string; message: string } | undefined {
  if (!ref.startsWith('#'))
    return {
      code: 'external_ref',
      message: `"${ref.slice(0, 200)}" lies outside the document and is not fetched; bundle the document first`,
    }
  const seen = new Set<string>()
  let current = ref
  for (;;) {
    if (seen.has(current) || seen.size > chain)
      return { code: 'circular_ref', message: `"${ref}" leads through ${seen.size} references and never to a value` }
    seen.add(current)
    const target = references.target(current)
    if (target === undefined) return { code: 'unresolved_ref', message: `"${current}" names nothing in the document` }
    const next = isRecord(target) ? ownText(target, '$ref') : undefined
    // A schema with siblings is a value of its own in 3.1, but in a ring it never ends either.
    if (next === undefined) return undefined
    if (!next.startsWith('#')) return undefined
    current = next
  }
}
