/** Wrong gateways: each has one fault, which its own check finds and no other. */
import type { Part, WireRequest } from '../../../plugins/probe/wires/types.ts'
import { ofParts, ofReplyParts, ofResults, ofTools, withoutKeyword, withUsage } from './changes.ts'
import type { GatewayFault } from './toy-gateway.ts'

export interface WrongGateway {
  fault: GatewayFault
  /** The only check that finds it. */
  id: string
  /** Of the finding. */
  summary: RegExp
  verdict?: 'fail' | 'warn'
  /** Client and upstream wire; default: `messages` and `messages`, which have a word for most. */
  pair?: readonly [client: string, upstream: string]
}

const trimmed = (part: Part): Part => (part.type === 'text' ? { ...part, text: part.text.trim() } : part)

/** By what is wrong: "a gateway that …". */
export const FAULTS_OF_REQUESTS: Readonly<Record<string, WrongGateway>> = {
  'trims texts of requests': {
    fault: { request: request => ofParts(request, trimmed) },
    id: 'TRN-TEXT',
    summary: /^request \/turns\/4\/parts\/0\/text is changed \(five-turns, plain\)/,
  },
  'loses a turn': {
    fault: { request: ({ turns, ...rest }) => ({ ...rest, turns: turns.length === 5 ? turns.slice(2) : turns }) },
    id: 'TRN-TEXT',
    summary: /^request \/turns\//,
  },
  'loses the second system prompt': {
    fault: { request: request => ({ ...request, system: request.system.slice(0, 1) }) },
    id: 'TRN-SYSTEM',
    summary: /^request \/system\/1 is lost \(two, plain\)/,
  },
  'puts the system prompt into the first turn': {
    fault: {
      // Those with tools have marks, which would be lost too.
      request: request =>
        request.tools.length > 0
          ? request
          : {
              ...request,
              system: [],
              turns: request.turns.map((turn, index) =>
                index > 0
                  ? turn
                  : {
                      ...turn,
                      parts: [...request.system.map(({ text }): Part => ({ type: 'text', text })), ...turn.parts],
                    },
              ),
            },
    },
    id: 'TRN-SYSTEM',
    summary: /^request \/system\/0 is lost \(one, plain\)/,
  },
  'loses zeros of parameters': {
    fault: {
      request: request => ({
        ...request,
        params: Object.fromEntries(Object.entries(request.params).filter(([, value]) => value !== 0)),
      }),
    },
    id: 'TRN-PARAMS',
    summary: /^request \/params\/temperature is lost \(zeros, plain\)/,
  },
  'raises small limits': {
    fault: {
      request: ({ params, ...rest }) => ({
        ...rest,
        params: { ...params, max_tokens: Math.max(params.max_tokens ?? 0, 256) },
      }),
    },
    id: 'TRN-PARAMS',
    summary: /^request \/params\/max_tokens is changed \(zeros, plain\)/,
  },
  'loses the second image': {
    fault: {
      request: request => ofParts(request, (part, index) => (part.type === 'image' && index > 1 ? null : part)),
    },
    id: 'TRN-MEDIA',
    summary: /^request \/turns\/0\/parts\/3 is lost \(two-images, plain\)/,
  },
  'calls every document plain text': {
    fault: {
      request: request =>
        ofParts(request, part => (part.type === 'file' ? { ...part, mediaType: 'text/plain' } : part)),
    },
    id: 'TRN-MEDIA',
    summary: /^request \/turns\/0\/parts\/0\/mediaType is changed \(document, plain\)/,
  },
  'loses bounds of schemas of tools': {
    fault: {
      request: request => ofTools(request, tool => ({ ...tool, schema: withoutKeyword(tool.schema, 'minimum') })),
    },
    id: 'TRN-TOOLS',
    summary: /^request \/tools\/0\/schema\/properties\/days\/minimum is lost \(three-tools, plain\)/,
  },
  'lets the model choose': {
    fault: { request: request => ({ ...request, choice: request.choice === null ? null : { type: 'auto' } }) },
    id: 'TRN-TOOLS',
    summary: /^request \/choice is changed \(choice-required, plain\)/,
  },
  'drops tools of vendors': {
    fault: { request: request => ({ ...request, tools: request.tools.filter(({ vendor }) => vendor === undefined) }) },
    id: 'TRN-TOOLS',
    summary: /^request \/tools\/3 is unavoidable \(vendor-tool, plain\)/,
    verdict: 'warn',
    pair: ['responses', 'chat'],
  },
  'gives results to calls in their order': {
    fault: {
      request: request => {
        const ids = request.turns.flatMap(({ parts }) => parts.flatMap(part => (part.type === 'call' ? [part.id] : [])))
        let next = 0
        return ofResults(request, part => ({ ...part, id: ids[next++] ?? part.id }))
      },
    },
    id: 'TRN-RESULTS',
    summary: /^request \/turns\/2\/parts\/\d\/parts is changed \(reversed, plain\)/,
  },
  'hides that a tool failed': {
    fault: { request: request => ofResults(request, part => ({ ...part, error: false })) },
    id: 'TRN-RESULTS',
    summary: /^request \/turns\/2\/parts\/0\/error is lost \(error, plain\)/,
  },
  'loses signatures of thinking': {
    fault: {
      remembered: parts => parts.filter(({ type }) => type !== 'thinking'),
    },
    id: 'TRN-THINK',
    summary: /^request \/signatures\/0 is lost \(thinking-and-two-calls, plain\)/,
  },
  'puts all thinking in front of the calls': {
    fault: {
      remembered: parts => [
        ...parts.filter(({ type }) => type !== 'call'),
        ...parts.filter(({ type }) => type === 'call'),
      ],
    },
    id: 'TRN-THINK',
    summary: /^request \/signatures\/1 is changed \(thinking-between-calls, plain\)/,
  },
  'loses marks of results': {
    fault: { request: request => ofResults(request, part => ({ ...part, mark: undefined })) },
    id: 'TRN-CACHE',
    summary: /^request \/marks\/3 is lost \(an-hour-and-five-minutes, plain\)/,
  },
  'shortens the lifetime of marks': {
    fault: {
      request: request => ({
        ...ofTools(request, tool => (tool.mark === undefined ? tool : { ...tool, mark: '5m' })),
        system: request.system.map(text => (text.mark === undefined ? text : { ...text, mark: '5m' })),
      }),
    },
    id: 'TRN-CACHE',
    summary: /^request \/marks\/0\/lifetime is changed \(an-hour-and-five-minutes, plain\)/,
  },
  'loses the schema of replies': {
    fault: { request: request => ({ ...request, format: null }) },
    id: 'TRN-SCHEMA',
    summary: /^request \/format is lost \(schema, plain\)/,
  },
  'loses descriptions of the schema of replies': {
    fault: {
      request: request => ({
        ...request,
        format:
          request.format === null
            ? null
            : { ...request.format, schema: withoutKeyword(request.format.schema, 'description') },
      }),
    },
    id: 'TRN-SCHEMA',
    summary: /^request \/format\/schema\/description is lost \(schema, plain\)/,
  },
  'sends the first 50 tools': {
    fault: { request: request => ({ ...request, tools: request.tools.slice(0, 50) }) },
    id: 'TRN-LONG',
    summary: /^request \/tools\/50 is lost \(many-tools, plain\), and 27 more/,
  },
  'cuts texts of results': {
    fault: {
      request: request =>
        ofResults(request, result => ({
          ...result,
          parts: result.parts.map(part =>
            part.type === 'text' ? { ...part, text: part.text.slice(0, 65_536) } : part,
          ),
        })),
    },
    id: 'TRN-LONG',
    summary: /^request \/turns\/2\/parts\/0\/parts is changed \(long-result, plain\)/,
  },
}

