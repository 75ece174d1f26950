/** Types of `svc/testing`. */
import type { LoadError, PluginRecord, ReloadResult } from '../contract/plugin.ts'

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
  /** Environment variables (`SVC_*`). Those of the process are not used. */
  env?: Readonly<Record<string, string>>
}

/** A server in this process, with its own state and files. */
export interface TestServer {
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
