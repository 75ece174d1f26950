/** Reads the header `X-Svc-Mcp-Fail`: `<kind>[@<n>][:<percent>]`, up to five, separated by commas. */
import { nearest } from 'svc/plugin'
import { CODES, RpcError, shorten } from '../errors.ts'
import { type Kind, KINDS } from './kinds.ts'

export const FAIL_HEADER = 'X-Svc-Mcp-Fail'
const MAX_FAULTS = 5
const MAX_FROM = 10_000

export interface FaultSpec {
  kind: Kind
  /** Acts from this request on, counted from 1. */
  from: number
  percent: number
  /** As in the header. */
  text: string
}

/** Throws -32602 with status 400 for what can't be read: a misspelled fault must not look like a client that copes. */
export function readFaults(header: string): FaultSpec[] {
  const texts = header.split(',').map(text => text.trim())
  if (texts.length > MAX_FAULTS) throw unknownFault(header, `at most ${MAX_FAULTS} faults`)
  return texts.map(text => readFault(text))
}

function readFault(text: string): FaultSpec {
  const match = /^([a-z0-9-]{1,40})(?:@(\d{1,5}))?(?::(\d{1,3}))?$/.exec(text)
  const kind = KINDS.find(name => name === match?.[1])
  const from = Number(match?.[2] ?? 1)
  const percent = Number(match?.[3] ?? 100)
  if (kind === undefined) throw unknownFault(text)
  if (from < 1 || from > MAX_FROM) throw unknownFault(text, `@n must be 1 to ${MAX_FROM}`)
  if (percent < 1 || percent > 100) throw unknownFault(text, 'the percentage must be 1 to 100')
  return { kind, from, percent, text }
}

function unknownFault(got: string, expected?: string): RpcError {
  const meant = nearest(got.split(/[@:]/, 1)[0] ?? '', [...KINDS])
  return new RpcError(CODES.invalidParams, 'Unknown fault', {
    status: 400,
    data: {
      header: FAIL_HEADER,
      got: shorten(got),
      ...(expected === undefined ? (meant === undefined ? {} : { did_you_mean: meant }) : { expected }),
      kinds: KINDS,
    },
  })
}
