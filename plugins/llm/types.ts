/** The public types of the mock LLM, for plugins that add a provider. Import them as types only. */
import type { Parsed } from './contract/parsed.ts'
import type { MessageSteps } from './contract/message-steps.ts'
import type { LlmRoute } from './contract/route.ts'
import type { Providers } from './registry/providers.ts'

export type { Batch, Batches, BatchItem } from './state/batches.ts'
export type { ItemResult, ResultFormat, ResultLine } from './state/batch-results.ts'
export type { BatchPhase, BatchState } from './state/batch-plan.ts'
export type { LoggedCall } from './usage/call.ts'
export type { UsageEntry } from './usage/entry.ts'
export type { Signed } from './state/signed.ts'
export type { Schedule, ScheduleOptions, Timeline, TimelineOptions } from './state/timeline.ts'
export type { DocumentFacts, Documents, NewDocument } from './state/documents.ts'
export type { StoredChoice } from './state/stored-choice.ts'
export type { Owner } from './state/owner.ts'
export type { SpeechHeaders } from './engine/speech-headers.ts'
export type { AudioFormat, SpeechChange, SpeechDetector } from './engine/audio.ts'
export type { Engine } from './registry/engine.ts'
export type { CallFormat, CallPart } from './shapes/call-blocks.ts'
export type { Rule, RuleReply } from './engine/rules.ts'
export type * from './contract/message-steps.ts'
export type * from './contract/mounted-format.ts'
export type * from './contract/neutral.ts'
export type * from './contract/parsed.ts'
export type * from './contract/provider.ts'
export type * from './contract/route.ts'
export type * from './contract/socket.ts'
export type * from './contract/stream.ts'
export type * from './contract/validation.ts'
export type { ModelClassName } from './validation/model-classes.ts'
export type { ProviderLoad } from './capacity/slots.ts'
export type { Providers, ServedProvider } from './registry/providers.ts'
export type { Dimension, LimitState, Refusal, Remaining } from './contract/limit-state.ts'

/** A route with the type of its parsed request. */
export type RouteOf<P extends Parsed> = LlmRoute<P>

declare module 'svc/plugin' {
  interface ExtensionPoints {
    'llm.providers': Providers
    'llm.steps': MessageSteps
  }
}
