/** Routes of rules: list, read, store, change and remove. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { describe, HttpError, type RouteExample, type RouteParameter } from '../contract/plugin.ts'
import { mergePatch, type Json, type JsonObject } from '../contract/json.ts'
import { nearest } from '../toolkit/nearest.ts'
import { isTooExpensive } from '../contract/budgets.ts'
import { readOrProblems, showProblems } from '../toolkit/all-problems.ts'
import type { Problem } from '../toolkit/input-problem.ts'
import { isNestedWithin } from '../toolkit/json-depth.ts'
import { isRecord } from '../contract/record.ts'
import { mergeByPriority, type GenerationRules, type RuleEntry } from '../rules/rule-entry.ts'
import { RULE_SCHEMA } from '../rules/rule-schema.ts'
import { readRule, type Rule } from '../rules/rule.ts'
import { viewRule } from '../rules/rule-view.ts'
import { TooManyRules } from '../rules/rule-book.ts'
import type { ControlDeps } from './deps.ts'
import { readableScope, SCOPE_PARAMETERS as PARAMETERS, writableScope } from './rule-scope.ts'
import { RECORD } from '../toolkit/reply-schemas.ts'
import { RULE, SVC_RULES, SVC_RULES_DELETE, SVC_RULES_POST } from './reply-schemas/rules.ts'

const category = 'Testing'
const NAME: RouteParameter = {
  name: 'name',
  in: 'path',
  required: true,
  description: 'Name of the rule',
  schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$' },
}
const DEMO = JSON.stringify({ match: { path: '/example' }, then: [{ fail: 503, times: 2 }] })
const JSON_HEADERS = [{ name: 'Content-Type', value: 'application/json' }]
const MAX_LIST_BYTES_FACTOR = 4
const MAX_DEPTH = 160

const BAD_REQUEST = { description: 'A parameter is invalid, or `session` is missing in public mode.' }
const WRITE_RESPONSES = {
  400: {
    description: 'The rule is wrong: `at` names the place of the first mistake, and `problems` lists all of several.',
  },
  401: { description: 'The admin token is missing or wrong, and the rule belongs to the instance.' },
  403: { description: 'Rules of the instance cannot be changed in public mode without an admin token.' },
  409: { description: 'The rule belongs to a file.' },
  429: { description: 'Too many rules.' },
}

function example(
  name: string,
  method: string,
  path: string,
  body?: string,
  expectStatus: number | null = null,
): RouteExample {
  return body === undefined
    ? { name, method, path, expectStatus }
    : { name, method, path, headers: JSON_HEADERS, body, bodyType: 'json', expectStatus }
}

/** Registers `/_svc/rules` and the routes below it. */
export function registerRules(app: FastifyInstance, deps: ControlDeps): void {
  registerReading(app, deps)
  registerWriting(app, deps)
  registerRemoval(app, deps)
}

function registerReading(app: FastifyInstance, deps: ControlDeps): void {
  const { book, ofGeneration } = deps.rules
  app.get(
    '/_svc/rules',
    describe({
      summary: 'Rules in the order of evaluation',
      reply: SVC_RULES,
      description: 'Those of the session, if the request names one, and those of the instance.',
      category,
      parameters: PARAMETERS,
      responses: { 200: { description: 'The rules.' }, 400: BAD_REQUEST },
      examples: [example('Rules of a session', 'GET', '/_svc/rules?session=demo', undefined, 200)],
    }),
    async request => {
      const { session, showsInstance } = readableScope(request, deps)
      const rules = ofGeneration(request)
      const own = session === null ? [] : book.list(rules, session).entries
      const entries = mergeByPriority(own, showsInstance ? book.list(rules, null).entries : [])
      const shown = entries.filter(entry => entry.expiresAt === null || entry.expiresAt > Date.now())
      const { instanceRules, sessionRules, ruleBytes, steps, tests } = book.bounds
      return {
        count: shown.length,
        session,
        limits: { instance_rules: instanceRules, session_rules: sessionRules, rule_bytes: ruleBytes, steps, tests },
        rules: await Promise.all(shown.map(entry => show(entry, session, deps))),
      }
    },
  )
  app.get(
    '/_svc/rules/:name',
    describe({
      summary: 'One rule',
      reply: RULE,
      description: "The session's, otherwise the instance's.",
      category,
      parameters: [NAME, ...PARAMETERS],
      responses: {
        200: { description: 'The rule.' },
        400: BAD_REQUEST,
        404: { description: 'No rule has this name.' },
      },
      examples: [example('An unknown rule', 'GET', '/_svc/rules/no-such-rule?session=demo', undefined, 404)],
    }),
    async request => {
      const { session, showsInstance } = readableScope(request, deps)
      const name = nameOf(request)
      const entry =
        (session === null ? undefined : findEntry(name, session, ofGeneration(request), deps)) ??
        (showsInstance ? findEntry(name, null, ofGeneration(request), deps) : undefined)
      if (entry === undefined) throw unknownRule(name, request, session, deps)
      return show(entry, session, deps)
    },
  )
}

