/** `svc check --connect`: whether the state store answers, its version and its policy. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { readEnvironment } from '../config/environment.ts'
import { REDIS_PACKAGES, loadFailure } from '../config/optional-packages.ts'
import { hostOf } from '../server/state-store.ts'
import { loadBackend } from '../state/shared-backend.ts'
import type { Finding } from './findings.ts'
import type { Terminal } from './terminal.ts'

const CONNECT_MS = 5_000

/** What a connection showed; `host` is null without a store to connect to. */
export interface StoreReport {
  host: string | null
  version: string | null
  policy: string | null
  /** How far the clock of this machine is ahead of the store's, in milliseconds. */
  clockOffsetMs: number | null
  findings: Finding[]
}

export async function connectToStore({ environment, workingDirectory }: Terminal): Promise<StoreReport> {
  const { url, password, ca, isCluster } = readEnvironment(environment).config.stateStore
  const unknown = { version: null, policy: null, clockOffsetMs: null }
  if (url === null || url === 'local')
    return {
      ...unknown,
      host: null,
      findings: [
        finding(
          'warning',
          'there is no state store to connect to',
          'set SVC_STATE_STORE to the URL of Redis or Valkey',
        ),
      ],
    }
  const host = hostOf(url)
  try {
    const authority = ca === null ? null : await readFile(resolve(workingDirectory, ca), 'utf8')
    const { version, policy, clockOffsetMs } = await (await loadBackend()).readFacts(
      { url, password, isCluster, ca: authority },
      CONNECT_MS,
    )
    return { host, version, policy, clockOffsetMs, findings: policyFindings(host, policy) }
  } catch (error) {
    const message = `the state store ${host} can't be used: ${loadFailure(error, REDIS_PACKAGES)}`
    return { ...unknown, host, findings: [finding('error', message, 'start the store, or correct SVC_STATE_STORE')] }
  }
}

function policyFindings(host: string, policy: string | null): Finding[] {
  if (policy === null || policy === '' || policy === 'noeviction') return []
  return [
    finding(
      'warning',
      `the state store ${host} has the policy ${policy}, so it may drop state`,
      'set maxmemory-policy to noeviction',
    ),
  ]
}

function finding(severity: Finding['severity'], message: string, remedy: string): Finding {
  return { severity, file: null, at: null, message, line: null, remedy }
}
