/** Creates all services of the process except the listeners. Plugins are built when the host starts. */
import { Host } from '../host/host.ts'
import type { AddedSections } from '../host/settings.ts'
import type { Bundler } from '../contract/bundler.ts'
import type { RegisterTimes } from '../host/build-progress.ts'
import type { Config, SvcInstance } from '../contract/plugin.ts'
import type { KnownCode } from '../host/inventory.ts'
import type { PipelineServices } from '../http/pipeline/stage.ts'
import { Tap } from '../http/tap/tap.ts'
import { StreamRegistry } from '../http/streams/stream-registry.ts'
import type { ListenerStatus } from '../contract/listeners.ts'
import type { ConnectionLog } from '../inspector/connection-log.ts'
import type { Limits } from '../limits/limits.ts'
import type { ConnectionMetrics } from '../metrics/connection-metrics.ts'
import { CompletionBatch } from '../http/pipeline/completion-batch.ts'
import type { Ports } from './instance.ts'
import type { Log } from '../log/log.ts'
import type { Pki } from '../pki/pki.ts'
import type { StateRegistry } from '../state/state-registry.ts'
import { recoverPlugins } from './state-recovery.ts'
import { openKept, readBase } from './base-services.ts'
import { createHost } from './create-host.ts'
import { openRequestServices } from './request-services.ts'

export interface ServiceOptions {
  /** Environment variables. Default: those of the process. */
  environment?: NodeJS.ProcessEnv
  /** Value of `--config`. */
  configArgument?: string
  /** Base of relative paths. Default: the working directory of the process. */
  workingDirectory?: string
  /** Options of a subcommand that override items of a plugin's section. */
  extraOptions?: { plugin: string; options: Record<string, unknown> }
  /** Sections that a subcommand adds to those of `svc.yaml`. */
  addedSections?: AddedSections
  /** Folder of the built-in plugins; tests use another one. */
  builtinFolder?: string
  /** Time limits for registering a plugin. Default: a warning after 10 s, failure after 120 s. */
  registerTimes?: RegisterTimes
  /** Destination of log lines. Default: standard output. */
  logStream?: { write(line: string): void }
  /** For tests: all state enforces the rules of shared stores. */
  strictState?: boolean
  /** For tests: the state of another server in this process, which makes the two replicas. */
  states?: StateRegistry
  /** Builds plugins. Default: esbuild, whose service then stays resident. */
  bundler?: Bundler | undefined
  /** Plugin code that servers in one process share. */
  knownCode?: KnownCode
}

/** The services of a process. */
export interface Services {
  readonly config: Config
  readonly log: Log
  /** Not started yet: the caller decides when plugins are built. */
  readonly host: Host
  /** Set by the caller when it binds the listeners. */
  readonly ports: Ports
  readonly instance: SvcInstance
  readonly streams: StreamRegistry
  readonly pki: Pki
  readonly tap: Tap
  /** Services that the request handler needs in addition to the host. */
  readonly pipeline: PipelineServices
  readonly completions: CompletionBatch
  readonly limits: Limits
  readonly connections: ConnectionLog
  readonly connectionMetrics: ConnectionMetrics
  /** Set by the caller: what `GET /_svc/status` shows. */
  readonly listenerStatus: { list(): ListenerStatus[] }
  /** From now on, connections are closed with their next response. */
  startDraining(): void
  /** Closes files, connections and state. Close the host first. */
  close(): Promise<void>
}

/** Opens the services. A service that can't be opened is a warning. */
export async function openServices(options: ServiceOptions = {}): Promise<Services> {
  const base = readBase(options)
  const kept = await openKept(base, options)
  // The services and the host need each other. The services use the host only after it is created.
  const requests = await openRequestServices(base, kept, () => host)
  const { host, instance } = createHost(base, kept, requests, options)
  const { config, log } = base
  const { states, shared, pki } = kept
  const { completions, deadlines, keys, limits, pipeline, ports, streams, tap } = requests
  const flushAtExit = (): void => completions.flush()
  // Run before the exit listener of the log, which writes the last lines.
  process.prependListener('exit', flushAtExit)
  const endRecovery = shared === null ? null : recoverPlugins(host, shared)
  host.onReload = async () => keys?.reload()
  return {
    config,
    log,
    host,
    ports,
    instance,
    streams,
    pki,
    tap,
    pipeline,
    completions,
    limits,
    connections: requests.connections,
    connectionMetrics: requests.connectionMetrics,
    listenerStatus: requests.listenerStatus,
    startDraining: () => requests.startDraining(),
    async close() {
      endRecovery?.()
      deadlines?.close()
      requests.eventLoop.close()
      await pipeline.tracer?.close()
      await limits.close()
      await pipeline.quota?.close()
      keys?.close()
      // Captured requests are sent to the store before it is closed.
      completions.flush()
      if (options.states === undefined) await states.close()
      process.off('exit', flushAtExit)
      completions.flush()
      await log.flush()
    },
  }
}