function registerWriting(app: FastifyInstance, deps: ControlDeps): void {
  const { book, ofGeneration } = deps.rules
  app.put(
    '/_svc/rules/:name',
    describe({
      summary: 'Store or replace a rule',
      reply: RULE,
      description:
        'Replacing a rule resets its counters. Rules of the instance require the admin token if one is configured.',
      category,
      parameters: [NAME, ...PARAMETERS],
      requestBody: { required: true, content: { 'application/json': RULE_SCHEMA } },
      responses: { 200: { description: 'Replaced.' }, 201: { description: 'Stored.' }, ...WRITE_RESPONSES },
      examples: [example('Fail twice', 'PUT', '/_svc/rules/fail-twice?session=demo', DEMO)],
    }),
    async (request, reply) => {
      const session = writableScope(request, deps)
      const name = nameOf(request)
      const body = readBody(request, deps)
      if (isRecord(body) && body.name !== undefined && body.name !== name)
        throw invalidRule({ at: 'name', details: `expected ${name}, the name in the path` })
      const rule = await readOrThrow(isRecord(body) ? { ...body, name } : body, request, deps)
      rejectFileName([rule], session, request, deps)
      const { replaced } = await store([rule], session, deps)
      const entry = findEntry(name, session, ofGeneration(request), deps)!
      return reply.code(replaced.length > 0 ? 200 : 201).send(await show(entry, session, deps))
    },
  )
  app.patch(
    '/_svc/rules/:name',
    describe({
      summary: 'Change a rule',
      reply: RULE,
      description: 'A JSON Merge Patch (RFC 7396). The counters go on.',
      category,
      parameters: [NAME, ...PARAMETERS],
      requestBody: { required: true, content: { 'application/merge-patch+json': { title: 'RulePatch', ...RECORD } } },
      responses: {
        200: { description: 'Changed.' },
        404: { description: 'No rule has this name.' },
        ...WRITE_RESPONSES,
      },
      examples: [example('Switch off', 'PATCH', '/_svc/rules/fail-twice?session=demo', '{"enabled":false}')],
    }),
    async request => {
      const session = writableScope(request, deps)
      const name = nameOf(request)
      const known = book.stored(name, session)
      if (known === undefined) {
        rejectFileName([{ name }], session, request, deps)
        throw unknownRule(name, request, session, deps)
      }
      const patch = readBody(request, deps)
      if (!isRecord(patch)) throw invalidRule({ at: '', details: 'expected an object with the members to change' })
      const changed = mergePatch(known.rule, patch as JsonObject)
      if ((changed as JsonObject).name !== name)
        throw invalidRule({ at: 'name', details: `expected ${name}, the name in the path` })
      await store([await readOrThrow(changed, request, deps)], session, deps, { keepsCounters: true })
      return show(findEntry(name, session, ofGeneration(request), deps)!, session, deps)
    },
  )
  app.post(
    '/_svc/rules',
    describe({
      summary: 'Store rules, all or none',
      reply: SVC_RULES_POST,
      description: 'One rule or a list. Rules without a name are named `r1`, `r2`, …',
      category,
      parameters: PARAMETERS,
      requestBody: {
        required: true,
        content: {
          'application/json': {
            title: 'RuleOrRules',
            oneOf: [RULE_SCHEMA, { type: 'array', minItems: 1, items: RULE_SCHEMA }],
          },
        },
      },
      responses: { 201: { description: 'The rules.' }, ...WRITE_RESPONSES },
      examples: [example('Store a rule', 'POST', '/_svc/rules?session=demo', DEMO)],
    }),
    async (request, reply) => {
      const session = writableScope(request, deps)
      const body = readBody(request, deps)
      const list = Array.isArray(body) ? body : [body]
      if (list.length === 0) throw invalidRule({ at: '', details: 'expected a rule or a list of at least one rule' })
      const rules = await readList(list, Array.isArray(body), session, request, deps)
      rejectFileName(rules, session, request, deps)
      await store(rules, session, deps)
      const generation = ofGeneration(request)
      const views = rules.map(({ name }) => show(findEntry(name, session, generation, deps)!, session, deps))
      return reply.code(201).send({ count: rules.length, rules: await Promise.all(views) })
    },
  )
}

