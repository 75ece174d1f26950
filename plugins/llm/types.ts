/** The public types of the mock LLM, for plugins that add a provider. Import them as types only. */
import type { FastifyInstance, Store } from 'svc/plugin'
import type { Engine } from './engine/engine.ts'
import type { Batches } from './state/batches.ts'
import type { Documents } from './state/documents.ts'
import type { OwnedRecords, StoredRecord } from './state/owned-records.ts'
import type { UsageEntry } from './usage/entry.ts'
import type { Chain, StoredLink } from './state/chain.ts'
import type { Signed } from './state/signed.ts'
import type { ErrorKind, LlmProvider, LlmRoute, Parsed, StreamEnding } from './provider.ts'
import type { Rule } from './engine/rules.ts'

export type { Batch, Batches, BatchItem } from './state/batches.ts'
export type { ItemResult, ResultFormat, ResultLine } from './state/batch-results.ts'
export type { BatchPhase, BatchPlan, BatchState } from './state/batch-plan.ts'
export type { Chain, ChainResult, StoredLink } from './state/chain.ts'
export type { OwnedRecords, StoredRecord } from './state/owned-records.ts'
export type { UsageEntry } from './usage/entry.ts'
export type { Signed } from './state/signed.ts'
export type { Schedule, ScheduleOptions, Timeline, TimelineOptions } from './state/timeline.ts'
export type { DocumentFacts, Documents, NewDocument } from './state/documents.ts'
export type { StoredChoice } from './state/stored-choice.ts'
export type { OwnedKeys, Owner } from './state/owner.ts'
export type { SpeechHeaders } from './engine/speech-headers.ts'
export type { AudioFormat, SpeechChange, SpeechDetector } from './engine/audio.ts'
export type { Engine } from './engine/engine.ts'
export type { Pieces } from './engine/pieces.ts'
export type { Tokenizer } from './engine/tokenizer.ts'
export type { Rule, RuleReply } from './engine/rules.ts'
export type * from './neutral.ts'
export type * from './provider.ts'
export type { Dimension, LimitState, Refusal, Remaining } from './limits/bucket.ts'

/** The extension point `llm.providers`. */
export interface Providers {
  /**
   * Serves a provider's routes on the plugin's own Fastify instance. Throws if its id or base path is already in use.
   */
  register(app: FastifyInstance, provider: LlmProvider): void
  /**
   * Adds routes to a format that another plugin has registered: they are served for the format under its own name and
   * for named providers of this format. Throws if the format is unknown.
   */
  addRoutes(app: FastifyInstance, format: string, routes: readonly LlmRoute[]): void
  /** Functions for text, tokens and vectors that all formats share. */
  readonly engine: Engine
  /** Adds a scripted rule for all providers, after those of svc.yaml and before the built-in ones. */
  addRule(rule: Rule): void
  /**
   * Adds a fault kind for `X-Svc-Fail`. Its error has the format of the kind `like`, with the given status and message.
   */
  addFault(fault: AddedFault): void
  /**
   * Adds to what the reset `llm_state` clears: the data of the session with this key, or all. Returns the number of
   * removed entries.
   */
  addState(clear: (session: string | null) => Promise<number>): void
  /** Files and other documents of all providers. */
  readonly documents: Documents
  readonly batches: Batches
  /**
   * Ends streams of stored records early: in a store with `watched: true`, when the record of a key is removed or `isOver`
   * holds for it.
   */
  endings<T>(store: Store<T>, isOver: (value: T) => boolean): (key: string) => StreamEnding
  /** Records of a provider for its clients, in a store of the plugin. The reset `llm_state` clears them. */
  records<T>(store: Store<StoredRecord<T>>): OwnedRecords<T>
  /** Records that continue others, in a store of the plugin. The reset `llm_state` clears them. */
  chain<T>(store: Store<StoredLink<T>>): Chain<T>
  /** Self-contained ids and tokens for one purpose, such as `acme sessions`. */
  signed(purpose: string): Signed
  /** Enters in the ledger what a provider has done outside of a request. Throws for wrong figures. */
  usage(entry: UsageEntry): void
  /** All served providers, in the order of `GET /ai`; complete after all plugins have registered. */
  list(): ServedProvider[]
  /** Whether providers without their own key accept only the credential in `SVC_AI_API_KEY`. */
  readonly hasCommonKey: boolean
}

/** A served provider: a format under its own name, or a named provider of svc.yaml. */
export interface ServedProvider {
  id: string
  title: string
  /** Id of the wire format. */
  format: string
  /** Path of its routes, such as `/ai/openai`. */
  basePath: string
  /** Path of the base URL for the vendor's SDK. */
  sdkPath: string
  /** Ids of the listed models, the default first. */
  models: string[]
  /** Accepts only its own key from svc.yaml. */
  hasOwnKey: boolean
}

export interface AddedFault {
  kind: string
  aliases?: string[]
  like: ErrorKind
  status: number
  message: string
  /** Code and type of the error, in formats that have them. Default: those of the status. */
  code?: string
  type?: string
}

/** A route with the type of its parsed request. */
export type RouteOf<P extends Parsed> = LlmRoute<P>

declare module 'svc/plugin' {
  interface ExtensionPoints {
    'llm.providers': Providers
  }
}
