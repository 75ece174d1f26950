/** Reads a demo: with its errors, and with its references checked against the defaults of its variables. */
import type { Json, JsonObject } from 'svc/plugin'
import { asObject, asText, below, InputProblem, unknownName } from 'svc/toolkit'
import { MAX_STEPS } from './bounds.ts'
import { AREAS, type Demo, type DemoRoute, type GatewayFiles, type Step, type Variable } from './demo.ts'
import { readLogin } from './read-login.ts'
import { readStep } from './read-step.ts'
import { headersOf, readAction, tlsOf } from './read-traffic.ts'
import { replaceReferences, scopeOf } from './references.ts'
import { checkedPath, Part } from './values.ts'

const KEYS = [
  'demo',
  'title',
  'area',
  'shows',
  'minutes',
  'feature',
  'route',
  'steps',
  'control',
  'gateways',
  'files',
  'needs',
  'settings',
  'lanes',
  'mocks',
  'tokens',
  'variables',
  'presenter',
  'learn',
]
const RESERVED = ['runs', 'check']
/** Stands for values that a run knows only later. */
const LATER = 'later'

/** Throws `InputProblem` for the first mistake. */
export function readDemo(value: unknown): Demo {
  const part = new Part(value as Json, '', KEYS)
  const demo = part.text('demo', 40)
  if (!/^[a-z0-9-]{1,40}$/.test(demo)) throw new InputProblem('demo', 'expected 1 to 40 characters of a-z, 0-9 and -')
  if (RESERVED.includes(demo)) throw new InputProblem('demo', `${demo} is reserved`)
  const lanes = part.texts('lanes', 10)
  for (const [index, lane] of lanes.entries())
    if (!/^[a-z0-9-]{1,20}$/.test(lane)) throw new InputProblem(`lanes[${index}]`, 'expected characters of a-z, 0-9, -')
  const variables = variablesOf(part)
  const tokens = objectsOf(part, 'tokens')
  const steps = part.list('steps', MAX_STEPS).map((step, index) => asObject(step, `steps[${index}]`))
  if (steps.length === 0) throw new InputProblem('steps', 'expected at least one step')
  const known: Record<string, Json> = {
    run: LATER,
    session: LATER,
    ...variables,
    ...Object.fromEntries(Object.keys(tokens).map(name => [`token.${name}`, LATER])),
    ...Object.fromEntries(lanes.map(lane => [`lane.${lane}`, `/s/lane-${lane}`])),
  }
  const used = new Set<string>()
  const replaced = (given: Json, at: string): Json => {
    const found = replaceReferences(given, at, scopeOf(known))
    for (const name of found.used) used.add(name)
    return found.value
  }
  const read: Demo = {
    demo,
    title: part.text('title', 200),
    area: part.oneOf('area', AREAS),
    shows: part.text('shows', 1000),
    minutes: part.numberOr('minutes', 0.5, 60, 2),
    feature: part.textOr('feature', demo),
    route: readRoute(replaced(part.given.route ?? null, 'route')),
    rawRoute: part.given.route!,
    needs: part.texts('needs', 20),
    settings: part.named('settings'),
    lanes,
    mocks: objectsOf(part, 'mocks'),
    tokens,
    variables,
    presenter: part.textOr('presenter', ''),
    learn: part.texts('learn', 20),
    control: part.has('control') ? part.oneOf('control', ['seen', 'not-seen'] as const) : 'not-seen',
    gateways: gatewaysOf(part),
    files: filesOf(part),
    steps,
    warnings: [],
  }
  for (const name of checkSteps(steps, { lanes, known, variables }, replaced)) used.add(name)
  replaced(part.given.tokens ?? {}, 'tokens')
  const unused = Object.keys(variables).filter(name => !used.has(name))
  return { ...read, warnings: unused.map(name => `variables.${name}: no text of the demo uses it`) }
}

interface Known {
  lanes: readonly string[]
  /** References. */
  known: Record<string, Json>
  variables: Readonly<Record<string, Variable>>
}

/** Values that a step captures can be used by the steps after it. Returns the variables on which expectations depend. */
function checkSteps(
  steps: readonly JsonObject[],
  { lanes, known, variables }: Known,
  replaced: (given: Json, at: string) => Json,
): Set<string> {
  const ids = new Set<string>()
  const conditions = new Set<string>()
  for (const [index, given] of steps.entries()) {
    const at = below('steps', index)
    const step = readStep(replaced(given, at), at, index + 1, lanes)
    if (ids.has(step.id)) throw new InputProblem(below(at, 'id'), `another step has the id ${step.id}`)
    ids.add(step.id)
    for (const name of capturedBy(step)) known[`${step.id}.${name}`] = LATER
    for (const [position, { when }] of step.expect.entries())
      for (const [name] of when) {
        checkVariable(name, below(below(at, 'expect'), position), variables)
        conditions.add(name)
      }
  }
  return conditions
}

