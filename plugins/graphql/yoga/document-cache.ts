/** Caches a limited number of short, valid documents between requests. */
import type { DocumentNode } from 'graphql'
import type { YogaServerOptions } from 'graphql-yoga'
import { BoundedMap } from 'svc/toolkit'

type DocumentCacheOptions = Exclude<YogaServerOptions<object, object>['parserAndValidationCache'], boolean | undefined>

const MAX_DOCUMENTS = 200
const REMEMBERED_LENGTH = 4_096

/** Yoga's own cache keeps a thousand documents of any length, and a thousand errors. */
export function createDocumentCache(): DocumentCacheOptions {
  const documents = new BoundedMap<DocumentNode>(MAX_DOCUMENTS)
  return {
    documentCache: {
      get: text => documents.get(text),
      set: (text, document) => {
        if (text.length <= REMEMBERED_LENGTH) documents.set(text, document)
      },
    },
    // A cached error would end the hooks before the response format is selected.
    errorCache: { get: () => undefined, set: () => {} },
  }
}
