/** Requests to model providers as a protocol of conditions: `match.llm`, in the terms of the neutral form. */
import { OutputBudget } from 'svc/plugin'
import type { MatchableRequest, MatchFacts, MatchProtocol } from 'svc/toolkit'
import { readDirectives } from '../directives/prompt-lines.ts'
import { CHAT_FIELDS, chatFacts } from '../engine/facts.ts'
import { parseObject } from '../engine/json-body.ts'
import type { FaultParser } from '../headers/faults.ts'
import type { EmbedParsed, OwnParsed, Parsed } from '../contract/parsed.ts'
import type { EngineLimits, HandlerRoute, ProviderRoute, RouteInput } from '../contract/route.ts'
import type { ProviderInstance } from '../providers/instance.ts'
import { isProblem, readStrictness } from '../validation/level.ts'
import { taggedRules } from '../validation/tags.ts'
import type { Validator } from '../validation/validator.ts'
import { idsOf } from '../validation/violations.ts'
import { readReply } from './reply.ts'

/** A route with the provider that serves it. */
export interface PlacedRoute {
  instance: ProviderInstance
  route: ProviderRoute
  params: Record<string, string>
}

export interface LlmProtocolOptions {
  faults: FaultParser
  limits: EngineLimits
  validator: Validator
  readsDirectives: boolean
  providers: {
    /** The route of a captured request. */
    find(method: string, path: string): PlacedRoute | null
    paths(): string[]
  }
}

export function createLlmProtocol({
  faults,
  limits,
  providers,
  validator,
  readsDirectives,
}: LlmProtocolOptions): MatchProtocol {
  return {
    name: 'llm',
    paths: () => providers.paths(),
    fields: {
      provider: { description: 'Id of the provider or its format' },
      ...CHAT_FIELDS,
      input: { description: 'A text of an embeddings request' },
      stream: { description: 'Whether the client requests a stream', kind: 'boolean' },
      op: { description: '`chat`, `embed`, `rerank`, …' },
      violation: {
        description: 'The rule of the vendor that the request violates; a plain text may end in `*`',
        kind: 'wildcard',
      },
    },
    read(request) {
      const placed = providers.find(request.method, request.path)
      if (placed === null) return null
      const parsed = parseCaptured(placed, request, limits)
      const facts = (read: Parsed | null): MatchFacts => {
        const seen = read === null || !readsDirectives ? read : readDirectives(read).parsed
        return factsOf(placed, seen, () => rulesOfCaptured(placed, request, validator))
      }
      return parsed instanceof Promise ? parsed.then(read => [facts(read)]) : [facts(parsed)]
    },
    readReply: (reply, at) => void readReply(reply, at),
    failures: () => faults.words(),
  }
}

/** Parses a captured request, if that has no effects; null if it cannot be parsed. A promise if the route parses so. */
function parseCaptured(
  { route, params, instance }: PlacedRoute,
  request: MatchableRequest,
  limits: EngineLimits,
): Parsed | null | Promise<Parsed | null> {
  const text = request.text()
  const start = request.url.indexOf('?')
  const query = new URLSearchParams(start === -1 ? '' : request.url.slice(start + 1))
  if (route.parse === undefined) return handledFacts(route, query)
  const parse = route.readOnly ?? route.parse
  if (text === null || (route.readOnly === undefined && route.hasEffects === true)) return null
  const input: RouteInput = {
    method: request.method,
    headers: request.headers(),
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
    return parsed instanceof Promise ? parsed.catch(() => null) : parsed
  } catch {
    return null
  }
}

/**
 * The rules that a captured request violates: those that were found on arrival. A request without them may not have been checked,
 * so it is checked now, if its body was kept whole.
 */
function rulesOfCaptured(
  { route, params, instance }: PlacedRoute,
  request: MatchableRequest,
  validator: Validator,
): readonly string[] {
  const known = taggedRules(request.tags)
  if (known.length > 0) return known
  const text = request.text()
  if (route.parse === undefined || route.validation === undefined || text === null) return []
  try {
    const fields = instance.validation?.fields ?? new Set<string>()
    const headers = request.headers()
    const found = validator.find(
      route.validation,
      { path: request.path, body: parseObject(text), headers, params, fields },
      exceptionsOf(headers['x-svc-validation'], instance, validator),
    )
    return idsOf(found)
  } catch {
    return []
  }
}

/** The rules that were not applied on arrival. At `off`, the exceptions had no meaning. */
function exceptionsOf(
  header: string | undefined,
  { validation }: ProviderInstance,
  validator: Validator,
): readonly string[] {
  const read = header === undefined ? validator.strictnessOf(validation) : readStrictness(header, validator.ids())
  return isProblem(read) || read.level === 'off' ? [] : read.except
}

/** A request to a route that answers by itself has no model and no prompt. */
export function handledFacts({ asksForStream }: HandlerRoute, query: URLSearchParams): OwnParsed<null> {
  return { op: 'own', promptTokens: 0, completionTokens: 0, stream: asksForStream?.(query) === true, wire: null }
}

/** What conditions test. Without `parsed` only the provider and the operation are known. */
export function factsOf(
  { instance, route }: Pick<PlacedRoute, 'instance' | 'route'>,
  parsed: Parsed | null,
  violatedRules: () => readonly string[],
): MatchFacts {
  const provider = [...new Set([instance.name, instance.format.id])]
  /** Only conditions on it check the request. */
  const violation = {
    get violation(): string[] | undefined {
      const ids = violatedRules()
      return ids.length === 0 ? undefined : [...ids]
    },
  }
  return Object.defineProperties(
    parsedFacts({ instance, route }, provider, parsed),
    Object.getOwnPropertyDescriptors(violation),
  )
}

function parsedFacts(
  { route }: Pick<PlacedRoute, 'instance' | 'route'>,
  provider: string[],
  parsed: Parsed | null,
): MatchFacts {
  if (parsed === null) return { provider, op: route.op }
  const op = parsed.op === 'own' ? route.op : parsed.op
  const common = { provider, op, model: parsed.model, stream: parsed.stream === true }
  if (parsed.op === 'embed') return { ...common, input: parsed.inputs.map(textOfInput) }
  if (parsed.op !== 'chat' && parsed.op !== 'count') return common
  const { request } = parsed
  return {
    ...common,
    ...chatFacts(request),
  }
}

function textOfInput(input: EmbedParsed['inputs'][number]): string {
  return typeof input === 'string' ? input : input.join(' ')
}
