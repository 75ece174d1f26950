/** Services that exist before requests can be handled: configuration, log, metrics, state and the demo PKI. */
import { resolve } from 'node:path'
import { readEnvironment } from '../config/environment.ts'
import { PluginVariables } from '../config/plugin-variables.ts'
import { findConfigFile } from '../config/svc-yaml.ts'
import { openCoreState } from './core-state.ts'
import { readGitSha } from './instance.ts'
import cluster from 'node:cluster'
import { createLog } from '../log/log.ts'
import { createMetrics } from '../metrics/metrics.ts'
import { loadPki } from '../pki/pki.ts'
import { PRODUCT_FOLDER } from '../product.ts'
import { openState } from './state-store.ts'
import type { ServiceOptions } from './services.ts'

export type BaseServices = ReturnType<typeof readBase>

/** The configuration and the log. */
export function readBase({ environment = process.env, configArgument, logStream, ...options }: ServiceOptions) {
  const workingDirectory = options.workingDirectory ?? process.cwd()
  const core = readEnvironment(environment)
  const { config } = core
  const warnings = [...[...core.warnings.values()].flat(), ...core.contradictions]
  const processLog = createLog({ level: config.logLevel, format: config.logFormat, stream: logStream })
  // Lines of several workers are in one output.
  const log = cluster.isWorker ? processLog.child({ worker: workerNumber(config.instanceId) }) : processLog
  for (const warning of warnings) log.warn(warning)
  const configFile = findConfigFile({ argument: configArgument, variable: config.configFile, cwd: workingDirectory })
  // Plugins resolve paths in their sections relative to the file in use.
  config.configFile = configFile
  return {
    config,
    configFile,
    environment,
    log,
    variables: new PluginVariables(environment, core),
    warn: (message: string): void => log.warn(message),
    warnings,
    workingDirectory,
  }
}

export type KeptServices = Awaited<ReturnType<typeof openKept>>

/** What outlives requests and generations: metrics, state and the demo PKI. */
export async function openKept({ config, log, warn, workingDirectory }: BaseServices, options: ServiceOptions) {
  const commit = config.gitSha ?? readGitSha(PRODUCT_FOLDER)
  const metrics = createMetrics()
  const { states, shared } =
    options.states === undefined
      ? await openState({
          config,
          log,
          metrics,
          workingDirectory,
          isStrict: options.strictState ?? false,
          onError: (error, failure) => log.error('a state callback failed', { error, ...failure }),
        })
      : { states: options.states, shared: null }
  if (shared !== null) log.setReplica(states.replicas.self)
  const state = await openCoreState(states, config.inspectorCapacity)
  const pki = await loadPki({
    tlsCert: resolve(workingDirectory, config.tlsCert),
    tlsKey: resolve(workingDirectory, config.tlsKey),
    state: state.holder,
    warn,
  })
  return { commit, metrics, states, shared, state, pki }
}

/** The number of a worker, with which its instance id ends. */
function workerNumber(instanceId: string): number | undefined {
  const number = /-(\d+)$/.exec(instanceId)?.[1]
  return number === undefined ? undefined : Number(number)
}
