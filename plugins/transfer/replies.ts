/** Schemas of the responses, for the OpenAPI document. */
import { ANY, BOOLEAN, jsonReply, list, object, RECORD, TEXT } from 'svc/toolkit'

export const STREAM = jsonReply(ANY)

export const DIGEST = jsonReply(object({ algorithm: TEXT, valid: BOOLEAN }), 'TransferDigest')

export const TRAILERS = jsonReply(object({ trailers: RECORD }), 'TransferTrailers')

export const EARLY_HINTS = jsonReply(object({ link: list(TEXT) }), 'TransferEarlyHints')
