/** `clients/contract.json`: what the clients for tests use of svc. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface ClientOperation {
  name: string
  method: string
  path: string
  /** Without a session, the query has `scope=instance`. */
  scope: boolean
  /** Other parameters of the query that the clients or their tests send. */
  query: string[]
  /** Members of the body that the clients read or write. */
  body?: string[]
  /** Members of the answer that the clients read. */
  reads: string[]
  /** Statuses of errors that their tests cause, or that they document. */
  errors: number[]
}

export interface ClientContract {
  ready: { method: string; path: string; status: number }
  /** What comes before the address in the line of the HTTP listener. */
  listening: string
  session_prefix: string
  session_header: string
  token_header: string
  /** Variables of a process that a client starts. */
  variables: string[]
  operations: ClientOperation[]
}

const FILE = join(import.meta.dirname, '..', '..', 'clients', 'contract.json')

export const clientContract = (): ClientContract => JSON.parse(readFileSync(FILE, 'utf8')) as ClientContract
