/** Schemas of the responses, for the OpenAPI document. */
import { jsonReply, RECORD, textReply } from 'svc/toolkit'

export const STATUS = { ...jsonReply(RECORD), ...textReply('*/*') }

export const RESPONSE_HEADERS = jsonReply(RECORD)