function registerRemoval(app: FastifyInstance, deps: ControlDeps): void {
  const { book } = deps.rules
  app.delete(
    '/_svc/rules/:name',
    describe({
      summary: 'Remove a rule',
      reply: SVC_RULES_DELETE,
      category,
      parameters: [NAME, ...PARAMETERS],
      responses: {
        200: { description: 'Removed.' },
        404: { description: 'No rule has this name.' },
        ...WRITE_RESPONSES,
      },
      examples: [example('Remove a rule', 'DELETE', '/_svc/rules/fail-twice?session=demo')],
    }),
    async request => {
      const session = writableScope(request, deps)
      const name = nameOf(request)
      const removed = await book.remove(session, name)
      if (removed > 0) return { removed }
      rejectFileName([{ name }], session, request, deps)
      throw unknownRule(name, request, session, deps)
    },
  )
  app.delete(
    '/_svc/rules',
    describe({
      summary: 'Remove all rules that were stored over HTTP',
      reply: SVC_RULES_DELETE,
      description: 'Those of the session, or of the instance if the request names no session.',
      category,
      parameters: PARAMETERS,
      responses: {
        200: { description: 'The number of removed rules.' },
        400: BAD_REQUEST,
        401: WRITE_RESPONSES[401],
        403: WRITE_RESPONSES[403],
      },
      examples: [example('Remove the rules of a session', 'DELETE', '/_svc/rules?session=demo', undefined, 200)],
    }),
    async request => ({ removed: await book.remove(writableScope(request, deps)) }),
  )
}

function nameOf(request: FastifyRequest): string {
  return (request.params as { name: string }).name
}

function readBody(request: FastifyRequest, { http, rules }: ControlDeps): Json {
  const body = http.body(request)
  const { bounds } = rules.book
  if (body.length > bounds.ruleBytes * MAX_LIST_BYTES_FACTOR * 4)
    throw invalidRule({ at: '', details: 'the body is too large' })
  try {
    const value = JSON.parse(body.toString()) as Json
    if (isNestedWithin(value, MAX_DEPTH)) return value
  } catch (error) {
    throw new HttpError(400, {
      error: 'invalid_json',
      details: `the body is not valid JSON: ${(error as SyntaxError).message}`,
    })
  }
  throw invalidRule({ at: '', details: `expected at most ${MAX_DEPTH} levels` })
}

/** The problem, with all of them in `problems` if there are several. */
function invalidRule(problem: Problem & { problems?: Problem[] }): HttpError {
  return new HttpError(400, { error: 'invalid_rule', ...problem })
}

