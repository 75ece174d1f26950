/** Owns which documents are remembered between requests: few, short, and none that could not be read. */
import type { DocumentNode } from 'graphql'
import type { YogaServerOptions } from 'graphql-yoga'
import { BoundedMap } from 'svc/plugin'

type DocumentCacheOptions = Exclude<YogaServerOptions<object, object>['parserAndValidationCache'], boolean | undefined>

const REMEMBERED = 200
const REMEMBERED_LENGTH = 4_096

/** Yoga's own cache keeps a thousand texts of any length, and the errors of as many. */
export function createDocumentCache(): DocumentCacheOptions {
  const documents = new BoundedMap<DocumentNode>(REMEMBERED)
  return {
    documentCache: {
      get: text => documents.get(text),
      set: (text, document) => {
        if (text.length <= REMEMBERED_LENGTH) documents.set(text, document)
      },
    },
    // An error from a cache would end the hooks before the form of the answer is chosen.
    errorCache: { get: () => undefined, set: () => {} },
  }
}
