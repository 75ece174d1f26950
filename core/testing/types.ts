/** Types of `svc/testing`. */
import type { InspectorEntry, LoadError, PluginRecord, ReloadResult } from '../contract/plugin.ts'
import type { Rule, StoredRule } from '../contract/rule-types.ts'
import type { Har, Verification, Verified } from './verification-types.ts'

/** Configuration of a test server. Paths are relative to the working directory of the process. */
export interface TestServerOptions {
  /** Folders of plugins, or folders that contain plugins. In the test of a plugin: `[import.meta.dirname]`. */
  folders?: readonly string[]
  /** Names of npm packages, resolved from the working directory of the process. */
  packages?: readonly string[]
  /** Names of the plugins to enable; the plugins that they build on are enabled too. Default: all. */
  plugins?: readonly string[]
  /** Sections of `svc.yaml` by key: `{ orders: { currency: 'EUR' } }`. */
  settings?: Readonly<Record<string, unknown>>
  /** The text of `svc.yaml`. It can't be combined with the options above. */
  yaml?: string
  /**
   * Whether `svc.state`, `svc.eventLog`, `svc.replicated` and `svc.channel` enforce the rules of shared stores: values are
   * plain JSON, reads return copies (`current` is frozen), and `change` functions run more than once. Default: true.
   */
  strictState?: boolean
  /**
   * Starts in spite of problems in `settings` and `plugins`, such as unknown keys, which `problems()` then returns. Default:
   * false; with `yaml`: true.
   */
  allowProblems?: boolean
  /** Environment variables (`SVC_*`). Those of the process are not used. */
  env?: Readonly<Record<string, string>>
}

/** Parameters of `GET /_svc/requests` that select captured requests, such as `path`, `status` or `header.x-tenant`. */
export type RequestFilter = Readonly<Record<string, string | number>>

/** What a test can do on an instance or in a session. */
export interface TestScope {
  readonly rules: {
    /** Stores a rule, or replaces the one with this name. */
    put(name: string, rule: Rule): Promise<StoredRule>
    /** Stores rules, all or none; rules without a name are named. */
    add(rules: Rule | readonly Rule[]): Promise<StoredRule[]>
    /** Stores the rules of a YAML or JSON file with `rules:`, all or none. */
    load(path: string): Promise<StoredRule[]>
    get(name: string): Promise<StoredRule>
    /** In the order of evaluation. */
    list(): Promise<StoredRule[]>
    delete(name: string): Promise<number>
    /** Removes the rules that were stored over HTTP. */
    clear(): Promise<number>
  }
  /** Captured requests, newest first. */
  requests(filter?: RequestFilter): Promise<InspectorEntry[]>
  /**
   * Waits until this number of requests (default 1) match the filter, stored ones included, and returns them. Rejects with
   * a `VerificationError`, which names the requests that came, if they have not come after `timeoutMs` (default 5000, at most
   * 30000).
   */
  waitFor(filter?: RequestFilter, count?: number, timeoutMs?: number): Promise<InspectorEntry[]>
  /** Checks which requests came. Rejects with a `VerificationError` if they are not the expected ones. */
  verify(verification?: Verification): Promise<Verified>
  /** Captured requests as an HTTP archive, oldest first. */
  har(filter?: RequestFilter): Promise<Har>
  /** Removes what the service keeps: all kinds, or these. Returns how many of each. */
  reset(kinds?: readonly string[]): Promise<Record<string, number>>
}

/** A session with a unique name, so that tests can run in parallel. */
export interface TestSession extends TestScope {
  readonly name: string
  /** Base URL whose requests belong to the session. */
  readonly url: string
  /** Headers that name the session. */
  readonly headers: Readonly<Record<string, string>>
  /** Resets the session. */
  end(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** A running instance. Its own methods concern the instance, not a session. */
export interface TestClient extends TestScope {
  readonly url: string
  /** Opens a session; without a name it gets a new one. */
  session(name?: string): TestSession
}

/** A server in this process, with its own state and files. */
export interface TestServer extends TestClient {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  /** `https://localhost:<port>`; its certificate is signed by the CA at `/auth/mtls/get-ca-cert?format=pem`. */
  readonly httpsUrl: string
  /** `127.0.0.1:<port>`, for gRPC clients without TLS. */
  readonly grpcAddress: string
  /** Temporary folder with `svc.yaml` and certificates. `stop` removes it. */
  readonly folder: string
  /** Lines of the log. The level is `warn` unless `SVC_LOG_LEVEL` is set. */
  readonly lines: string[]
  /** All plugins that were found, with their state and error. */
  plugins(): PluginRecord[]
  /** Errors in `svc.yaml`. The invalid items are ignored. */
  problems(): LoadError[]
  /** Reloads the plugins and `svc.yaml`. Files are not watched unless `SVC_WATCH` is set. */
  reload(): Promise<ReloadResult>
  /** Stops the server within about a second and removes its folder. Can be called several times. */
  stop(): Promise<void>
  /** `await using server = await startTestServer()` stops the server at the end of the block. */
  [Symbol.asyncDispose](): Promise<void>
}

export interface TestReplicasOptions extends TestServerOptions {
  /** URL of a Redis or Valkey server. Default: the state is in the memory of the process, with the same semantics. */
  store?: string
}

/** Several servers in this process that share their state, as replicas behind a load balancer do. */
export interface TestReplicas {
  readonly servers: readonly TestServer[]
  /** The server of a request: counts up through all servers, and begins again. */
  via(index: number): TestServer
  /** Stops all servers. Can be called several times. */
  stop(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
