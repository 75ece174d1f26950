/** Selects the format of a result: one of the two JSON media types, an event stream, or parts. */
import type { ExecutionResult } from 'graphql'
import type { GraphQLParams, Plugin, getSSEProcessor, processRegularResult } from 'graphql-yoga'
import type { ResponseType } from '../response-type.ts'
import { subscriptionNotSupported } from '../errors.ts'
import { multipartIncremental, type IncrementalResult } from '../wire/multipart/incremental.ts'
import type { StreamedAnswer } from '../wire/multipart/parts.ts'
import { multipartSubscription, refusedSubscription } from '../wire/multipart/subscription.ts'
import type { SelectedOperation } from './operation-selection.ts'

export interface FormatContext extends SelectedOperation {
  responseType: ResponseType
  /** Several operations, whose results are one list. */
  isBatch?: boolean
  /** Gets an answer that the route streams in place of the response. Yoga copies the context, but not this. */
  streaming: { answer?: StreamedAnswer; callback?: StartedCallback }
}

/** A subscription whose events the route sends to a URL of the client. */
export interface StartedCallback {
  results: AsyncIterable<ExecutionResult>
  /** `extensions.subscription`. */
  settings: unknown
}

/** Yoga's result processors. */
export interface ResultProcessors {
  json: typeof processRegularResult
  eventStream: ReturnType<typeof getSSEProcessor>
}

/** Yoga ignores quality values in `Accept`, responds with 406, and sends even rejected requests as event streams. */
export function useResponseFormat(
  { json, eventStream }: ResultProcessors,
  path: string,
): Plugin<FormatContext, FormatContext> {
  return {
    onSubscribe({ args: { contextValue }, setResultAndStopExecution }) {
      // A WebSocket has no response format to select.
      const { responseType, isBatch } = contextValue as Partial<FormatContext>
      if (responseType === undefined) return
      const isTaken =
        responseType.eventStream !== 'never' || responseType.takesSubscriptionParts || responseType.takesCallback
      if (!isTaken || isBatch === true) setResultAndStopExecution({ errors: [subscriptionNotSupported(path)] })
    },
    onResultProcess({ result, serverContext, setResultProcessor }) {
      const callback = startedCallback(result, serverContext)
      const streamed = callback === null ? streamedAnswer(result, serverContext) : null
      if (callback !== null) {
        serverContext.streaming.callback = callback
        setResultProcessor((_result, fetchAPI) => new fetchAPI.Response(null), 'application/json')
      } else if (streamed !== null) {
        serverContext.streaming.answer = streamed
        setResultProcessor((_result, fetchAPI) => new fetchAPI.Response(null), 'multipart/mixed')
      } else if (isEventStream(serverContext)) setResultProcessor(eventStream, 'text/event-stream')
      else setResultProcessor(json, serverContext.responseType.mediaType)
    },
  }
}

/** The subscription of a client that takes callbacks; null for other operations, and for one that could not start. */
function startedCallback(result: unknown, context: FormatContext): StartedCallback | null {
  const { responseType, operationType, isBatch } = context
  if (!responseType.takesCallback || operationType !== 'subscription' || isBatch === true) return null
  if (typeof result !== 'object' || result === null || !(Symbol.asyncIterator in result)) return null
  const { params } = context as unknown as { params: GraphQLParams }
  return { results: result as AsyncIterable<ExecutionResult>, settings: params.extensions?.subscription }
}

/** The answer in parts; null for other formats. */
function streamedAnswer(result: unknown, context: FormatContext): StreamedAnswer | null {
  const { responseType, operationType, isBatch } = context
  if (operationType === undefined || isBatch === true) return null
  const isStream = typeof result === 'object' && result !== null && Symbol.asyncIterator in result
  if (operationType === 'subscription') {
    if (!responseType.takesSubscriptionParts || responseType.eventStream !== 'never') return null
    return isStream
      ? multipartSubscription(result as AsyncIterable<ExecutionResult>)
      : refusedSubscription(result as ExecutionResult)
  }
  if (!isStream || responseType.incremental === null) return null
  const { params } = context as unknown as { params: GraphQLParams }
  return multipartIncremental(result as AsyncIterable<IncrementalResult>, responseType.incremental, {
    document: context.document!,
    operationName: params.operationName ?? null,
    variables: params.variables ?? {},
  })
}

/** The response to a rejected request, which has no operation, is JSON. */
function isEventStream({ responseType, operationType, isBatch }: FormatContext): boolean {
  if (operationType === undefined || isBatch === true) return false
  return (
    responseType.eventStream === 'always' ||
    (responseType.eventStream === 'for subscriptions' && operationType === 'subscription')
  )
}
