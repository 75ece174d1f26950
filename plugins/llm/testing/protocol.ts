/** Requests to model providers as a protocol of conditions: `match.llm`, in the terms of the neutral form. */
import { OutputBudget } from 'svc/plugin'
import { isRecord, type MatchableRequest, type MatchFacts, type MatchProtocol } from 'svc/toolkit'
import type { Json } from 'svc/plugin'
import { lastUserText } from '../engine/prompt.ts'
import { parseObject } from '../engine/json-body.ts'
import type { FaultParser } from '../headers/faults.ts'
import type { Message, NeutralRequest } from '../contract/neutral.ts'
import type { EmbedParsed, OwnParsed, Parsed } from '../contract/parsed.ts'
import type { EngineLimits, HandlerRoute, ProviderRoute, RouteInput } from '../contract/route.ts'
import type { ProviderInstance } from '../providers/instance.ts'
import { readReply } from './reply.ts'

const FORMATS = ['none', 'json', 'schema'] as const

/** A route with the provider that serves it. */
export interface PlacedRoute {
  instance: ProviderInstance
  route: ProviderRoute
  params: Record<string, string>
}

export interface LlmProtocolOptions {
  faults: FaultParser
  limits: EngineLimits
  providers: {
    /** The route of a captured request. */
    find(method: string, path: string): PlacedRoute | null
    paths(): string[]
  }
}

export function createLlmProtocol({ faults, limits, providers }: LlmProtocolOptions): MatchProtocol {
  return {
    name: 'llm',
    paths: () => providers.paths(),
    fields: {
      provider: { description: 'Id of the provider or its format' },
      model: { description: 'The model; a plain text may end in `*`', kind: 'wildcard' },
      user: { description: 'The text of the last user message' },
      system: { description: 'The system texts, joined by line breaks' },
      tool: { description: 'The name of a tool that the request offers' },
      tool_result: {
        description: 'The text of a tool result after the last user message; true: there is one',
        kind: 'presence',
      },
      last_result: { description: 'The text of the tool result with which the request ends' },
      last_result_id: { description: 'The id of the tool call that this result belongs to' },
      turn: { description: 'The number of assistant messages before' },
      input: { description: 'A text of an embeddings request' },
      stream: { description: 'Whether the client requests a stream', kind: 'boolean' },
      op: { description: '`chat`, `embed`, `rerank`, …' },
      format: { description: 'The format of the reply that the client requests', kind: FORMATS },
    },
    read(request) {
      const placed = providers.find(request.method, request.path)
      if (placed === null) return null
      return [factsOf(placed, parseCaptured(placed, request, limits))]
    },
    readReply: (reply, at) => void readReply(reply, at),
    failures: () => faults.words(),
  }
}

/** Parses a captured request, if that has no effects; null if it cannot be parsed. */
function parseCaptured(
  { route, params, instance }: PlacedRoute,
  request: MatchableRequest,
  limits: EngineLimits,
): Parsed | null {
  const text = request.text()
  const start = request.url.indexOf('?')
  const query = new URLSearchParams(start === -1 ? '' : request.url.slice(start + 1))
  if (route.parse === undefined) return handledFacts(route, query)
  const parse = route.readOnly ?? route.parse
  if (text === null || (route.readOnly === undefined && route.hasEffects === true)) return null
  const input: RouteInput = {
    method: request.method,
    headers: headersOf(request),
    params,
    query,
    body: Buffer.from(text),
    json: () => parseObject(text),
    session: '',
    provider: instance.name,
    basePath: instance.basePath,
    ignoreHeader: () => {},
    runItem: () => Promise.reject(new Error('a captured request has no items')),
    generate: () => Promise.reject(new Error('a captured request generates nothing')),
    isUpgrade: false,
    url: path => path,
    output: () => new OutputBudget(0),
    limits,
    credential: null,
    storesResponses: instance.storesResponses !== false,
    replyMembers: () => ({}),
    ...(instance.defaultModel === undefined ? {} : { defaultModel: instance.defaultModel }),
  }
  try {
    const parsed = parse(input)
    return parsed instanceof Promise ? null : parsed
  } catch {
    return null
  }
}

/** A request to a route that answers by itself has no model and no prompt. */
export function handledFacts({ asksForStream }: HandlerRoute, query: URLSearchParams): OwnParsed<null> {
  return { op: 'own', promptTokens: 0, completionTokens: 0, stream: asksForStream?.(query) === true, wire: null }
}

/** The headers that formats read. */
function headersOf(request: MatchableRequest): Record<string, string | undefined> {
  return Object.fromEntries(['content-type', 'anthropic-version'].map(name => [name, request.header(name)]))
}

/** What conditions test. Without `parsed` only the provider and the operation are known. */
export function factsOf(
  { instance, route }: Pick<PlacedRoute, 'instance' | 'route'>,
  parsed: Parsed | null,
): MatchFacts {
  const provider = [...new Set([instance.name, instance.format.id])]
  if (parsed === null) return { provider, op: route.op }
  const op = parsed.op === 'own' ? route.op : parsed.op
  const common = { provider, op, model: parsed.model, stream: parsed.stream === true }
  if (parsed.op === 'embed') return { ...common, input: parsed.inputs.map(textOfInput) }
  if (parsed.op !== 'chat' && parsed.op !== 'count') return common
  const { request } = parsed
  return {
    ...common,
    user: lastUserText(request),
    system: request.system.length === 0 ? undefined : request.system.join('\n'),
    tool: request.tools.map(({ name }) => name),
    tool_result: resultsAfterUser(request),
    ...lastResult(request),
    turn: request.messages.filter(({ role }) => role === 'assistant').length,
    format: request.format.type,
  }
}

/** The texts of the tool results after the last message of the user. */
function resultsAfterUser({ messages }: NeutralRequest): Json[] {
  const last = messages.findLastIndex(message => message.role === 'user' && !isResult(message))
  return messages
    .slice(last + 1)
    .flatMap(({ parts }) => parts.flatMap(part => (part.type === 'result' ? [part.content] : [])))
}

/** The tool result at the end of the request. */
function lastResult({ messages }: NeutralRequest): { last_result?: string; last_result_id?: string } {
  const part = messages.at(-1)?.parts.at(-1)
  return part?.type === 'result' ? { last_result: part.content, last_result_id: part.id } : {}
}

function textOfInput(input: EmbedParsed['inputs'][number]): string {
  return typeof input === 'string' ? input : input.join(' ')
}

function isResult({ parts }: Message): boolean {
  return parts.length > 0 && parts.every(part => isRecord(part) && part.type === 'result')
}
