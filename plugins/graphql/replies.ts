/** Schemas of the responses, for the OpenAPI document. */
import { ANY, jsonReply, textReply } from 'svc/toolkit'

export const GRAPHQL = {
  ...jsonReply(ANY),
  ...textReply('application/graphql-response+json', 'text/html', 'text/event-stream', 'multipart/mixed'),
}

export const GRAPHQL_POST = textReply('application/graphql-response+json', 'text/event-stream')
