/** Replies of Converse. */
import { awsEventFrame } from '../../../../core/toolkit/aws-event-frame.ts'
import type { Part, Reply } from '../../../../plugins/probe/wires/types.ts'
import { piecesOf, wordOf, type ReplyWriter } from './writer.ts'

const FINISHES: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  stop_sequence: 'stop_sequence',
  length: 'max_tokens',
  calls: 'tool_use',
  filter: 'content_filtered',
  refusal: 'content_filtered',
}
const ERRORS: Readonly<Record<number, string>> = {
  400: 'ValidationException',
  401: 'UnrecognizedClientException',
  403: 'AccessDeniedException',
  404: 'ResourceNotFoundException',
  408: 'ModelTimeoutException',
  413: 'ValidationException',
  424: 'ModelErrorException',
  429: 'ThrottlingException',
  503: 'ServiceUnavailableException',
}

function usageOf({ usage }: Reply): object | undefined {
  if (usage === null) return undefined
  const { input, output, cached, write, write_1h: hour } = usage
  return {
    inputTokens: (input ?? 0) - (cached ?? 0) - (write ?? 0),
    outputTokens: output ?? 0,
    totalTokens: (input ?? 0) + (output ?? 0),
    cacheReadInputTokens: cached ?? 0,
    cacheWriteInputTokens: write ?? 0,
    ...(hour === null
      ? {}
      : {
          cacheDetails: [
            { ttl: '1h', inputTokens: hour },
            { ttl: '5m', inputTokens: (write ?? 0) - hour },
          ],
        }),
  }
}

function blockOf(part: Part): object | null {
  if (part.type === 'text' || part.type === 'refusal') return { text: part.text }
  if (part.type === 'call') return { toolUse: { toolUseId: part.id, name: part.name, input: part.args } }
  if (part.type === 'thinking')
    return {
      reasoningContent: {
        reasoningText: { text: part.text, ...(part.signature === null ? {} : { signature: part.signature }) },
      },
    }
  return part.type === 'redacted' ? { reasoningContent: { redactedContent: part.data } } : null
}

const frame = (type: string, payload: object): Buffer =>
  awsEventFrame(
    { ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' },
    JSON.stringify(payload),
  )

function deltasOf(part: Part): object[] {
  if (part.type === 'text' || part.type === 'refusal') return piecesOf(part.text).map(text => ({ text }))
  if (part.type === 'call') return [{ toolUse: { input: JSON.stringify(part.args) } }]
  if (part.type === 'redacted') return [{ reasoningContent: { redactedContent: part.data } }]
  if (part.type !== 'thinking') return []
  return [
    { reasoningContent: { text: part.text } },
    ...(part.signature === null ? [] : [{ reasoningContent: { signature: part.signature } }]),
  ]
}

export const CONVERSE: ReplyWriter = {
  streamType: 'application/vnd.amazon.eventstream',
  whole: reply => ({
    output: { message: { role: 'assistant', content: reply.parts.map(blockOf).filter(block => block !== null) } },
    stopReason: wordOf(FINISHES, reply),
    usage: usageOf(reply),
    metrics: { latencyMs: 1 },
  }),
  events: reply => [
    frame('messageStart', { role: 'assistant' }),
    ...reply.parts.flatMap((part, contentBlockIndex) => {
      const deltas = deltasOf(part)
      if (deltas.length === 0) return []
      const start =
        part.type === 'call'
          ? [
              frame('contentBlockStart', {
                contentBlockIndex,
                start: { toolUse: { toolUseId: part.id, name: part.name } },
              }),
            ]
          : []
      return [
        ...start,
        ...deltas.map(delta => frame('contentBlockDelta', { contentBlockIndex, delta })),
        frame('contentBlockStop', { contentBlockIndex }),
      ]
    }),
    frame('messageStop', { stopReason: wordOf(FINISHES, reply) }),
    frame('metadata', { usage: usageOf(reply) ?? {}, metrics: { latencyMs: 1 } }),
  ],
  error: ({ status, message }) => ({
    body: { message },
    fields: { 'x-amzn-errortype': ERRORS[status] ?? 'InternalServerException' },
  }),
  errorEvent: ({ message }) =>
    awsEventFrame(
      {
        ':exception-type': 'modelStreamErrorException',
        ':content-type': 'application/json',
        ':message-type': 'exception',
      },
      JSON.stringify({ message }),
    ),
  count: tokens => ({ inputTokens: tokens }),
}
