/** The section `graphql` of `svc.yaml`. */
import type { JsonSchema } from 'svc/plugin'

export interface GraphqlOptions extends Record<string, unknown> {
  /** Whether `/graphql` takes batches. */
  batching: boolean
  /** Whether requests are refused that any page can make a browser send. */
  csrf: boolean
}

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
  },
}
