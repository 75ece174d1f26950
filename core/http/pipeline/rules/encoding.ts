/** Sends the response of a request in a content coding: for the stage, and for steps of rules. */
import type { FaultOrigin } from '../../../contract/plugin.ts'
import type { ResponseEncoding } from '../../../rules/encoding.ts'
import { createContentEncoder } from '../../../toolkit/content-encoder.ts'
import type { RequestContext } from '../../request/context.ts'
import { codeResponse } from '../../response/coded-response.ts'

export async function encodeAs(
  context: RequestContext,
  encoding: ResponseEncoding,
  source: string,
  origin: FaultOrigin,
): Promise<void> {
  const encoder = await createContentEncoder(encoding.coding)
  codeResponse(context, { encoding, encoder, source, origin })
}
