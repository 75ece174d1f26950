/** Schemas of the responses, for the OpenAPI document. */
import { jsonReply, object, RECORD } from 'svc/toolkit'

export const COOKIES = jsonReply(object({ cookies: RECORD }), 'RedirectsCookies')
