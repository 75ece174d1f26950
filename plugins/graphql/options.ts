/** The section `graphql` of `svc.yaml`. */
import type { JsonSchema } from 'svc/plugin'

export interface GraphqlOptions extends Record<string, unknown> {
  /** Whether `/graphql` takes batches. */
  batching: boolean
  /** Whether requests are refused that any page can make a browser send. */
  csrf: boolean
  documents?: { file?: string; mode?: DocumentMode }
}

/** `off`: there are no persisted documents. `allow`: they can be used. `only`: nothing else can be executed. */
export type DocumentMode = 'off' | 'allow' | 'only'

export const OPTIONS: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    batching: {
      type: 'boolean',
      default: false,
      description: 'Whether /graphql takes batches of up to 10 operations; subgraphs always do',
    },
    csrf: {
      type: 'boolean',
      default: false,
      description:
        'Refuses requests that browsers send without a preflight, unless they have a header such as Apollo-Require-Preflight',
    },
    documents: {
      type: 'object',
      additionalProperties: false,
      description: 'Persisted documents, which requests name by documentId',
      properties: {
        file: {
          type: 'string',
          minLength: 1,
          description:
            'JSON: a manifest of Apollo’s tools, or an object that maps ids to documents. Relative to svc.yaml',
        },
        mode: {
          type: 'string',
          enum: ['off', 'allow', 'only'],
          default: 'allow',
          description: 'only: graphs execute nothing else, _service excepted',
        },
      },
    },
  },
}
