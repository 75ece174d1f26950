/** Validates a plugin's default export, which may be written in JavaScript, before anything uses it. */
import { COMMAND_GROUPS } from '../contract/command.ts'
import { EXEMPTIBLE_LAYERS } from '../contract/declarations.ts'
import type { Plugin, VariableDefinition } from '../contract/plugin.ts'
import { isServedBelow } from '../fields/request-target.ts'
import { isRecord } from '../contract/record.ts'
import { headerProblem } from '../fields/settable-header.ts'
import { isToken } from '../fields/token.ts'

/** Maximum number of entries in a list of a definition. */
const MAX_ENTRIES = 100
const VARIABLE_NAME = /^[A-Z][A-Z0-9_]{0,99}$/
const FIELD_PATH = /^[a-z][a-z0-9_]{0,49}(?:\.[a-z][a-z0-9_]{0,49}){0,3}$/
/** A relative path without scheme, query and `..`. */
const RELATIVE_PATH = /^\w[\w~-]*(?:\/[\w~-]+)*\/?$/
/** A label value in the metrics. */
const LABEL = /^[a-z][a-z0-9_-]{0,39}$/

/** Returns the definition, or throws an error that says what is wrong. */
export function checkDefinition(value: unknown): Plugin {
  const definition = value as Partial<Plugin> | null
  if (typeof definition !== 'object' || definition === null)
    throw new Error('the default export is not a plugin definition (see definePlugin)')
  if (typeof definition.title !== 'string' || definition.title === '') throw new Error('the definition has no title')
  const { paths } = definition
  if (!Array.isArray(paths) || !paths.every(path => typeof path === 'string' && path.startsWith('/'))) {
    throw new Error('the definition has no paths (expected a list of prefixes that start with "/")')
  }
  if (typeof definition.register !== 'function') throw new Error('the definition has no register function')
  for (const key of ['buildsOn', 'uses'] as const)
    check(isListOf(definition[key] ?? [], isText), `${key} of the definition must be a list of plugin names`)
  checkDeclarations(definition as Plugin)
  return definition as Plugin
}

function checkDeclarations(definition: Plugin): void {
  const {
    paths,
    variables = {},
    exempt = [],
    area,
    faultKinds = [],
    faults = {},
    exposes = [],
    categories = [],
    links = [],
    familiar = [],
    firstSteps = [],
    command,
  } = definition
  const isOwn = (path: unknown): boolean => isText(path) && paths.some(own => isServedBelow(path, own))
  check(
    isListOf(
      exposes,
      one => isText(one) || (isRecord(one) && isText(one.name) && isToken(one.name) && isOptional(one.before, isText)),
    ),
    'exposes must be a list of header names or { name, before, always }',
  )
  checkVariables(variables)
  check(
    isListOf(
      exempt,
      one =>
        isRecord(one) &&
        isOwn(one.path) &&
        isText(one.reason) &&
        isListOf(one.from, layer => EXEMPTIBLE_LAYERS.includes(layer as never)),
    ),
    `exempt must be a list of { path, from, reason }: a path of the plugin, some of ${EXEMPTIBLE_LAYERS.join(', ')}, and the reason`,
  )
  check(isOptional(area, isLabel), 'area must be a name of lower-case letters, digits, "-" and "_"')
  check(isListOf(faultKinds, isLabel), 'faultKinds must be a list of names of lower-case letters, digits, "-" and "_"')
  check(
    isRecord(faults) && isListOf(Object.entries(faults), isFault),
    'faults must map words of lower-case letters, digits, "-" and "_" to { status, message, code, headers, body }, the status from 400 to 599',
  )
  check(
    isListOf(categories, one => isRecord(one) && isText(one.name) && Number.isFinite(one.rank)),
    'categories must be a list of { name, rank }',
  )
  check(
    isListOf(
      familiar,
      one =>
        isRecord(one) &&
        isText(one.path) &&
        one.path.startsWith('/') &&
        isText(one.here) &&
        one.here.startsWith('/') &&
        isOptional(one.served, isOptionPath),
    ),
    'familiar must be a list of { path, here, served }: templates of paths that start with "/", and "<plugin>.<option>"',
  )
  check(
    isListOf(
      firstSteps,
      one =>
        isRecord(one) &&
        Number.isFinite(one.rank) &&
        (isText(one.path)
          ? isOwn(one.path.split('?', 1)[0]) && isOptional(one.body, isText)
          : isText(one.text) && isText(one.href) && isOwn(`/${one.href}`)),
    ),
    'firstSteps must be a list of { rank, href, text } or { rank, path, headers, body }, each below one of the paths',
  )
  check(
    isOptional(
      command,
      one =>
        isRecord(one) &&
        isLabel(one.name) &&
        isText(one.summary) &&
        isText(one.usage) &&
        typeof one.run === 'function' &&
        isOptional(one.group, group => COMMAND_GROUPS.includes(group as never)) &&
        isOptional(one.complete, complete => typeof complete === 'function'),
    ),
    `command must be { name, summary, usage, run, group, complete }: the name of lower-case letters, digits, "-" and "_", the group one of ${COMMAND_GROUPS.join(', ')}`,
  )
  check(
    isListOf(
      links,
      one =>
        isRecord(one) && isText(one.text) && isText(one.href) && RELATIVE_PATH.test(one.href) && isOwn(`/${one.href}`),
    ),
    'links must be a list of { href, text }, each href below one of the paths and without a leading slash',
  )
}

