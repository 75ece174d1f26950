/** Reads the arguments of `svc probe`. */
import {
  ArgumentError,
  filledArgument,
  LISTEN_VALUES,
  type ListenPorts,
  nearest,
  readListen,
  splitArguments,
  trimEndCharacters,
} from 'svc/toolkit'
import type { Check } from '../catalog/check.ts'
import { selectChecks } from '../catalog/selection.ts'
import { readAddress, type Address } from '../client/address.ts'
import { readPairs, type PairPattern } from '../pairs/pair.ts'
import type { Wire } from '../wires/types.ts'
import { WIRES } from '../wires/wires.ts'
import { PROBE_OPTIONS } from '../options.ts'
import type { FailOn } from '../report/report.ts'

export { ArgumentError, splitArguments }

export const FORMATS = ['terminal', 'json', 'junit', 'markdown', 'html'] as const
export type Format = (typeof FORMATS)[number]
const FAIL_ON: readonly FailOn[] = ['fail', 'fail:medium', 'fail:high', 'warn', 'flaky', 'error']

/** Options with a value, and what the value is called. Those that end with `*` may be repeated. */
const VALUES: Record<string, string> = {
  'upstream*': 'URL',
  ...LISTEN_VALUES,
  'upstream-token': 'token',
  prefix: 'path',
  routes: 'file',
  groups: 'list',
  checks: 'list',
  pairs: 'list',
  'header*': "'Name: value'",
  bearer: 'token',
  host: 'name',
  ca: 'file',
  repeat: 'number',
  timeout: 'seconds',
  concurrency: 'number',
  format: 'list',
  out: 'folder',
  name: 'text',
  'config-file*': 'file',
  'note*': 'ID=text',
  baseline: 'file',
  'write-baseline': 'file',
  'fail-on': 'list',
}
const FLAGS = ['hostile', 'slow', 'h2', 'insecure', 'quiet', 'verbose']

export interface ProbeOptions {
  gateway: Address
  upstreams: Address[]
  /** Null: with upstreams. */
  listen: ListenPorts | null
  upstreamToken: string | null
  prefix: string
  /** Name of the file. */
  routes: string | null
  checks: Check[]
  groups: string[] | null
  ids: string[] | null
  /** Null: all. */
  pairs: PairPattern[] | null
  isHostile: boolean
  isSlow: boolean
  isHttp2: boolean
  fields: [string, string][]
  /** Values that no report contains. */
  secrets: string[]
  host: string | null
  ca: string | null
  isInsecure: boolean
  repeat: number
  timeoutS: number
  concurrency: number
  formats: Format[]
  out: string | null
  name: string | null
  configFiles: string[]
  notes: Map<string, string>
  baseline: string | null
  writeBaseline: string | null
  failOn: FailOn[]
  isQuiet: boolean
  isVerbose: boolean
}

/** `section` is the section `probe` of svc.yaml; the command line wins. */
export function readProbeOptions(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  section: Readonly<Record<string, unknown>>,
  catalog: readonly Check[],
  wires: readonly Wire[] = WIRES,
): ProbeOptions {
  checkSection(section, catalog)
  const { words, values, flags } = splitArguments(args, VALUES, FLAGS)
  const one = (name: string): string | null => values.get(name)?.[0] ?? null
  const all = (name: string): string[] => values.get(name) ?? []
  const textOf = (key: string): string | null => {
    const value = section[key.replaceAll('-', '_')]
    return one(key) ?? (Array.isArray(value) ? value.join(',') : value === undefined ? null : String(value))
  }
  if (words.length === 0) throw new ArgumentError('expected the URL of the gateway, such as http://localhost:8000')
  if (words.length > 1) throw new ArgumentError(`expected one gateway URL, not also ${words[1]!.slice(0, 200)}`)
  const listen = readListen(values)
  const formats = listOf(textOf('format') ?? 'terminal', FORMATS, '--format')
  const out = one('out')
  if (out === null && formats.length > 1) throw new ArgumentError('several formats need --out <folder>')
  const secretOf = (value: string): string => filledArgument(value, environment)
  const bearer = one('bearer')
  const fields = all('header').map(text => readField(secretOf(text)))
  if (bearer !== null) fields.push(['Authorization', `Bearer ${checkedValue(secretOf(bearer), '--bearer')}`])
  const upstreamToken = one('upstream-token') ?? environment.SVC_ADMIN_TOKEN ?? null
  const groups = textOf('groups')
  const ids = one('checks')
  return {
    gateway: addressOf(words[0]!),
    upstreams:
      listen !== null ? [] : (values.has('upstream') ? all('upstream') : ['http://localhost:8080']).map(addressOf),
    listen,
    upstreamToken: upstreamToken === '' ? null : upstreamToken,
    prefix: readPrefix(one('prefix') ?? ''),
    routes: textOf('routes'),
    checks: chosenChecks(catalog, groups, ids, section.skip),
    groups: groups?.split(',') ?? null,
    ids: ids?.split(',') ?? null,
    pairs: pairsOf(textOf('pairs'), wires),
    isHostile: flags.has('hostile'),
    isSlow: flags.has('slow'),
    isHttp2: flags.has('h2'),
    fields,
    secrets: [
      ...fields.map(([, value]) => value),
      ...(bearer === null ? [] : [secretOf(bearer)]),
      ...(upstreamToken === null || upstreamToken === '' ? [] : [upstreamToken]),
    ],
    host: one('host'),
    ca: one('ca'),
    isInsecure: flags.has('insecure'),
    repeat: numberOf('repeat', textOf('repeat') ?? '3', 1, 10),
    timeoutS: numberOf('timeout', textOf('timeout') ?? '10', 1, 120),
    concurrency: numberOf('concurrency', textOf('concurrency') ?? '6', 1, 32),
    formats,
    out,
    name: one('name'),
    configFiles: all('config-file'),
    notes: new Map(all('note').map(text => readNote(text, catalog))),
    baseline: textOf('baseline'),
    writeBaseline: one('write-baseline'),
    failOn: readFailOn(textOf('fail-on') ?? 'fail'),
    isQuiet: flags.has('quiet'),
    isVerbose: flags.has('verbose'),
  }
}