function checkVariable(name: string, at: string, variables: Readonly<Record<string, Variable>>): void {
  if (Object.hasOwn(variables, name)) return
  const { message, remedy } = unknownName('variable', name, Object.keys(variables))
  throw new InputProblem(below(below(at, 'when'), name), message, remedy)
}

function capturedBy({ expect }: Step): string[] {
  return expect.flatMap(({ test }) => (test.kind === 'capture' ? Object.keys(test.values) : []))
}

/** Throws `InputProblem`. */
export function readRoute(value: Json): DemoRoute {
  const part = new Part(value, 'route', ['path', 'headers', 'bearer', 'certificate', 'server_name', 'login', 'do'])
  const [path, headers] = [part.path('path'), headersOf(part, 'headers')]
  return {
    path,
    headers,
    bearer: part.optionalText('bearer'),
    ...tlsOf(part),
    login: part.has('login') ? readLogin(part.given.login, part.place('login'), headers, path) : null,
    action: part.has('do') ? readAction(part.given.do!, part.place('do')) : { do: 'ping' },
  }
}

function variablesOf(part: Part): Record<string, Variable> {
  const given = part.object('variables')
  for (const [name, value] of Object.entries(given)) {
    const at = below('variables', name)
    if (!/^[a-z_][a-z0-9_]{0,39}$/.test(name)) throw new InputProblem(at, 'expected letters, digits and _')
    if (['run', 'session'].includes(name)) throw new InputProblem(at, `${name} is the id of the run`)
    if (!['string', 'number', 'boolean'].includes(typeof value))
      throw new InputProblem(at, 'expected a text, a number, true or false')
  }
  return given as Record<string, Variable>
}

function objectsOf(part: Part, key: string): Record<string, JsonObject> {
  const given = Object.entries(part.object(key))
  return Object.fromEntries(
    given.map(([name, value]) => {
      const at = below(key, name)
      if (!/^[\w-]{1,40}$/.test(name)) throw new InputProblem(at, 'expected a name of letters, digits, - and _')
      return [name, asObject(value, at)]
    }),
  )
}

function gatewaysOf(part: Part): Record<string, GatewayFiles> {
  return Object.fromEntries(
    Object.entries(part.object('gateways')).map(([name, value]) => {
      const own = new Part(value, below('gateways', name), ['snippet', 'compose', 'note'])
      const file = (key: string): string | null => (own.has(key) ? fileName(own.text(key, 200), own.place(key)) : null)
      return [name, { snippet: file('snippet'), compose: file('compose'), note: own.optionalText('note') }]
    }),
  )
}

/** By name, the path at svc. */
function filesOf(part: Part): Record<string, string> {
  return Object.fromEntries(
    Object.entries(part.object('files')).map(([name, path]) => {
      const at = below('files', name)
      if (!/^[\w][\w.-]{0,39}$/.test(name)) throw new InputProblem(at, 'expected a file name such as ca.pem')
      return [name, checkedPath(asText(path, at, 1000, 1), at)]
    }),
  )
}

/** Below the folder of the demo. */
function fileName(text: string, at: string): string {
  if (!/^[\w][\w./-]*$/.test(text) || text.split('/').includes('..'))
    throw new InputProblem(at, 'expected a file below the folder of the demo, such as retry/nginx.conf')
  return text
}

/**
 * The values of variables with those of a run in place of the defaults. Throws `InputProblem` for an unknown name, and for a value
 * of another type; texts of the command line are read as the type of the default.
 */
export function withValues(
  variables: Readonly<Record<string, Variable>>,
  set: Readonly<Record<string, unknown>>,
): Record<string, Variable> {
  const values = { ...variables }
  for (const [name, value] of Object.entries(set)) {
    const at = below('set', name)
    const fallback = variables[name]
    if (fallback === undefined || !Object.hasOwn(variables, name)) {
      new Part({ [name]: null }, 'set', Object.keys(variables))
      throw new InputProblem(at, 'unknown variable')
    }
    values[name] = typed(value, typeof fallback, at)
  }
  return values
}

function typed(value: unknown, type: string, at: string): Variable {
  if (typeof value === type && (type !== 'string' || asText(value as Json, at, 1000) === value))
    return value as Variable
  if (type === 'number' && typeof value === 'string' && /^-?\d{1,12}(?:\.\d{1,6})?$/.test(value)) return Number(value)
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true'
  throw new InputProblem(at, `expected a ${type === 'string' ? 'text' : type === 'number' ? 'number' : 'truth value'}`)
}