export const FAULTS_OF_REPLIES: Readonly<Record<string, WrongGateway>> = {
  'normalizes characters of replies': {
    fault: {
      reply: reply =>
        ofReplyParts(reply, part => (part.type === 'text' ? { ...part, text: part.text.normalize('NFC') } : part)),
    },
    id: 'TRN-TEXT',
    summary: /^reply \/parts\/0\/text is changed \(characters, plain\)/,
  },
  'loses the second call': {
    fault: {
      reply: reply => {
        const first = reply.parts.find(({ type }) => type === 'call')
        return ofReplyParts(reply, part => (part.type === 'call' && part !== first ? null : part))
      },
    },
    id: 'TRN-CALLS',
    summary: /^reply \/parts\/2 is lost \(text-and-two-calls, plain\)/,
  },
  'gives all calls of streams one id': {
    fault: {
      reply: (reply, isStream) =>
        ofReplyParts(reply, part => (isStream && part.type === 'call' ? { ...part, id: 'call_0' } : part)),
    },
    id: 'TRN-CALLS',
    summary: /^reply \/parts\/\d/,
  },
  'ends all replies as complete': {
    fault: { reply: reply => ({ ...reply, finish: 'stop', stop_sequence: null }) },
    id: 'TRN-FINISH',
    summary: /^reply \/finish is changed \(length, plain\)/,
  },
  'calls a refusal complete': {
    fault: { reply: reply => ({ ...reply, finish: reply.finish === 'refusal' ? 'stop' : reply.finish }) },
    id: 'TRN-FINISH',
    summary: /^reply \/finish is changed \((?:filter|refusal), plain\)/,
  },
  'loses cached tokens': {
    fault: { reply: reply => withUsage(reply, { cached: 0 }) },
    id: 'TRN-USAGE',
    summary: /^reply \/usage\/cached is changed \(all-figures, plain\)/,
  },
  'counts what is cached for an hour as five minutes': {
    fault: { reply: reply => withUsage(reply, { write_1h: 0 }) },
    id: 'TRN-USAGE',
    summary: /^reply \/usage\/write_1h is changed \(all-figures, plain\)/,
  },
  'loses text in front of a filter': {
    fault: { reply: reply => (reply.finish === 'filter' ? { ...reply, parts: [] } : reply) },
    id: 'TRN-FINISH',
    summary: /^reply \/parts\/0 is lost \(filter, plain\)/,
    pair: ['chat', 'chat'],
  },
  'ends streams without their end': {
    fault: { events: events => events.filter(event => !event.toString().includes('message_stop')) },
    id: 'TRN-EVENTS',
    summary: /^reply \/events is changed \(text-and-two-calls, stream\)/,
  },
  'says the role in each event': {
    fault: {
      events: events =>
        events.map(event => event.toString().replace('"delta":{"content"', '"delta":{"role":"assistant","content"')),
    },
    id: 'TRN-EVENTS',
    summary: /^reply \/events is changed \(text-and-two-calls, stream\)/,
    pair: ['chat', 'chat'],
  },
  'estimates counts of tokens': {
    fault: { count: () => 42 },
    id: 'TRN-COUNT',
    summary: /^reply \/count is changed \(first, plain\)/,
  },
  'rounds counts of tokens up': {
    fault: { count: tokens => Math.ceil(tokens / 10) * 10 },
    id: 'TRN-COUNT',
    summary: /^reply \/count is changed \(first, plain\)/,
  },
  'loses usage of streams': {
    fault: { reply: (reply, isStream) => (isStream ? { ...reply, usage: null } : reply) },
    id: 'TRN-USAGE',
    summary: /\(all-figures, stream\)/,
    pair: ['chat', 'chat'],
  },
}

