/** Reads the header `X-Svc-Mcp-Fail`. */
import { type ListedFault, parseFaultList } from 'svc/toolkit'
import { CODES, RpcError, shorten } from '../errors.ts'
import { type Kind, KINDS } from '../protocol/fault-kinds.ts'

export const FAIL_HEADER = 'X-Svc-Mcp-Fail'

/** Throws -32602 with status 400 for what can't be read. */
export function readFaults(header: string): ListedFault<Kind>[] {
  const faults = parseFaultList(header, KINDS)
  if (Array.isArray(faults)) return faults
  const { got, meant, expected } = faults
  throw new RpcError(CODES.invalidParams, 'Unknown fault', {
    status: 400,
    data: {
      header: FAIL_HEADER,
      got: shorten(got),
      ...(meant === undefined ? {} : { did_you_mean: meant }),
      ...(expected === undefined ? {} : { expected }),
      kinds: KINDS,
    },
  })
}
