/** Applies the rules that are stored on the instance to a request: failures and replies in the provider's format. */
import type { MatchFacts, MessageRule, ProtocolFacts, RuleOutcome } from 'svc/plugin'
import { ProviderError } from '../exchange/error-responses.ts'
import type { Exchange } from '../exchange/exchange.ts'
import { exactDetails, type FaultParser, type FaultSpec } from '../exchange/faults.ts'
import type { ChatResult, EmbedResult } from '../neutral.ts'
import type { ErrorKind, Parsed } from '../provider.ts'
import type { StreamShape } from '../shapes/shape.ts'
import type { Latency } from '../streaming/pace.ts'
import { factsOf } from './protocol.ts'
import { chatResultOf, embedResultOf, fits, readReply } from './reply.ts'

type Parse = () => Parsed | Promise<Parsed>

/** Calls a function at most once; an error is thrown again each time. */
export function once<T>(compute: () => T): () => T {
  let run: (() => T) | undefined
  return () => {
    if (run === undefined) {
      try {
        const value = compute()
        run = () => value
      } catch (error) {
        run = () => {
          throw error
        }
      }
    }
    return run()
  }
}

/** Null if no rule can apply. */
export function applyRules(exchange: Exchange, parse: Parse): Promise<RuleOutcome> | null {
  const { svc, request, reply } = exchange
  return svc.http.applyRules(request, reply, factsFor(exchange, parse))
}

function factsFor({ instance, route }: Exchange, parse: Parse): ProtocolFacts {
  const read = async (): Promise<Parsed | null> => {
    try {
      return await parse()
    } catch {
      // The route reports what is wrong with the request, unless a rule acts on it.
      return null
    }
  }
  return {
    protocol: 'llm',
    read: async (): Promise<readonly MatchFacts[]> => [factsOf({ instance, route }, await read())],
    async takesReply(step) {
      const parsed = await read()
      return parsed !== null && fits(readReply(step, ''), parsed.op)
    },
  }
}

/** For requests within another one. Null if no rule can apply. */
export function applyRulesToInner(
  exchange: Exchange,
  parse: Parse,
  { canAbort }: { canAbort: boolean },
): Promise<MessageRule> | null {
  const { svc, request, url, body } = exchange
  return svc.http.applyRulesToMessage(request, { method: 'POST', url, body, canAbort }, factsFor(exchange, parse))
}

/** The failure in the provider's format: of a kind, or with a status. */
export function failureOfRule(
  { rule, status, word, message, type, code, retryAfterSecs }: Extract<RuleOutcome, { kind: 'fail' }>,
  faults: FaultParser,
): ProviderError {
  const fault = faults.parse(word ?? String(status))
  return new ProviderError((fault?.kind ?? 'server_error') as ErrorKind, {
    injected: fault?.label ?? 'server_error',
    source: `rule ${rule}`,
    ...(word !== null && fault?.status === undefined ? {} : { status: fault?.status ?? status }),
    ...(fault === null ? {} : exactDetails(fault)),
    ...(message === null ? {} : { message, isExact: true as const }),
    ...(type === null ? {} : { type }),
    ...(code === null ? {} : { code }),
    ...(retryAfterSecs === null ? {} : { retryAfterSecs }),
  })
}

/** What a rule replies. */
export interface FixedReply {
  result: ChatResult | EmbedResult
  /** The pace where the request's headers say nothing. */
  pace: Partial<Latency>
  /** The shape of a stream where the request names none. */
  shape: StreamShape | null
  /** How the stream breaks. */
  fault: FaultSpec | null
}

/** The reply of a rule; null if it does not fit the request. */
export async function replyOfRule(
  { rule, reply, lookUp }: Extract<RuleOutcome, { kind: 'reply' }>,
  { output }: Exchange,
  parsed: Parsed,
): Promise<FixedReply | null> {
  const fixed = readReply(reply, '')
  if (fixed.kind === 'embedding')
    return parsed.op === 'embed'
      ? { result: embedResultOf(fixed.vector, parsed, { mode: 'rule', output }), pace: {}, shape: null, fault: null }
      : null
  if (parsed.op !== 'chat') return null
  return {
    result: await chatResultOf(fixed, parsed, { lookUp, output }),
    pace: fixed.stream,
    shape: fixed.shape,
    fault: fixed.break && { ...fixed.break, source: `rule ${rule}` },
  }
}
