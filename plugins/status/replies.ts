/** Schemas of the responses, for the OpenAPI document. */
import { ANY, INTEGER, jsonReply, object, TEXT, textReply } from 'svc/toolkit'

export const STATUS = { ...jsonReply(object({ status: INTEGER, chosen_from: TEXT }), 'Status'), ...textReply('') }

export const RESPONSE_HEADERS = jsonReply(object({ 'x-demo': ANY }, { 'cache-control': TEXT }), 'StatusResponseHeaders')
