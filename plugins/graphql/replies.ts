/** Schemas of the responses, for the OpenAPI document. */
import { textReply } from 'svc/toolkit'

export const GRAPHQL = textReply('application/graphql-response+json', 'text/html')

export const GRAPHQL_POST = textReply('application/graphql-response+json', 'text/event-stream')
