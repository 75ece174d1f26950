/** Context windows: refuses a request that does not fit, drops its oldest messages, or limits its reply. */
import { promptTokens, render, tokensOfMessages } from '../engine/prompt.ts'
import type { ModelInfo, NeutralRequest } from '../contract/neutral.ts'
import type { ContextAnswer, ContextFacts } from '../contract/provider.ts'
import type { Parsed } from '../contract/parsed.ts'
import { ProviderError } from '../contract/errors.ts'
import { MAX_WINDOW } from '../headers/request-headers.ts'
import type { ModelCall } from '../call/model-call.ts'

const HEADER = 'X-Svc-Context-Window'

/** Makes of the request what the model processes. Throws `ProviderError` if it does not fit. */
export function fitContextWindow(call: ModelCall): boolean {
  call.parsed = fitted(call, call.parsed!)
  return true
}

function fitted(call: ModelCall, parsed: Parsed): Parsed {
  const { instance } = call
  if (call.headers['x-svc-context-window'] === undefined && !instance.hasWindows) return parsed
  if (parsed.op !== 'chat') return parsed
  const model = instance.models.find(({ id }) => id === parsed.model)
  const window = readHeader(call) ?? model?.context_window ?? instance.contextWindow ?? null
  const outputLimit = model?.max_output_tokens ?? null
  if (window === null && outputLimit === null) return parsed
  const answerOf = call.modelRoute?.contextError ?? instance.format.contextError ?? defaultAnswer
  const fit = (request: NeutralRequest, own?: number): Fitted =>
    fitRequest(request, own, { window, outputLimit, answer: facts => answerOf(facts, parsed), call })
  const { request, prompt } = fit(parsed.request, parsed.also === undefined ? parsed.promptTokens : undefined)
  return {
    ...parsed,
    request,
    ...(parsed.also === undefined ? {} : { also: parsed.also.map(other => fit(other).request) }),
    ...(prompt === null ? {} : { promptTokens: prompt }),
  }
}

function readHeader({ headers, svc, request }: ModelCall): number | undefined {
  const text = headers['x-svc-context-window']
  if (text === undefined) return undefined
  const window = typeof text === 'string' && /^\s*\d{1,10}\s*$/.test(text) ? Number(text) : 0
  if (window >= 1 && window <= MAX_WINDOW) return window
  svc.http.ignoreHeader(request, HEADER, 'expected a whole number from 1 to 1000000000')
  return undefined
}

function defaultAnswer({ promptTokens: prompt, window }: ContextFacts): ContextAnswer {
  return window !== null && prompt > window
    ? { message: `the prompt has ${prompt} tokens, and the context window of this model ${window}` }
    : 'cut'
}

interface Fitting {
  window: number | null
  outputLimit: number | null
  answer(facts: ContextFacts): ContextAnswer
  call: ModelCall
}

interface Fitted {
  request: NeutralRequest
  /** The prompt tokens to report; null: as counted. */
  prompt: number | null
}

function fitRequest(request: NeutralRequest, own: number | undefined, fitting: Fitting): Fitted {
  const { window, outputLimit, answer } = fitting
  const requested = request.maxTokens ?? 0
  const maxTokens = Math.min(requested, outputLimit ?? Infinity)
  const facts = {
    model: request.model,
    promptTokens: own ?? promptTokens(request, render(request)),
    maxTokens,
    requestedTokens: requested,
    window,
    outputLimit,
    isShortened: false,
  }
  if (facts.promptTokens + maxTokens <= (window ?? Infinity) && requested <= (outputLimit ?? Infinity))
    return { request: withLimit(request, facts), prompt: null }
  const first = refuse(answer(facts), fitting)
  if (first === 'cut') return { request: withLimit(request, facts), prompt: null }
  const kept = dropOldest(
    request,
    window ?? Infinity,
    own === undefined ? facts.promptTokens : promptTokens(request, render(request)),
  )
  const left = promptTokens(kept, render(kept))
  const shortened = { ...facts, promptTokens: left, isShortened: true }
  if (left + maxTokens > (window ?? Infinity)) refuse(answer(shortened), fitting)
  const prompt = Math.min(left, window ?? Infinity)
  return { request: withLimit(kept, { ...shortened, promptTokens: prompt }), prompt }
}

function refuse(answer: ContextAnswer, { call }: Fitting): 'cut' | 'drop' {
  if (typeof answer === 'string') return answer
  call.limited = 'context'
  throw new ProviderError('context_length', answer)
}

/** The reply ends where the window or the model's own limit ends. */
function withLimit(
  request: NeutralRequest,
  { promptTokens: prompt, window, outputLimit }: Pick<ContextFacts, 'promptTokens' | 'window' | 'outputLimit'>,
): NeutralRequest {
  const available = window === null ? Infinity : Math.max(0, window - prompt)
  const limit = Math.min(request.maxTokens ?? Infinity, available, outputLimit ?? Infinity)
  return limit === (request.maxTokens ?? Infinity) ? request : { ...request, maxTokens: limit }
}

/** Drops as few of the oldest messages as needed, but never the last one. */
function dropOldest(request: NeutralRequest, window: number, tokens: number): NeutralRequest {
  const { messages } = request
  const sizes = tokensOfMessages(request)
  let left = tokens
  let dropped = 0
  while (dropped < messages.length - 1 && (dropped === 0 || left > window)) left -= sizes[dropped++]!
  return { ...request, messages: messages.slice(dropped) }
}

/** The window of a model as `/tokenize` and lists of models show it; undefined: none. */
export function windowOf(instance: { contextWindow?: number }, model: ModelInfo | undefined): number | undefined {
  return model?.context_window ?? instance.contextWindow
}