const CREDENTIALS = ['header', 'headers', 'bearer', 'upstream_token', 'upstream-token']

/** The server reports its section itself; a command has nobody else who does. */
function checkSection(section: Readonly<Record<string, unknown>>, catalog: readonly Check[]): void {
  const known = Object.keys(PROBE_OPTIONS.properties as object)
  for (const key of Object.keys(section)) {
    if (CREDENTIALS.includes(key))
      throw new ArgumentError(
        `svc.yaml: probe.${key} is not read: give it as --${key.replace('headers', 'header').replace('_', '-')}; \${NAME} is read from the environment`,
      )
    if (!known.includes(key))
      throw new ArgumentError(`svc.yaml: probe: unknown key "${key.slice(0, 50)}"${guess(key, known, '')}`)
  }
  for (const id of Array.isArray(section.skip) ? section.skip : [])
    if (!catalog.some(check => check.id === id))
      throw new ArgumentError(`svc.yaml: probe.skip: ${unknownCheck(String(id), catalog)}`)
}

function pairsOf(text: string | null, wires: readonly Wire[]): PairPattern[] | null {
  if (text === null) return null
  const read = readPairs(
    text.split(','),
    wires.map(({ id }) => id),
  )
  if (typeof read === 'string') throw new ArgumentError(`--pairs: ${read}`)
  return read
}

function addressOf(text: string): Address {
  const address = readAddress(text)
  if (typeof address === 'string') throw new ArgumentError(address)
  return address
}

function readPrefix(text: string): string {
  if (text === '' || text === '/') return ''
  if (!/^\/[\w.~!$&'()*+,;=:@%/-]*$/.test(text)) throw new ArgumentError('--prefix must be a path such as /svc')
  return trimEndCharacters(text, '/')
}

function readField(text: string): [string, string] {
  const match = /^([!#$%&'*+.^_`|~\w-]+): ?(.*)$/s.exec(text)
  if (match === null) throw new ArgumentError("--header needs the form 'Name: value'")
  if (match[1]!.toLowerCase() === 'host') throw new ArgumentError('the Host field is given with --host')
  return [match[1]!, checkedValue(match[2]!, '--header')]
}

function checkedValue(value: string, option: string): string {
  if (/[^\t\u0020-\u007e\u0080-\u00ff]/.test(value))
    throw new ArgumentError(`${option} must not contain control characters`)
  return value.trim()
}

function numberOf(name: string, text: string, min: number, max: number): number {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= min && value <= max)) throw new ArgumentError(`--${name} must be a number from ${min} to ${max}`)
  return value
}

/** Words of a list, each of which has to be known. */
export function listOf<T extends string>(text: string, known: readonly T[], option: string): T[] {
  return text.split(',').map(word => {
    const found = known.find(one => one === word.trim())
    if (found === undefined)
      throw new ArgumentError(
        `${option}: unknown "${word.slice(0, 50)}"${guess(word, known, '')}; expected ${known.join(', ')}`,
      )
    return found
  })
}

export function readFailOn(text: string): FailOn[] {
  const words = listOf<FailOn | 'none'>(text, [...FAIL_ON, 'none'], '--fail-on')
  if (!words.includes('none')) return words as FailOn[]
  if (words.length > 1) throw new ArgumentError('--fail-on none cannot be combined with other words')
  return []
}

function readNote(text: string, catalog: readonly Check[]): [string, string] {
  const equals = text.indexOf('=')
  if (equals < 1) throw new ArgumentError('--note needs the form ID=text')
  const id = text.slice(0, equals)
  if (!catalog.some(check => check.id === id)) throw new ArgumentError(unknownCheck(id, catalog))
  return [id, text.slice(equals + 1, equals + 2001)]
}

export function unknownCheck(id: string, catalog: readonly Check[]): string {
  return `unknown check: ${id.slice(0, 100)}${guess(
    id,
    catalog.map(check => check.id),
    '',
  )}`
}

function chosenChecks(catalog: readonly Check[], groups: string | null, ids: string | null, skipped: unknown): Check[] {
  const chosen = selectChecks(catalog, {
    groups: groups?.split(',').map(word => word.trim()) ?? null,
    ids: ids?.split(',').map(id => id.trim()) ?? null,
    without: Array.isArray(skipped) ? skipped.map(String) : [],
  })
  if (!('unknown' in chosen)) return chosen
  const { unknown, known } = chosen
  if (chosen.kind === 'check') throw new ArgumentError(unknownCheck(unknown, catalog))
  throw new ArgumentError(
    `--groups: unknown "${unknown.slice(0, 50)}"${guess(unknown, known, '')}; expected ${known.join(', ')}`,
  )
}

function guess(word: string, known: readonly string[], prefix: string): string {
  const found = nearest(word, known)
  return found === undefined ? '' : ` (did you mean ${prefix}${found}?)`
}
