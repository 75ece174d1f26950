/** The extension points of the core for tests: what rules understand and do, and what a reset removes. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SessionKey } from './http.ts'
import type { Json, JsonObject } from './json.ts'
import type { AbortKind } from './observation.ts'
import type { LookUp } from '../toolkit/references.ts'
import type { ErrorForm } from './routes.ts'

/** A request as conditions see it, while it is processed or as it was captured. */
export interface MatchableRequest {
  readonly method: string
  /** Decoded path without the query. */
  readonly path: string
  /** Path and query as received. */
  readonly url: string
  /** What plugins noticed about a captured request (`svc.inspector.annotate`). Of a request in progress: none. */
  readonly tags: readonly string[]
  /** Value of a header by its lower-case name; several lines are joined. */
  header(name: string): string | undefined
  /** All headers by lower-case name; several lines are joined. */
  headers(): Record<string, string>
  /** The body as text; null if it is not UTF-8. */
  text(): string | null
  /** The body as JSON; undefined if it is not JSON. */
  json(): Json | undefined
}

/**
 * A protocol whose requests can be matched by a key of their own below `match`. Registered with
 * `svc.use('testing.protocols').register(…)`. Several plugins may register the same protocol: a request belongs to it if
 * one of them reads it.
 */
export interface MatchProtocol {
  /** The key below `match`: lower-case letters. */
  name: string
  /** The conditions by name. */
  fields: Readonly<Record<string, MatchField>>
  /**
   * Path prefixes of the requests, such as `/orders`: other requests are neither read nor delayed by rules with conditions
   * of this protocol. Called whenever a rule is read. Default: requests can have any path.
   */
  paths?(): readonly string[]
  /**
   * The protocol is of requests within others (`svc.http.applyRulesToMessage`): rules with conditions of it act on these only,
   * and other rules do not act on them. The facts come from the caller; `read` is not called for them.
   */
  messages?: MessageSteps
  /** The request is read without its body. Default: the body is read before. */
  headOnly?: boolean
  /**
   * Reads a request; null if it is not one of this protocol. A batch has several items: one of them must meet all
   * conditions. The value of a field is what conditions test; a list holds several values, of which one must meet the
   * condition; undefined: absent. Must not throw or reject.
   */
  read(request: MatchableRequest): ReadFacts | Promise<ReadFacts>
  /**
   * The format of the failures that rules inject on the plugin's routes. Null: the format of the route. Default: the
   * same.
   */
  failure?(
    failure: Parameters<ErrorForm>[0] & { message: string },
    request: MatchableRequest,
  ): ReturnType<ErrorForm> | null
  /**
   * Checks the `reply` step of a rule: a reply in the terms of the protocol, which its routes send (`svc.http.takeRule`).
   * Throws an `InputProblem` for a mistake. Only one protocol can have it.
   */
  readReply?(reply: Json, at: string): void
  /** Words that a rule can use as `fail` instead of a status, with their status. Called whenever a rule is read. */
  failures?(): Readonly<Record<string, number>>
}

/** What rules with conditions of a protocol of messages can do; other steps are an error when such a rule is stored. */
export interface MessageSteps {
  /** Keys of the steps that answer. */
  steps: readonly string[]
  /** Kinds of `abort`. */
  aborts: readonly AbortKind[]
}

/** The items of a request; null if it is not one of the protocol. */
export type ReadFacts = readonly MatchFacts[] | null

export type MatchFacts = Readonly<Record<string, Json | undefined>>

/** A condition of a protocol. */
export interface MatchField {
  /** For the reference and the schema of `svc.yaml`. */
  description: string
  /**
   * What is written under the key. `test`: a value test. `wildcard`: a value test, where a plain text may end in `*`.
   * `presence`: a value test, where true and false test whether there is a value. `members`: an object of JSON pointers and value
   * tests, which must all hold. A list: one of these values.
   */
  kind?: 'test' | 'wildcard' | 'presence' | 'boolean' | 'members' | readonly string[]
  /**
   * The values that the fact can have: any other plain text is an error. Only with `test`. Called whenever a condition
   * is read. Default: any text.
   */
  words?(): readonly string[]
}

/** `testing.protocols`. */
export interface MatchProtocols {
  register(protocol: MatchProtocol): void
}

/**
 * A step of rules, such as `forward`. Registered with `svc.use('testing.steps').register(…)`. While the plugin is disabled, the
 * key is unknown.
 */
