/** Finds an svc that runs on this machine, for commands that use one. */
import { readEnvironment } from '../config/environment.ts'
import { trimEndCharacters } from '../fields/trim.ts'
import { candidatePorts } from '../server/fallback-ports.ts'
import { reachableHost } from '../fields/authority.ts'
import { boundedFetch, FetchFailure } from '../toolkit/bounded-fetch.ts'
import { UsageError } from './arguments.ts'

const MAX_REPLY_BYTES = 64 * 1024
/** A port of this machine that takes longer than this does not belong to a running svc. */
const SEARCH_MS = 1_000

/** Why an instance can't be used: a sentence. */
export interface Unavailable {
  reason: string
}

/** Reads the URL of an instance, and returns it without a slash at its end. The base path is kept. */
export function instanceUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new UsageError(`--url needs an http or https URL, not ${text.slice(0, 200)}`)
  return `${url.origin}${trimEndCharacters(url.pathname, '/')}`
}

/** Whether the instance is ready; else why not. `timeoutMs` is for the whole response. */
export async function readiness(url: string, timeoutMs: number): Promise<'ready' | Unavailable> {
  try {
    const { status, body } = await boundedFetch(`${url}/_svc/ready`, {
      headers: { accept: 'application/json' },
      timeoutMs,
      maxBytes: MAX_REPLY_BYTES,
    })
    if (status !== 200) return { reason: `${url}/_svc/ready responded with ${status}` }
    return isReady(body) ? 'ready' : { reason: `${url}/_svc/ready responded with 200, but not as svc does` }
  } catch (error) {
    return { reason: `${url}: ${reasonOf(error)}` }
  }
}

/**
 * The URL of the instance that the environment describes (`SVC_HTTP_PORT`), or of the first that is ready on the ports that svc
 * takes by default. The port of the environment is not checked.
 */
export async function findInstance(environment: NodeJS.ProcessEnv): Promise<string | Unavailable> {
  const { config } = readEnvironment(environment)
  const base = `http://${reachableHost(config.host)}`
  if (config.portsSet.http && config.httpPort !== 0) return `${base}:${config.httpPort}`
  const ports = candidatePorts({ ...config, httpPort: 80, portsSet: { ...config.portsSet, http: false } }, 'http')
  const states = await Promise.all(ports.map(port => readiness(`${base}:${port}`, SEARCH_MS)))
  const first = states.indexOf('ready')
  if (first !== -1) return `${base}:${ports[first]}`
  return { reason: `no svc is running on the ports ${ports[0]} and ${ports[1]} to ${ports.at(-1)}` }
}

function isReady(body: Buffer): boolean {
  try {
    return (JSON.parse(body.toString()) as { status?: unknown } | null)?.status === 'ready'
  } catch {
    return false
  }
}

function reasonOf(error: unknown): string {
  const cause = (error as Error).cause as { code?: string; cause?: { code?: string } } | undefined
  const code = cause?.cause?.code ?? cause?.code
  if (error instanceof FetchFailure && error.reason !== 'failed') return error.message
  return typeof code === 'string' ? code : (error as Error).message
}
