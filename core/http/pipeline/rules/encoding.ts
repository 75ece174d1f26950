/** Sends the response of a request in a content coding: for the stage, and for steps of rules. */
import type { FaultOrigin } from '../../../contract/plugin.ts'
import type { ResponseEncoding } from '../../../rules/encoding.ts'
import { createContentEncoder, type EncoderCoding } from '../../../toolkit/content-encoder.ts'
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

/** For routes: in place of what the header or a rule asks for. */
export async function encodeInstead(context: RequestContext, coding: EncoderCoding, flushes: boolean): Promise<void> {
  const encoder = await createContentEncoder(coding)
  context.coding?.off()
  context.coding = null
  codeResponse(context, {
    encoding: { name: coding, coding, fault: null },
    encoder,
    source: coding,
    origin: 'endpoint',
    flushes,
  })
}