/** Checking a rule compiles its patterns, which is paid from a budget, and takes a turn as evaluations do. */
function readOrThrow(value: unknown, request: FastifyRequest, deps: ControlDeps, at = ''): Promise<Rule> {
  const { book, ofGeneration } = deps.rules
  const { vocabulary } = ofGeneration(request)
  return deps.inspector.evaluations.inTurn(() => {
    const checks = deps.inspector.evaluations.budget()
    try {
      const read = readOrProblems(
        value,
        at,
        given => readRule(given, at, { ...vocabulary, bounds: book.bounds, checks }),
        place => (/^then(?:\[\d+\])?$/.test(place) ? { pass: true } : undefined),
      )
      if ('problems' in read) throw invalidRule(showProblems(read.problems))
      return read.value
    } catch (error) {
      if (!isTooExpensive(error)) throw error
      throw invalidRule({
        at: at === '' ? 'match' : `${at}.match`,
        details: `${error.message}: use fewer or shorter patterns`,
      })
    }
  })
}

/** Reads a list of rules and names those without a name. */
async function readList(
  list: readonly Json[],
  isList: boolean,
  session: string | null,
  request: FastifyRequest,
  deps: ControlDeps,
): Promise<Rule[]> {
  const generation = deps.rules.ofGeneration(request)
  const taken = new Set([
    ...deps.rules.book.list(generation, session).entries.map(({ rule }) => rule.name),
    ...list.flatMap(value => (isRecord(value) && typeof value.name === 'string' ? [value.name] : [])),
  ])
  const names = new Set<string>()
  const rules: Rule[] = []
  let number = 0
  for (const [index, value] of list.entries()) {
    const at = isList ? `[${index}]` : ''
    let given = value
    if (isRecord(value) && value.name === undefined) {
      do number++
      while (taken.has(`r${number}`))
      taken.add(`r${number}`)
      given = { name: `r${number}`, ...value }
    }
    const rule = await readOrThrow(given, request, deps, at)
    if (names.has(rule.name)) throw invalidRule({ at: `${at}.name`, details: `the name ${rule.name} occurs twice` })
    names.add(rule.name)
    rules.push(rule)
  }
  return rules
}

async function store(
  rules: readonly Rule[],
  session: string | null,
  { rules: { book } }: ControlDeps,
  options?: { keepsCounters: boolean },
): Promise<{ replaced: readonly unknown[] }> {
  try {
    return await book.put(rules, session, options)
  } catch (error) {
    if (!(error instanceof TooManyRules)) throw error
    throw new HttpError(429, { error: 'too_many_rules', limit: error.limit })
  }
}

/** The rules of files change with the files only. */
function rejectFileName(
  rules: readonly { name: string }[],
  session: string | null,
  request: FastifyRequest,
  deps: ControlDeps,
): void {
  if (session !== null) return
  const generation = deps.rules.ofGeneration(request)
  for (const { name } of rules) {
    const entry = generation.find(name, null)
    if (entry === undefined) continue
    throw new HttpError(409, {
      error: 'rule_from_file',
      name,
      source: entry.source,
      details: 'store a rule with a higher priority to override it',
    })
  }
}

function findEntry(
  name: string,
  session: string | null,
  generation: GenerationRules,
  { rules }: ControlDeps,
): RuleEntry | undefined {
  return rules.book
    .list(generation, session)
    .entries.find(entry => entry.rule.name === name && (entry.expiresAt === null || entry.expiresAt > Date.now()))
}

function unknownRule(name: string, request: FastifyRequest, session: string | null, deps: ControlDeps): HttpError {
  const generation = deps.rules.ofGeneration(request)
  const meant = nearest(
    name,
    deps.rules.book.list(generation, session).entries.map(({ rule }) => rule.name),
  )
  return new HttpError(404, {
    error: 'unknown_rule',
    name: name.slice(0, 200),
    ...(meant === undefined ? {} : { did_you_mean: meant }),
  })
}

async function show(entry: RuleEntry, session: string | null, { config, rules }: ControlDeps): Promise<JsonObject> {
  const view = viewRule(entry, await rules.book.countsOf(entry, session))
  if (config.publicMode && typeof view.file === 'string') view.file = view.file.slice(view.file.lastIndexOf('/') + 1)
  return view
}