/** Lines of events without the others. */
const withoutLines = (isLeftOut: RegExp) => (chunks: readonly Buffer[]) =>
  Buffer.from(
    Buffer.concat(chunks)
      .toString()
      .split(/(?<=\n)/)
      .filter(line => !isLeftOut.test(line))
      .join(''),
  )

const withBody = (change: (body: Record<string, unknown>) => object) => (native: WireRequest) => ({
  ...native,
  body: Buffer.from(JSON.stringify(change(JSON.parse(native.body.toString()) as Record<string, unknown>))),
})

/** What goes wrong around the conversation: odd streams, errors, clients that disconnect, embeddings. */
export const FAULTS_OF_EXCHANGES: Readonly<Record<string, WrongGateway>> = {
  'decodes each piece of a stream alone': {
    fault: { joinStream: chunks => Buffer.from(chunks.map(chunk => chunk.toString()).join('')) },
    id: 'TRN-SHAPES',
    summary: /^reply \/parts\/0\/text is changed \(split-utf8, stream\)/,
  },
  'reads only lines with a blank behind the colon': {
    fault: { joinStream: withoutLines(/^data:[^ ]/) },
    id: 'TRN-SHAPES',
    summary: /^reply .* \(nospace, stream\)/,
  },
  'looks for usage only in chunks without choices': {
    fault: {
      joinStream: chunks =>
        Buffer.from(
          Buffer.concat(chunks)
            .toString()
            .replaceAll(/("choices":\[\{.*),"usage":\{.*\}\}$/gm, '$1}'),
        ),
    },
    id: 'TRN-SHAPES',
    summary: /^reply \/usage is (?:lost|changed) \(usage-\w+, stream\)/,
    pair: ['chat', 'chat'],
  },
  'takes calls without an index for the first one': {
    fault: {
      joinStream: chunks => {
        const text = Buffer.concat(chunks).toString()
        // With one index and one id, the second call is a part of the first one.
        const isBare = /"tool_calls":\[\{(?!"index")/.test(text)
        const joined = text.replaceAll(/"tool_calls":\[\{(?!"index")/g, '"tool_calls":[{"index":0,')
        return Buffer.from(isBare ? joined.replaceAll(/"id":"call_[^"]*",/g, '') : text)
      },
    },
    id: 'TRN-SHAPES',
    summary: /^reply \/parts\/\d.* \(tools-no-index, stream\)/,
    verdict: 'warn',
    pair: ['chat', 'chat'],
  },
  'turns limits into errors of the server': {
    fault: { error: error => (error.status === 429 ? { ...error, status: 500, retryAfter: null } : error) },
    id: 'TRN-ERROR',
    summary: /^rate limit \(plain\): 429 comes back as 500, and 1 more$/,
  },
  'loses Retry-After': {
    fault: { error: error => ({ ...error, retryAfter: null }) },
    id: 'TRN-ERROR',
    summary: /^rate limit \(plain\): Retry-After is missing, and 1 more$/,
  },
  'hides that a prompt was too long': {
    fault: { error: error => ({ ...error, message: 'The request failed.', code: null, isContextLength: false }) },
    id: 'TRN-ERROR',
    summary: /^context length \(plain\): clients cannot tell that the prompt was too long, and 1 more$/,
  },
  'begins a stream before it knows of the error': {
    fault: { streamErrorStatus: 200 },
    id: 'TRN-ERROR',
    summary: /^bad request \(stream\): 400 comes back as 200 with an error event, and \d+ more$/,
    verdict: 'warn',
  },
  'ends broken streams as complete': {
    fault: { onBreak: 'complete' },
    id: 'TRN-BREAK',
    summary: /^error event: the stream ends like a complete reply/,
  },
  'begins broken streams again': {
    fault: { onBreak: 'again' },
    id: 'TRN-BREAK',
    summary: /^error event: the reply begins a second time/,
    pair: ['chat', 'chat'],
  },
  'ends broken streams in order': {
    fault: { onBreak: 'end' },
    id: 'TRN-BREAK',
    summary: /^error event: the stream ends in order, without an error that clients see/,
    verdict: 'warn',
  },
  'reads the streams of clients that have disconnected': {
    fault: { ignoresLeaving: 'stream' },
    id: 'TRN-CANCEL',
    summary: /^left stream: the request to the upstream does not end within 5000 ms$/,
    verdict: 'warn',
  },
  'waits for replies to clients that have disconnected': {
    fault: { ignoresLeaving: 'plain' },
    id: 'TRN-CANCEL',
    summary: /^left request: the request to the upstream does not end within 5000 ms$/,
    verdict: 'warn',
  },
  'reverses vectors': {
    fault: { embedding: reply => ({ ...reply, vectors: reply.vectors.toReversed() }) },
    id: 'TRN-EMBED',
    summary: /^reply \/vectors\/0 is changed \(three-inputs, plain\), and 3 more$/,
    pair: ['chat', 'chat'],
  },
  'loses the number of dimensions': {
    fault: { embeddingRequest: request => ({ ...request, dimensions: null }) },
    id: 'TRN-EMBED',
    summary: /^request \/dimensions is lost \(three-inputs, plain\)/,
    pair: ['chat', 'gemini'],
  },
  'adds a member that the vendor does not know': {
    fault: { native: withBody(body => ({ ...body, trace: true })) },
    id: 'TRN-VALID',
    summary: /^text five turns: anthropic\.[a-z-]+ at trace: /,
  },
  'sends no version of the API': {
    fault: {
      native: native => ({ ...native, fields: native.fields.filter(([name]) => name !== 'anthropic-version') }),
    },
    id: 'TRN-VALID',
    summary: /^text five turns: anthropic\.[a-z-]+/,
  },
}

export interface RightGateway {
  fault: GatewayFault
  /** Default: `messages` and `messages`. */
  pair?: readonly [client: string, upstream: string]
  /** Default: all checks. */
  ids?: readonly string[]
}

/** Gateways that do it in another way, which is right too. */
export const RIGHT_GATEWAYS: Readonly<Record<string, RightGateway>> = {
  'ends broken streams with an error event': { fault: { onBreak: 'event' } },
  'gets streams of Gemini as one list': {
    fault: { native: native => ({ ...native, path: native.path.replace('?alt=sse', '') }) },
    pair: ['chat', 'gemini'],
    ids: ['TRN-TEXT', 'TRN-CALLS', 'TRN-FINISH', 'TRN-USAGE', 'TRN-EVENTS'],
  },
  'takes a model out of service for a while when it is not found': {
    fault: { outOfServiceMs: 1_500 },
    ids: ['TRN-ERROR'],
  },
}
