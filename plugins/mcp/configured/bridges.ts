/** Reads the servers of svc.yaml that are processes or have a URL. */
import { createHash } from 'node:crypto'
import { dirname, resolve } from 'node:path'
import { type Svc } from 'svc/plugin'
import { fillVariables, headerProblem, isHttpUrl, readPemCertificates } from 'svc/toolkit'
import type { BridgeEntry } from '../bridge/pool.ts'
import { boundsOf } from '../bounds.ts'
import type { ConfiguredServer, Options } from '../options.ts'
import type { Report } from '../registry/selection.ts'
import type { Variables } from '../variables.ts'

type Services = Pick<Svc<Options, Variables>, 'config' | 'environment' | 'watch'>

/** Variables that each process gets. */
const COMMON_VARIABLES = ['PATH', 'HOME', 'LANG', 'TMPDIR', 'SystemRoot']
const OF_COMMANDS = ['args', 'cwd', 'env', 'per'] as const
const OF_URLS = ['headers', 'revision', 'forward', 'ca_file'] as const
/** Headers that svc sends itself, in addition to those that belong to a connection. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'content-encoding',
  'content-type',
  'expect',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'mcp-session-id',
  'x-svc-mcp-via',
])

/** Whether the entry is a bridged server, or is meant to be one. */
export function isBridged(item: ConfiguredServer): boolean {
  return item.command !== undefined || item.url !== undefined
}

/** The entry, or null if it is invalid, which is reported. */
export function readBridge(item: ConfiguredServer, svc: Services, report: Report): BridgeEntry | null {
  let isValid = true
  const refuse = (at: string, message: string, remedy: string): void => {
    isValid = false
    report(at, message, remedy)
  }
  checkMembers(item, refuse)
  const { bridgeTimeoutMs } = boundsOf(svc.config)
  const timeoutMs = Math.min(item.timeout_ms ?? bridgeTimeoutMs, bridgeTimeoutMs)
  const fill = (at: string, text: string): string =>
    fillVariables(text, variable => {
      const value = svc.environment(variable)
      if (value === undefined || value === '')
        refuse(at, `the variable ${variable} is not set`, 'set it in the environment of svc')
      return value ?? ''
    })
  const source =
    item.command === undefined
      ? readRemote(item, svc, fill, refuse)
      : readCommand(item, item.command, svc, fill, refuse)
  return isValid && source ? { name: item.name, key: keyOf(item, source), timeoutMs, ...source } : null
}

type Refuse = (at: string, message: string, remedy: string) => void
type Fill = (at: string, text: string) => string

/** Members of other kinds of servers. */
function checkMembers(item: ConfiguredServer, refuse: Refuse): void {
  const isCommand = item.command !== undefined
  const kind = isCommand ? 'command' : 'url'
  if (isCommand && item.url !== undefined) refuse('url', 'a server has either "command" or "url"', 'remove one of them')
  for (const member of ['tools', 'resources', 'prompts'] as const)
    if (item[member].length > 0) refuse(member, `a server with "${kind}" has its own ${member}`, `remove ${member}`)
  if (item.skills !== undefined) refuse('skills', `a server with "${kind}" has its own skills`, 'remove skills')
  for (const member of isCommand ? OF_URLS : OF_COMMANDS)
    if (item[member] !== undefined && !(isCommand && item.url !== undefined))
      refuse(member, `"${member}" has no effect on a server with "${kind}"`, 'remove it')
}

function readCommand(item: ConfiguredServer, command: string, svc: Services, fill: Fill, refuse: Refuse) {
  if (svc.config.publicMode) refuse('command', 'off in public mode', 'remove the server, or use "url"')
  const folder = folderOf(svc)
  const env: Record<string, string> = {}
  for (const name of COMMON_VARIABLES) {
    const value = svc.environment(name)
    if (value !== undefined) env[name] = value
  }
  for (const [name, value] of Object.entries(item.env ?? {})) {
    if (!/^[A-Za-z_]\w*$/.test(name)) refuse('env', `"${name}" is not the name of a variable`, 'correct the name')
    env[name] = fill('env', value)
  }
  const args = item.args ?? []
  if ([command, ...args, ...Object.values(env)].some(text => text.includes('\0')))
    refuse('command', 'a text contains a null character', 'remove it')
  return {
    kind: 'stdio' as const,
    // A path is relative to svc.yaml, like all paths there; a name is searched in PATH.
    command: {
      command: /[/\\]/.test(command) ? resolve(folder, command) : command,
      args,
      cwd: resolve(folder, item.cwd ?? '.'),
      env,
    },
    per: item.per ?? ('instance' as const),
  }
}

function readRemote(item: ConfiguredServer, svc: Services, fill: Fill, refuse: Refuse) {
  const text = fill('url', item.url ?? '')
  if (!isHttpUrl(text) || /^https?:\/\/[^/]*@/.test(text) || text.includes('#')) {
    refuse('url', 'expected an http or https URL without credentials and fragment', 'send credentials with headers')
    return null
  }
  const headers: Record<string, string> = {}
  for (const [name, template] of Object.entries(item.headers ?? {})) {
    const value = fill('headers', template)
    if (isReserved(name, value))
      refuse(
        'headers',
        `the header "${name}" can't be set: it is reserved, or its value is not printable ASCII`,
        'remove it',
      )
    headers[name.toLowerCase()] = value
  }
  const forward = (item.forward ?? []).map(name => name.toLowerCase())
  for (const name of forward)
    if (isReserved(name, '')) refuse('forward', `the header "${name}" can't be forwarded`, 'remove it')
  return {
    kind: 'remote' as const,
    url: new URL(text),
    ca: item.ca_file === undefined ? null : readAuthority(resolve(folderOf(svc), item.ca_file), svc, refuse),
    target: { revision: item.revision ?? ('auto' as const), headers, forward },
  }
}

function isReserved(name: string, value: string): boolean {
  return OWN_HEADERS.has(name.toLowerCase()) || headerProblem(name, value) !== null
}

function readAuthority(file: string, svc: Services, refuse: Refuse): string | null {
  svc.watch(file)
  const read = readPemCertificates(file)
  if ('pem' in read) return read.pem
  refuse('ca_file', read.message, read.remedy)
  return null
}

function folderOf({ config }: Services): string {
  return config.configFile === null ? resolve('.') : dirname(resolve(config.configFile))
}

/** Distinguishes servers, without what only svc reads. */
function keyOf({ name, timeout_ms }: ConfiguredServer, source: object): string {
  const text = JSON.stringify([source, timeout_ms])
  return `${name} ${createHash('sha256').update(text).digest('base64')}`
}
