/** Schemas of the responses, for the OpenAPI document. */
import { textReply } from 'svc/toolkit'

export const SOAP_POST = textReply('text/xml', 'application/soap+xml')
