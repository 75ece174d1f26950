/** What `svc/testing` takes and gives. */
import type { LoadError, PluginRecord, ReloadResult } from '../contract/plugin.ts'

/** What a test server runs. Relative paths count from the process's working directory. */
export interface TestServerOptions {
  /** Folders of plugins, or of single plugins (`[import.meta.dirname]` in a plugin's own test). */
  folders?: readonly string[]
  /** Plugins from npm, by package name; resolved from the process's working directory. */
  packages?: readonly string[]
  /** Names of the plugins that are on; what they build on comes along. Default: all. */
  plugins?: readonly string[]
  /** Sections of `svc.yaml` by key: `{ orders: { currency: 'EUR' } }`. */
  settings?: Readonly<Record<string, unknown>>
  /** The text of `svc.yaml`, instead of all of the above. */
  yaml?: string
  /**
   * Whether `svc.state` behaves as a store that replicas share, which is easy to forget: values are plain JSON, `get` returns
   * copies, and `change` functions may run more than once. Default true; without it values are kept as they are, as in one
   * process without a shared store.
   */
  strictState?: boolean
  /** Variables (`SVC_*`). Those of the process are not read. */
  env?: Readonly<Record<string, string>>
}

/** A server that runs in this process, with state and files of its own. */
export interface TestServer {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  /** `https://localhost:<port>`; its certificate is signed by the CA at `/_svc/ca.pem`. */
  readonly httpsUrl: string
  /** `127.0.0.1:<port>`, for gRPC clients without TLS. */
  readonly grpcAddress: string
  /** Its temporary folder: `svc.yaml` and certificates. Removed by `stop`. */
  readonly folder: string
  /** Lines that it logged, from level `warn` on unless `SVC_LOG_LEVEL` says otherwise. */
  readonly lines: string[]
  /** Every plugin that was found, with its state and why it failed. */
  plugins(): PluginRecord[]
  /** What is wrong with its `svc.yaml`, and was left out. */
  problems(): LoadError[]
  /** Reads plugins and `svc.yaml` again. Changes on disk are not watched, unless `SVC_WATCH` says so. */
  reload(): Promise<ReloadResult>
  /** Ends it within a second and removes its folder. Call it once the test is over; further calls wait for the first. */
  stop(): Promise<void>
  /** `await using server = await startTestServer()` stops it at the end of the block. */
  [Symbol.asyncDispose](): Promise<void>
}
