/** Owns the way from query text to a checked document, and remembers the short ones. */
import { GraphQLError, parse, validate } from 'graphql'
import type { DocumentNode, GraphQLSchema } from 'graphql'
import { findPassedLimit, tooDeep } from './query-cost.ts'

/** A document that could be read, with what speaks against executing it. */
export interface CheckedDocument {
  /** Null when it could not be read; then there is a problem. */
  document: DocumentNode | null
  problems: readonly GraphQLError[]
}

const MAX_TOKENS = 10_000
const REMEMBERED = 200
const REMEMBERED_LENGTH = 4_096

/** Checks query texts against one schema. */
export class Documents {
  readonly #schema: GraphQLSchema
  readonly #checked = new Map<string, CheckedDocument>()

  constructor(schema: GraphQLSchema) {
    this.#schema = schema
  }

  /** Syntax, limits, validation (GraphQL, 5), in this order. Of several kinds of problems the first is told. */
  check(query: string): CheckedDocument {
    const known = this.#checked.get(query)
    const checked = known ?? checkDocument(this.#schema, query)
    if (query.length > REMEMBERED_LENGTH) return checked
    // Taken out and put in again it stands behind all that were used less recently.
    this.#checked.delete(query)
    this.#checked.set(query, checked)
    if (this.#checked.size > REMEMBERED) this.#checked.delete(this.#checked.keys().next().value!)
    return checked
  }
}

function checkDocument(schema: GraphQLSchema, query: string): CheckedDocument {
  try {
    const document = parse(query, { maxTokens: MAX_TOKENS })
    const passed = findPassedLimit(document)
    return { document, problems: passed === null ? validationErrors(schema, document) : [passed] }
  } catch (error) {
    // The parser and the counting of the limits descend once a level.
    if (error instanceof RangeError) return { document: null, problems: [tooDeep()] }
    if (error instanceof GraphQLError) return { document: null, problems: [withCode(error, 'GRAPHQL_PARSE_FAILED')] }
    throw error
  }
}

function validationErrors(schema: GraphQLSchema, document: DocumentNode): GraphQLError[] {
  return validate(schema, document).map(error => withCode(error, 'GRAPHQL_VALIDATION_FAILED'))
}

/** The error with `extensions.code`, unless it has one. */
export function withCode(error: GraphQLError, code: string): GraphQLError {
  if (error.extensions.code !== undefined) return error
  const { message, nodes, source, positions, path, originalError } = error
  return new GraphQLError(message, { nodes, source, positions, path, originalError, extensions: { ...error.extensions, code } })
}