/** `<plugin>.<option>`. */
function isOptionPath(value: unknown): boolean {
  return isText(value) && /^[a-z0-9-]+\.\w+$/.test(value)
}

function checkVariables(variables: unknown): void {
  check(
    isRecord(variables) && Object.keys(variables).length <= MAX_ENTRIES,
    'variables must be an object that maps keys to variable definitions',
  )
  for (const [key, variable] of Object.entries(variables as Record<string, Partial<VariableDefinition> | undefined>)) {
    const { name, parser, description, shownAs, statusAs, secret } = variable ?? {}
    check(
      isText(name) && VARIABLE_NAME.test(name),
      `name of the variable ${key} must consist of upper-case letters, digits and "_"`,
    )
    check(
      isRecord(parser) && typeof parser.parse === 'function' && isText(parser.expected),
      `the variable ${name} has no parser`,
    )
    check(
      variable !== undefined && 'default' in variable && variable.default !== undefined,
      `the variable ${name} has no default (use null for none)`,
    )
    check(isText(description), `the variable ${name} has no description`)
    check(
      isOptional(shownAs, path => isText(path) && FIELD_PATH.test(path)),
      `shownAs of the variable ${name} must be a dotted path of lower-case names`,
    )
    check(
      isOptional(statusAs, path => isText(path) && FIELD_PATH.test(path) && !path.includes('.')),
      `statusAs of the variable ${name} must be a lower-case name`,
    )
    check(
      secret !== true || (statusAs === undefined && (shownAs?.endsWith('_configured') ?? true)),
      `the variable ${name} is secret: shownAs must end with "_configured"`,
    )
  }
}

function check(isValid: boolean, problem: string): asserts isValid {
  if (!isValid) throw new Error(problem)
}

function isFault(entry: unknown): boolean {
  const [word, fault] = entry as [string, unknown]
  if (!isLabel(word) || !isRecord(fault)) return false
  const { status, message, code, headers = {}, body } = fault
  return (
    Number.isInteger(status) &&
    (status as number) >= 400 &&
    (status as number) <= 599 &&
    isText(message) &&
    isOptional(code, isText) &&
    isOptional(body, isRecord) &&
    isRecord(headers) &&
    Object.entries(headers).every(([name, text]) => typeof text === 'string' && headerProblem(name, text) === null)
  )
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function isLabel(value: unknown): boolean {
  return isText(value) && LABEL.test(value)
}

function isOptional(value: unknown, isValid: (value: unknown) => boolean): boolean {
  return value === undefined || isValid(value)
}

function isListOf(value: unknown, isValid: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.length <= MAX_ENTRIES && value.every(isValid)
}
