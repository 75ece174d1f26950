/** Limits documents: their tokens during parsing; their depth, fields and aliases before validation. */
import type { DocumentNode, GraphQLError, parse as Parse } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { findExceededLimit, tooDeep } from '../query-cost.ts'
import type { DocumentLimits } from '../types.ts'

const MAX_TOKENS = 10_000

export function useDocumentLimits(parse: typeof Parse, limits: DocumentLimits): Plugin {
  // Yoga returns the same document object for the same text.
  const exceededLimits = new WeakMap<DocumentNode, GraphQLError | null>()

  function exceededLimit(document: DocumentNode): GraphQLError | null {
    let exceeded = exceededLimits.get(document)
    if (exceeded === undefined) exceededLimits.set(document, (exceeded = findExceededLimit(document, limits)))
    return exceeded
  }

  return {
    onParse({ setParseFn }) {
      setParseFn((source: string) => parse(source, { maxTokens: MAX_TOKENS }))
      return ({ result }) => {
        // The parser and the cost computation recurse once per level.
        if (result instanceof RangeError) throw tooDeep(limits)
        if (result instanceof Error) return
        const exceeded = catchTooDeep(() => exceededLimit(result as DocumentNode), limits)
        if (exceeded !== null) throw exceeded
      }
    },
  }
}

function catchTooDeep(measure: () => GraphQLError | null, limits: DocumentLimits): GraphQLError | null {
  try {
    return measure()
  } catch (error) {
    if (error instanceof RangeError) return tooDeep(limits)
    throw error
  }
}
