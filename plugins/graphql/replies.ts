/** Schemas of the responses, for the OpenAPI document. */
import { ANY, list, object, RECORD, textReply } from 'svc/toolkit'

/** A result (GraphQL October 2021, 7.1). */
const RESULT = { title: 'GraphqlResult', ...object({}, { data: ANY, errors: list(RECORD), extensions: RECORD }) }

/** The result of an operation, or a page for browsers. */
export const GRAPHQL = {
  'application/json': RESULT,
  'application/graphql-response+json': RESULT,
  ...textReply('text/html', 'text/event-stream', 'multipart/mixed'),
}
