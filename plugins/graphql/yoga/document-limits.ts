/** Limits documents: their tokens during parsing; their depth, fields and aliases before validation. */
import type { DocumentNode, GraphQLError, parse as Parse } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { findPassedLimit, tooDeep } from '../query-cost.ts'

const MAX_TOKENS = 10_000

export function useDocumentLimits(parse: typeof Parse): Plugin {
  // Yoga returns the same document object for the same text.
  const passedLimits = new WeakMap<DocumentNode, GraphQLError | null>()

  function passedLimit(document: DocumentNode): GraphQLError | null {
    let passed = passedLimits.get(document)
    if (passed === undefined) passedLimits.set(document, (passed = findPassedLimit(document)))
    return passed
  }

  return {
    onParse({ setParseFn }) {
      setParseFn((source: string) => parse(source, { maxTokens: MAX_TOKENS }))
      return ({ result }) => {
        // The parser and the cost computation recurse once per level.
        if (result instanceof RangeError) throw tooDeep()
        if (result instanceof Error) return
        const passed = refusing(() => passedLimit(result as DocumentNode))
        if (passed !== null) throw passed
      }
    },
  }
}

function refusing(measure: () => GraphQLError | null): GraphQLError | null {
  try {
    return measure()
  } catch (error) {
    if (error instanceof RangeError) return tooDeep()
    throw error
  }
}
