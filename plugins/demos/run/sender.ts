/** Sends the traffic of a step: in turn, at a rate, for a time, by several clients. */
import { setMaxListeners } from 'node:events'
import { joinSignals, sleep } from 'svc/toolkit'
import type { Traffic, Variant } from '../file/demo.ts'
import { AnswerBudget } from './answer-budget.ts'
import { BoundError } from './bound-error.ts'
import { DEFAULT_TIMEOUT_MS, type RunContext } from './context.ts'
import type { SentRequest } from './sent.ts'
import { sendA2a } from './traffic/a2a.ts'
import { sendAgent } from './traffic/agent.ts'
import { sendGrpc } from './traffic/grpc.ts'
import { sendHttp } from './traffic/http.ts'
import { sendLlm } from './traffic/llm.ts'
import { sendLogin } from './traffic/login.ts'
import { sendMcp } from './traffic/mcp.ts'
import type { SendOptions } from './traffic/request.ts'
import { sendWebSocket } from './traffic/websocket.ts'

/** A traffic at a rate never has more requests open than this. */
const MAX_OPEN = 200

/** Throws `BoundError` for a traffic that is larger than a run may have. */
export function checkBounds(traffic: readonly Traffic[], { bounds }: Pick<RunContext, 'bounds'>): void {
  const requests = traffic.reduce((sum, one) => sum + requestsOf(one), 0)
  if (requests > bounds.requests) throw new BoundError(`at most ${bounds.requests} requests in a step`)
  for (const { perSecond, concurrency, forMs } of traffic) {
    if ((perSecond ?? 0) > bounds.perSecond) throw new BoundError(`at most ${bounds.perSecond} requests a second`)
    if (concurrency > bounds.concurrency) throw new BoundError(`a concurrency of at most ${bounds.concurrency}`)
    if ((forMs ?? 0) > bounds.stepMs) throw new BoundError(`at most ${bounds.stepMs / 1000} s in a step`)
  }
}

/** An agent sends some requests before its first turn. */
const AGENT_START = 10
const AGENT_TURNS = 20

function requestsOf({ times, perSecond, forMs, kind }: Traffic): number {
  const conversations = forMs === null ? times : perSecond === null ? 1 : Math.ceil((perSecond * forMs) / 1000)
  return kind.kind === 'agent' ? conversations * (AGENT_START + (kind.turns ?? AGENT_TURNS)) : conversations
}

export interface SendHooks {
  /** A request, or a conversation, begins. */
  onBegin?(): void
  /** Is called with each answer. */
  onSent?(sent: SentRequest): void
}

/** Sends one traffic after the other. */
export async function sendAll(
  traffic: readonly Traffic[],
  context: RunContext,
  { onBegin, onSent }: SendHooks = {},
): Promise<SentRequest[]> {
  const limit = AbortSignal.timeout(context.bounds.stepMs)
  const joined = joinSignals(context.signal, limit)
  // Each open request listens.
  setMaxListeners(0, joined.signal)
  const startedAtMs = context.client.clock()
  const answers = new AnswerBudget(context.bounds.answerBytes)
  const all: SentRequest[] = []
  const keep = (sent: readonly SentRequest[]): void => {
    for (const one of sent) {
      all.push(one)
      onSent?.(one)
    }
  }
  try {
    for (const [index, one] of traffic.entries()) {
      const variants = chooser(one.variants)
      await sendOne(one, context, joined.signal, all, async () => {
        const [variant, variantNumber] = variants()
        onBegin?.()
        keep(
          await sendKind(one, {
            context,
            traffic: index + 1,
            variant,
            variantNumber,
            startedAtMs,
            timeoutMs: one.timeoutMs ?? context.timeoutMs ?? DEFAULT_TIMEOUT_MS,
            leaveAfterMs: one.leaveAfterMs,
            acknowledge: one.acknowledge,
            answers,
            signal: joined.signal,
          }),
        )
      })
    }
  } finally {
    joined.release()
  }
  answers.check()
  return all.toSorted((a, b) => a.atMs - b.atMs)
}

async function sendOne(
  { times, perSecond, forMs, concurrency }: Traffic,
  { bounds, client }: RunContext,
  signal: AbortSignal,
  sent: readonly SentRequest[],
  send: () => Promise<void>,
): Promise<void> {
  const startMs = client.clock()
  const before = sent.length
  const isOver = (begun: number): boolean =>
    signal.aborted ||
    sent.length - before >= bounds.requests ||
    (forMs === null ? begun >= times : client.clock() - startMs >= forMs || begun >= bounds.requests)
  let begun = 0
  if (perSecond !== null) {
    const open = new Set<Promise<void>>()
    for (; ; begun++) {
      const dueMs = startMs + (begun * 1000) / perSecond
      // A traffic for a time has the requests that are due within it, however late they are sent.
      if (signal.aborted || (forMs === null ? begun >= times : dueMs >= startMs + forMs)) break
      await sleep(dueMs - client.clock(), { signal })
      if (open.size >= MAX_OPEN) await Promise.race(open)
      const one = send().finally(() => open.delete(one))
      open.add(one)
    }
    await Promise.all(open)
    return
  }
  const worker = async (): Promise<void> => {
    while (!isOver(begun)) {
      begun++
      await send()
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, bounds.concurrency) }, worker))
}

function sendKind(traffic: Traffic, options: SendOptions): Promise<SentRequest[]> {
  const { kind } = traffic
  switch (kind.kind) {
    case 'http':
      return sendHttp(kind, options)
    case 'llm':
      return sendLlm(kind, options)
    case 'mcp':
      return sendMcp(kind, options)
    case 'a2a':
      return sendA2a(kind, options)
    case 'agent':
      return sendAgent(kind, options)
    case 'login':
      return sendLogin(kind, options)
    case 'grpc':
      return sendGrpc(kind, options)
    case 'websocket':
      return sendWebSocket(kind, options)
  }
}

/** The variants in turn; those with shares as often as these say, spread evenly. */
function chooser(variants: readonly Variant[]): () => [Variant | null, number | null] {
  if (variants.length === 0) return () => [null, null]
  const weights = variants.map(({ share }) => share ?? 1 / variants.length)
  const sum = weights.reduce((a, b) => a + b, 0)
  const credits = weights.map(() => 0)
  return () => {
    for (const [index, weight] of weights.entries()) credits[index]! += weight
    const chosen = credits.indexOf(Math.max(...credits))
    credits[chosen]! -= sum
    return [variants[chosen]!, chosen + 1]
  }
}
