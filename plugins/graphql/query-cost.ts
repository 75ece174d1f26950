/** Limits on the depth, fields and aliases of the operations in a document. */
import {
  Kind,
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import { limitExceeded } from './errors.ts'
import type { DocumentLimits } from './types.ts'

export const DEFAULT_LIMITS: DocumentLimits = { depth: 10, complexity: 500, aliases: 30, answerFields: Infinity }
/**
 * Limit for fields that the other limits do not cover: below `__schema` and `__type`, and in unused fragments. It is far
 * above what any tool requests, but low enough for fast validation, whose time grows with the square of equal fields.
 */
const MAX_UNCOUNTED_FIELDS = 1000
const INTROSPECTION = new Set(['__schema', '__type'])

/** Cost of a selection set with all fragment spreads expanded. */
interface Cost {
  depth: number
  /** Number of field selections; list lengths do not multiply it. */
  complexity: number
  aliases: number
  /** Field selections below `__schema` and `__type`, which are counted separately. */
  introspection: number
}

/**
 * Returns the first limit that an operation of the document exceeds, or null. The cost of each fragment is computed once
 * and capped, so that sixty fragments that each spread the next one twice (2^60 fields) take no longer than sixty
 * others. A recursive spread counts as zero; validation rejects it.
 */
export function findExceededLimit(document: DocumentNode, limits: DocumentLimits): GraphQLError | null {
  const measure = createMeasure(document)
  for (const definition of document.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) {
      const { depth, complexity, aliases, introspection } = measure(definition.selectionSet)
      if (depth > limits.depth) return tooDeep(limits, depth)
      if (complexity > limits.complexity) return tooComplex('Query', limits.complexity)
      if (aliases > limits.aliases)
        return limitExceeded('ALIAS_LIMIT_EXCEEDED', `Query has too many aliases: more than ${limits.aliases}`)
      if (introspection > MAX_UNCOUNTED_FIELDS) return tooComplex('Introspection', MAX_UNCOUNTED_FIELDS)
    } else if (definition.kind === Kind.FRAGMENT_DEFINITION) {
      if (measure(definition.selectionSet).complexity > MAX_UNCOUNTED_FIELDS)
        return tooComplex('Fragment', MAX_UNCOUNTED_FIELDS)
    }
  }
  return null
}

/** The number of fields of an operation. */
export function complexityOf(document: DocumentNode, { selectionSet }: OperationDefinitionNode): number {
  return createMeasure(document)(selectionSet).complexity
}

/** The error for a document that is too deep, or too deep to be parsed. */
export function tooDeep(limits: DocumentLimits, depth?: number): GraphQLError {
  return limitExceeded(
    'DEPTH_LIMIT_EXCEEDED',
    `Query is nested too deep${depth === undefined ? '' : `: ${depth} levels`} (at most ${limits.depth})`,
  )
}

function tooComplex(what: string, limit: number): GraphQLError {
  return limitExceeded('COMPLEXITY_LIMIT_EXCEEDED', `${what} is too complex: more than ${limit} fields`)
}

const ZERO_COST: Cost = { depth: 0, complexity: 0, aliases: 0, introspection: 0 }
const COST_CAP = 1_000_000

function createMeasure(document: DocumentNode): (selectionSet: SelectionSetNode) => Cost {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of document.definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
  const costs = new Map<string, Cost>()

  function ofFragment(name: string): Cost {
    const known = costs.get(name)
    if (known !== undefined) return known
    const fragment = fragments.get(name)
    if (fragment === undefined) return ZERO_COST
    costs.set(name, ZERO_COST)
    const cost = ofSelections(fragment.selectionSet)
    costs.set(name, cost)
    return cost
  }

  function ofSelections({ selections }: SelectionSetNode): Cost {
    const sum = { ...ZERO_COST }
    for (const selection of selections) {
      if (selection.kind === Kind.FRAGMENT_SPREAD) add(sum, ofFragment(selection.name.value))
      else if (selection.kind === Kind.INLINE_FRAGMENT) add(sum, ofSelections(selection.selectionSet))
      else {
        const below = selection.selectionSet === undefined ? ZERO_COST : ofSelections(selection.selectionSet)
        const aliases = below.aliases + (selection.alias === undefined ? 0 : 1)
        if (INTROSPECTION.has(selection.name.value))
          add(sum, { depth: 1, complexity: 1, aliases, introspection: below.complexity + below.introspection })
        else
          add(sum, {
            depth: below.depth + 1,
            complexity: below.complexity + 1,
            aliases,
            introspection: below.introspection,
          })
      }
    }
    return sum
  }
  return ofSelections
}

function add(sum: Cost, cost: Cost): void {
  sum.depth = Math.max(sum.depth, cost.depth)
  sum.complexity = Math.min(sum.complexity + cost.complexity, COST_CAP)
  sum.aliases = Math.min(sum.aliases + cost.aliases, COST_CAP)
  sum.introspection = Math.min(sum.introspection + cost.introspection, COST_CAP)
}