export interface RuleStepKind {
  /** The key of the step: lower-case letters and underscores. */
  name: string
  /** For the reference and the schema of `svc.yaml`. */
  description?: string
  /**
   * Checks what is written under the key when a rule is stored, and returns what `act` or the route gets as `value`. Throws an
   * `InputProblem` for a mistake. `checkReferences` checks templates. `match` are the conditions of the rule as they are written;
   * they are not checked yet.
   */
  read(value: Json, at: string, match: Json | undefined): unknown
  /** The step answers the request: it excludes the other steps that do. Default: it comes along with them. */
  answers?: boolean
  /** The protocol of messages without whose conditions a rule can't have the step. Default: any rule can. */
  protocol?: string
  /** Steps that it cannot come along with, such as `fail`. Default: none. */
  excludes?: readonly string[]
  /**
   * Answers the request in place of the route, which need not exist; `request.body` is the body as received. Only with
   * `answers`. Without it, the step acts on requests whose route or service asks for it (`steps` of its description, or of
   * `ProtocolFacts`).
   */
  act?(request: FastifyRequest, reply: FastifyReply, step: ActingStep): unknown
}

/** A step of a plugin that acts on a request. */
export interface ActingStep {
  /** Name of the rule. */
  rule: string
  /** What `read` returned. */
  value: unknown
  /** Number of the hit, from 0. */
  hit: number
  /** The values of references in texts, such as `request.header.x-tenant`. */
  lookUp: LookUp
  /** A share from 0 to below 1, to draw from distributions: the same for the same seed of the rule, hit and name. */
  draw(name: string): number
}

/** A step for the route or service that asked for the rule. */
export interface RuleStep extends ActingStep {
  /** The key. */
  name: string
}

/** `testing.steps`. */
export interface RuleSteps {
  register(kind: RuleStepKind): void
}

/**
 * What a reset removes, by name: `POST /_svc/reset`. Registered with `svc.use('testing.resets').register(…)`.
 */
export interface ResetKind {
  /** Such as `orders`: lower-case letters and underscores. */
  name: string
  /** It belongs to the whole instance: a reset of a session does not call it. Default: it belongs to sessions. */
  scope?: 'session' | 'instance'
  /**
   * Removes what is kept for a session, or for all (null), and returns the number of removed items. Once it resolves, the
   * next request must find nothing of it.
   */
  reset(session: SessionKey | null): Promise<number> | number
}

/** `testing.resets`. */
export interface Resets {
  register(kind: ResetKind): void
}

/**
 * Records of a plugin that `POST /_svc/verify` counts in place of requests. Registered with
 * `svc.use('testing.verifications').register(…)`.
 */
export interface VerifiedRecords {
  /** The key in the body, in place of `match`: lower-case letters, digits and underscores. */
  name: string
  /** The member of the answer that has the ids. Default: `records`. */
  idsAs?: string
  /** Reads what is under the key. Throws an `InputProblem`. */
  read(value: Json, at: string): RecordQuery
}

/** Which records count. */
export interface RecordQuery {
  /** For messages, after a number: `spans with name GET`. */
  text: string
  /**
   * The ids of the records that match, oldest first: of a session, or of all (undefined); only those that came after `since`,
   * the id of a record or a time (RFC 3339).
   */
  find(session: string | undefined, since: string | null): Promise<string[]>
  /** Calls `listener` when a record that matches comes. Returns a function that stops. Throws an `HttpError` if too many wait. */
  onRecord(session: string | undefined, listener: () => void): () => void
  /** What a failed verification says besides the count: further members of the answer, and the end of its message. */
  explain?(found: { isTooMany: boolean }): { message: string; members: Readonly<Record<string, unknown>> }
}

/** `testing.verifications`. */
export interface Verifications {
  register(kind: VerifiedRecords): void
}

/** A rule of a file in another format. */
export interface TranslatedRule {
  rule: JsonObject
  /** Where it is in the file, for reports: `fixtures[3]`. */
  at: string
}

/** What a file in another format contains. */
export interface TranslatedFile {
  rules: readonly TranslatedRule[]
  /** What could not be translated; it is reported, and the rest is used. */
  problems: readonly { at: string; message: string }[]
}

export interface RuleFileOptions {
  /**
   * Files and folders, relative to `svc.yaml`. Of folders, and the folders in them, all `*.yaml`, `*.yml` and `*.json` are
   * read.
   */
  paths: readonly string[]
  /** Where `svc.yaml` names them, for reports: `orders.rules`. */
  at: string
  /**
   * The plugin itself writes the files: that they do not exist is not reported, and they are not watched. It calls
   * `refresh` of the result instead.
   */
  isOwn?: boolean
  /** Translates a file that has no list `rules`; null if it is in an unknown format. Must not throw. */
  translate?(document: JsonObject): TranslatedFile | null
}

/** The files that one call has added. */
export interface RuleFileSet {
  /** Reads the files again; the next request has their rules. Problems are logged. */
  refresh(): Promise<void>
}

/**
 * Rules in files: `testing.rules`. They are rules of the instance, and come after those of `svc.yaml`. The files are
 * watched. At most 2000 rules, 500 files and 16 MiB are read; what is wrong or too much is left out and reported.
 */
export interface RuleFiles {
  /** Adds the rules of files: each file is a mapping with a list `rules`. Call it while the plugin registers. */
  add(options: RuleFileOptions): Promise<RuleFileSet>
}
