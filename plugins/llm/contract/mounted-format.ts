/** The routes of another provider's wire format, mounted below a prefix of a provider. */
import type { Refusal } from './limit-state.ts'
import type { Finish } from './neutral.ts'
import type { CredentialRule, ErrorFacts, ErrorKind, ErrorResponse } from './provider.ts'
import type { ProviderRoute } from './route.ts'
import type { StreamEvent } from './stream.ts'

/**
 * Routes in the format of another provider, as vendors offer them to clients of that format: the models, the messages and
 * statuses of errors, the limits and the records are those of the provider under whose base path they are. The
 * provider's own `check` does not apply to them.
 */
export interface MountedFormat {
  /** Name of the format, for descriptions: `OpenAI`. */
  format: string
  /** Below the base path, in front of the paths of the routes: `/openai/v1`. May have parameters (`/projects/{project}`). */
  prefix: string
  /** Their paths follow the prefix. */
  routes: readonly ProviderRoute[]
  /** With what the paths of the routes' examples begin, in front of the routes' paths: `/ai/openai/v1`. */
  exampleBase: string
  /** Models that replace those of the examples: `{ 'svc-gpt': 'llama3.2' }`. */
  exampleModels?: Readonly<Record<string, string>>
  /** The model of requests that name none; null: they are invalid. Default: the one of the format. */
  defaultModel?: string | null
  /** The id of a model that clients spell in another way (`models/gemini-2.5-pro`). */
  modelId?(id: string): string
  /** Where clients of the format send a credential, in addition to the places of the provider. */
  credentials?: readonly CredentialRule[]
  /** Formats an error. Default: as the provider does. */
  error?(kind: ErrorKind, facts: ErrorFacts): ErrorResponse
  /** The refusal of a rate limit. Default: `error` with the kind `rate_limit`; without `error`, as the provider does. */
  limited?(refusal: Refusal & { model: string }, facts: ErrorFacts): ErrorResponse
  /** The event that reports an error in a running stream. Default: the body of the error as data. */
  streamError?(facts: ErrorFacts): StreamEvent
  /** Default: those of each route, or of the provider. */
  finishReasons?: Record<Finish, string>
}
