/** The options of `svc demo run`. */
import {
  ArgumentError,
  fieldProblem,
  filledArgument,
  isToken,
  LISTEN_VALUES,
  type ListenPorts,
  readListen,
  splitArguments,
  trimEndCharacters,
  unknownName,
} from 'svc/toolkit'
import type { CheckField } from '../../probe/types.ts'

export const FORMATS = ['terminal', 'json', 'junit', 'markdown', 'html'] as const
export type Format = (typeof FORMATS)[number]

const VALUES = {
  through: 'URL',
  upstream: 'URL',
  ...LISTEN_VALUES,
  'upstream-token': 'token',
  prefix: 'path',
  routes: 'file',
  host: 'name',
  'header*': "'Name: value'",
  bearer: 'token',
  ca: 'file',
  'set*': 'name=value',
  'lane*': 'name=URL',
  step: 'number',
  repeat: 'number',
  timeout: 'seconds',
  format: 'terminal, json, junit, markdown or html',
  out: 'folder',
  area: 'name',
}
const FLAGS = ['direct', 'insecure', 'yes', 'stop-at-first', 'control', 'quiet', 'verbose', 'all']

export interface RunOptions {
  words: string[]
  area: string | undefined
  isAll: boolean
  /** Null: straight to svc. */
  through: string | null
  upstream: string
  /** An upstream in this process; null: that of `upstream`. */
  listen: ListenPorts | null
  token: string | null
  prefix: string
  routes: string | null
  host: string | null
  fields: CheckField[]
  /** Values that no report contains. */
  secrets: string[]
  ca: string | null
  isInsecure: boolean
  set: Record<string, string>
  lanes: Record<string, string>
  step: number
  repeat: number
  timeoutMs: number | null
  formats: Format[]
  out: string | null
  isYes: boolean
  stopAtFirst: boolean
  isControl: boolean
  isQuiet: boolean
  isVerbose: boolean
}

/** Throws `ArgumentError`. */
export function readRunOptions(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): RunOptions {
  const { words, values, flags } = splitArguments(args, VALUES, FLAGS)
  const one = (name: string): string | undefined => values.get(name)?.[0]
  const through = one('through')
  if (through === undefined && !flags.has('direct'))
    throw new ArgumentError('expected --through with the URL of the gateway, or --direct')
  if (through !== undefined && flags.has('direct')) throw new ArgumentError('--through and --direct cannot be combined')
  if (flags.has('quiet') && flags.has('verbose')) throw new ArgumentError('--quiet and --verbose cannot be combined')
  const filled = (text: string): string => filledArgument(text, environment)
  const given = one('bearer')
  const bearer = given === undefined ? undefined : filled(given)
  const token = one('upstream-token') ?? (environment.SVC_ADMIN_TOKEN || null)
  const fields = (values.get('header') ?? []).map(text => readField(filled(text)))
  if (bearer !== undefined) fields.push(['Authorization', `Bearer ${checkedBearer(bearer)}`])
  const formats = formatsOf(one('format') ?? 'terminal')
  const out = one('out') ?? null
  if (out === null && formats.length > 1) throw new ArgumentError('several formats need --out <folder>')
  const timeout = one('timeout')
  return {
    words,
    area: one('area'),
    isAll: flags.has('all'),
    through: through ?? null,
    listen: readListen(values),
    upstream: one('upstream') ?? `http://localhost:${environment.SVC_HTTP_PORT || '8080'}`,
    token,
    prefix: prefixOf(one('prefix') ?? ''),
    routes: one('routes') ?? null,
    host: one('host') ?? null,
    fields,
    secrets: [
      ...fields.map(([, value]) => value),
      ...(bearer === undefined ? [] : [bearer]),
      ...(token ? [token] : []),
    ],
    ca: one('ca') ?? null,
    isInsecure: flags.has('insecure'),
    set: pairs(values.get('set') ?? [], '--set'),
    lanes: pairs(values.get('lane') ?? [], '--lane'),
    step: numberOf('step', one('step') ?? '1', 1, 30),
    repeat: numberOf('repeat', one('repeat') ?? '1', 1, 100),
    timeoutMs: timeout === undefined ? null : numberOf('timeout', timeout, 1, 120) * 1000,
    formats,
    out,
    isYes: flags.has('yes'),
    stopAtFirst: flags.has('stop-at-first'),
    isControl: flags.has('control'),
    isQuiet: flags.has('quiet'),
    isVerbose: flags.has('verbose'),
  }
}

function numberOf(name: string, text: string, min: number, max: number): number {
  const number = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN
  if (number >= min && number <= max) return number
  throw new ArgumentError(`--${name} must be a whole number from ${min} to ${max}`)
}

function formatsOf(text: string): Format[] {
  return text.split(',').map(word => {
    const format = FORMATS.find(one => one === word)
    if (format !== undefined) return format
    const { message, remedy } = unknownName('format', word, FORMATS)
    throw new ArgumentError(`${message}; ${remedy}`)
  })
}

function prefixOf(text: string): string {
  const prefix = trimEndCharacters(text, '/')
  if (prefix !== '' && !prefix.startsWith('/')) throw new ArgumentError('--prefix must be a path such as /svc')
  return prefix
}

function pairs(texts: readonly string[], option: string): Record<string, string> {
  return Object.fromEntries(
    texts.map(text => {
      const equals = text.indexOf('=')
      if (equals < 1) throw new ArgumentError(`${option} needs the form name=value`)
      return [text.slice(0, equals), text.slice(equals + 1)]
    }),
  )
}

function readField(text: string): CheckField {
  const colon = text.indexOf(':')
  const name = text.slice(0, Math.max(0, colon))
  const value = text.slice(colon + 1).trim()
  if (!isToken(name) || fieldProblem(name, value) !== null)
    throw new ArgumentError("--header needs the form 'Name: value'")
  return [name, value]
}

function checkedBearer(bearer: string): string {
  if (fieldProblem('authorization', bearer) === null) return bearer
  throw new ArgumentError('--bearer has characters that a header cannot have')
}
