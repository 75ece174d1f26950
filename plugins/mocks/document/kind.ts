/** The kinds of documents that mocks serve. */

export type MockKind = 'openapi' | 'graphql'

/** How a document is written. */
export type DocumentFormat = 'json' | 'yaml' | 'graphql'
