/** Chooses how a result is written: as JSON of one of the two media types, or as an event stream. */
import type { Plugin, getSSEProcessor, processRegularResult } from 'graphql-yoga'
import type { AnswerType } from '../answer-type.ts'
import { subscriptionNotSupported } from '../errors.ts'
import type { ChosenOperation } from './operation-choice.ts'

interface AnswerContext extends ChosenOperation {
  answerType: AnswerType
}
/** Yoga's writers. */
export interface ResultProcessors {
  json: typeof processRegularResult
  eventStream: ReturnType<typeof getSSEProcessor>
}

/** Yoga itself knows no qualities of `Accept`, answers 406, and writes a refused request as an event stream, too. */
export function useAnswerForm({ json, eventStream }: ResultProcessors): Plugin<AnswerContext, AnswerContext> {
  return {
    onSubscribe({ args: { contextValue }, setResultAndStopExecution }) {
      // Over a WebSocket there is no answer to choose a form for.
      const { answerType } = contextValue as Partial<AnswerContext>
      if (answerType?.eventStream === 'never') setResultAndStopExecution({ errors: [subscriptionNotSupported()] })
    },
    onResultProcess({ serverContext, setResultProcessor }) {
      if (isStreamed(serverContext)) setResultProcessor(eventStream, 'text/event-stream')
      else setResultProcessor(json, serverContext.answerType.mediaType)
    },
  }
}

/** A request that is refused as such never became an operation: its answer is JSON. */
function isStreamed({ answerType, operationType }: AnswerContext): boolean {
  if (operationType === undefined) return false
  return (
    answerType.eventStream === 'always' ||
    (answerType.eventStream === 'for subscriptions' && operationType === 'subscription')
  )
}
