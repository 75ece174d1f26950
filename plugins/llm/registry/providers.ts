/** What `llm` offers to plugins that add a provider: the extension point `llm.providers`. */
import type { FastifyInstance } from 'svc/plugin'
import type { AddedFault, ErrorFacts, ErrorKind, ErrorResponse, LlmProvider } from '../contract/provider.ts'
import type { ProviderRoute } from '../contract/route.ts'
import type { Rule } from '../engine/rules.ts'
import type { Batches } from '../state/batches.ts'
import type { Documents } from '../state/documents.ts'
import type { Signed } from '../state/signed.ts'
import type { LoggedCall } from '../usage/call.ts'
import type { UsageEntry } from '../usage/entry.ts'
import type { ProviderLoad } from '../capacity/slots.ts'
import type { Engine } from './engine.ts'

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
  addRoutes(app: FastifyInstance, format: string, routes: readonly ProviderRoute[]): void
  /** Functions for text, tokens and vectors that all formats share. */
  readonly engine: Engine
  /** Adds a scripted rule for all providers, after those of svc.yaml and before the built-in ones. */
  addRule(rule: Rule): void
  /**
   * Adds a fault kind for `X-Svc-Fail`. Its error has the format of the kind `like`, with the given status and message.
   */
  addFault(fault: AddedFault): void
  /**
   * Adds to what the reset `llm_state` clears, such as a record store (`createRecords`): the data of the session with this
   * key, or all. `clear` returns the number of removed entries.
   */
  addState(clear: (session: string | null) => Promise<number>): void
  /** Files and other documents of all providers. */
  readonly documents: Documents
  readonly batches: Batches
  /** Self-contained ids and tokens for one purpose, such as `acme sessions`. */
  signed(purpose: string): Signed
  /** Enters in the ledger what a provider has done outside of a request. Throws for wrong figures. */
  usage(entry: UsageEntry): void
  /**
   * What was counted for requests with these ids, the newest call first: of a session, or of all (null; none in public mode).
   */
  calls(requestIds: ReadonlySet<string>, session: string | null, limit: number): Promise<LoggedCall[]>
  /** All served providers, in the order of `GET /ai`; complete after all plugins have registered. */
  list(): ServedProvider[]
  /** The load of the providers that have a capacity, and how much runs at once, in the order of `list`. Call it when all plugins have registered. */
  loads(): { id: string; load: ProviderLoad; slots: number }[]
  /** An error of a wire format that is sent by somebody else, such as a gateway; null if the format is unknown. */
  errorOf(format: string, kind: ErrorKind, facts: ErrorFacts): ErrorResponse | null
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
  /** Its routes, below the base path. */
  routes: { method: string; path: string }[]
  /** Accepts only its own key from svc.yaml. */
  hasOwnKey: boolean
}
