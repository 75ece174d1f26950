/** The checks of `svc doctor` about ports, and about an instance that uses them. */
import type { Config } from '../config/variables.ts'
import {
  LISTENER_LABELS,
  PORT_VARIABLES,
  candidatePorts,
  tryPort,
  type ListenerKind,
} from '../server/fallback-ports.ts'
import { portOwner } from '../server/port-owner.ts'
import { VERSION } from '../product.ts'
import { fail, ok, warn, type Check } from './doctor-check.ts'
import { findInstance, readiness } from './running-instance.ts'

const READY_MS = 2_000

export async function checkPorts(config: Config): Promise<Check[]> {
  const checks: Check[] = []
  for (const kind of ['http', 'https', 'grpc'] as const) checks.push(await checkPort(config, kind))
  return checks
}

async function checkPort(config: Config, kind: ListenerKind): Promise<Check> {
  const name = `port_${kind}`
  const label = LISTENER_LABELS[kind]
  const variable = PORT_VARIABLES[kind]
  const [wanted, ...others] = candidatePorts(config, kind)
  if (wanted === 0) return ok(name, `${label} takes a free port`)
  const problem = await problemOf(config.host, wanted!)
  if (problem === null) return ok(name, `port ${wanted} (${label}) is free`)
  for (const port of others) {
    if ((await problemOf(config.host, port)) === null)
      return warn(
        name,
        `port ${wanted} (${label}) ${problem}; ${label} would be on ${port}`,
        `set ${variable} to a port`,
      )
  }
  const text = `port ${wanted} (${label}) ${problem}`
  // It is most likely the instance that is checked.
  return problem.includes('used by svc ')
    ? warn(name, text, `stop it, or set ${variable} to another port`)
    : fail(name, text, `set ${variable} to another port`)
}

/** Why a port can't be bound; null if it can. */
async function problemOf(host: string, port: number): Promise<string | null> {
  try {
    await tryPort(host, port)
    return null
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException
    if (code !== 'EADDRINUSE') return `can't be used (${code})`
    const owner = await portOwner(host, port)
    return owner === null ? 'is in use' : `is used by ${owner}`
  }
}

/** The version of a running instance. */
export async function checkInstance(environment: NodeJS.ProcessEnv): Promise<Check> {
  const name = 'instance'
  const url = await findInstance(environment)
  if (typeof url !== 'string') return ok(name, 'no instance is running')
  if ((await readiness(url, READY_MS)) !== 'ready') return ok(name, `no instance is running at ${url}`)
  const { hostname, port } = new URL(url)
  const owner = await portOwner(hostname.replace(/^\[|\]$/g, ''), Number(port || 80))
  const version = /^svc (\S+)/.exec(owner ?? '')?.[1]
  if (version === undefined || version === VERSION)
    return ok(name, `svc ${version ?? 'of an unknown version'} is running at ${url}`)
  return warn(name, `svc ${version} is running at ${url}, but this is ${VERSION}`, 'restart it with this version')
}
