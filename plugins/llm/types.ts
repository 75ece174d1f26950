/** The public types of the mock LLM: all that another plugin may import (as types) to bring a provider of its own. */
import type { FastifyInstance } from 'svc/plugin'
import type { Engine } from './engine/engine.ts'
import type { ErrorKind, LlmProvider, LlmRoute, Parsed } from './provider.ts'
import type { Rule } from './engine/rules.ts'

export type { Engine } from './engine/engine.ts'
export type { Rule, RuleReply } from './engine/rules.ts'
export type * from './neutral.ts'
export type * from './provider.ts'

/** The extension point `llm.providers`. */
export interface Providers {
  /** Serves a provider's routes on the plugin's own Fastify instance. Throws for an id or base path that is taken. */
  register(app: FastifyInstance, provider: LlmProvider): void
  /** Text, tokens, vectors: what formats share. */
  readonly engine: Engine
  /** Adds a scripted rule for all providers, after those of svc.yaml and before the built-in ones. */
  addRule(rule: Rule): void
  /** Adds a word for `X-Svc-Fail`: it looks like `like`, with this status and text. */
  addFault(fault: AddedFault): void
  /** What is served, in the order of `GET /ai`; complete once every plugin has registered. */
  list(): ServedProvider[]
  /** Whether providers without a key of their own take one credential only (`SVC_AI_API_KEY`). */
  readonly hasCommonKey: boolean
}

/** A provider as others may know it: a format under its own name, or one of svc.yaml. */
export interface ServedProvider {
  id: string
  title: string
  /** Id of the wire format. */
  format: string
  /** Path of its routes, such as `/ai/openai`. */
  basePath: string
  /** What a vendor's SDK takes as base URL, without the origin. */
  sdkPath: string
  /** Ids of the listed models, the usual one first. */
  models: string[]
  /** Only its own key of svc.yaml is taken. */
  hasOwnKey: boolean
}

export interface AddedFault {
  kind: string
  aliases?: string[]
  like: ErrorKind
  status: number
  message: string
}

/** Keeps the types of one route's parsed request together: `route<ChatParsed<Mine>>({ ... })` as type, no code. */
export type RouteOf<P extends Parsed> = LlmRoute<P>

declare module 'svc/plugin' {
  interface ExtensionPoints {
    'llm.providers': Providers
  }
}
