/** `/ai/validation`: the rules of the vendors, where they are from, and which providers have them. */
import { describe, HttpError, type FastifyInstance, type RouteDescription } from 'svc/plugin'
import { nearest } from 'svc/toolkit'
import { CATEGORY } from '../contract/category.ts'
import {
  CONFIDENCES,
  PHASES,
  type RouteValidation,
  type ValidationLimit,
  type ValidationRule,
} from '../contract/validation.ts'
import { AI_VALIDATION, AI_VALIDATION_RULE } from '../replies.ts'
import { LEVELS, matches } from '../validation/level.ts'
import { MODEL_CLASSES } from '../validation/model-classes.ts'
import type { Validator } from '../validation/validator.ts'
import type { ServedValidation } from './provider-registry.ts'

const PARAMETERS = ['flavour', 'rule', 'confidence'] as const
type Query = Partial<Record<string, string | string[]>>

const text = { type: 'string', maxLength: 100 } as const
const list: RouteDescription = {
  summary: 'Mock LLM: list what vendors refuse',
  reply: AI_VALIDATION,
  category: CATEGORY,
  description:
    'The rules by which requests are checked, in the order of evaluation, with the errors and their sources.',
  parameters: [
    { name: 'flavour', in: 'query', description: 'Only the rules of this variant of a wire format', schema: text },
    { name: 'rule', in: 'query', description: 'Only this rule; the name may end in *', schema: text },
    { name: 'confidence', in: 'query', description: 'Only rules that are this certain', schema: { enum: CONFIDENCES } },
  ],
  responses: { 200: { description: 'The rules' }, 400: { description: 'A parameter or its value is unknown' } },
  examples: [
    { name: 'All', path: '/ai/validation', expectStatus: 200 },
    { name: 'Tools of OpenAI', path: '/ai/validation?rule=openai.tool-*', expectStatus: 200 },
  ],
}
const one: RouteDescription = {
  summary: 'Mock LLM: get a rule of a vendor',
  reply: AI_VALIDATION_RULE,
  category: CATEGORY,
  path: '/ai/validation/{rule}',
  parameters: [{ name: 'rule', in: 'path', required: true, description: 'Id of the rule', schema: text }],
  responses: { 200: { description: 'The rule' }, 404: { description: 'There is no such rule' } },
  examples: [{ name: 'Unknown rule', path: '/ai/validation/openai.no-such-rule', expectStatus: 404 }],
}

/** `served`: the routes that have rules, with the providers that serve them. */
export function registerValidationRoutes(
  app: FastifyInstance,
  { validator, served }: { validator: Validator; served: () => readonly ServedValidation[] },
): void {
  app.get<{ Querystring: Query }>('/ai/validation', describe(list), (request, reply) => {
    const filter = readFilter(request.query, served())
    const routes = served()
    return reply.send({
      level: validator.strictness.level,
      levels: LEVELS,
      flavours: flavoursOf(routes).filter(({ flavour }) => filter.flavour === null || flavour === filter.flavour),
      classes: MODEL_CLASSES,
      lists: listsOf(routes),
      limits: limitsOf(routes).filter(({ flavour }) => filter.flavour === null || flavour === filter.flavour),
      rules: rulesOf(routes)
        .filter(
          ({ rule, flavours }) =>
            (filter.flavour === null || flavours.includes(filter.flavour)) &&
            (filter.rule === null || matches(filter.rule, rule.rule)) &&
            (filter.confidence === null || rule.confidence === filter.confidence),
        )
        .map(showRule),
    })
  })

  app.get<{ Params: { rule: string } }>('/ai/validation/:rule', describe(one), (request, reply) => {
    const { rule: id } = request.params
    const rules = rulesOf(served())
    const found = rules.find(({ rule }) => rule.rule === id)
    if (found !== undefined) return reply.send(showRule(found))
    const guess = nearest(
      id.slice(0, 100),
      rules.map(({ rule }) => rule.rule),
    )
    throw new HttpError(404, { error: 'unknown_rule', ...(guess === undefined ? {} : { did_you_mean: guess }) })
  })
}

interface Filter {
  flavour: string | null
  rule: string | null
  confidence: string | null
}

/** Throws for an unknown parameter, and for a value that selects nothing that exists. */
function readFilter(query: Query, served: readonly ServedValidation[]): Filter {
  const filter: Filter = { flavour: null, rule: null, confidence: null }
  for (const [name, value] of Object.entries(query)) {
    const known = PARAMETERS.find(parameter => parameter === name)
    if (known === undefined || typeof value !== 'string' || !isKnown(known, value, served))
      throw new HttpError(400, { error: 'invalid_filter', parameter: name })
    filter[known] = value
  }
  return filter
}

function isKnown(name: (typeof PARAMETERS)[number], value: string, served: readonly ServedValidation[]): boolean {
  if (name === 'confidence') return CONFIDENCES.some(confidence => confidence === value)
  if (name === 'flavour') return served.some(({ validation }) => validation.flavour === value)
  return served.some(({ validation }) => validation.rules.some(({ rule }) => matches(value, rule)))
}

interface Flavour {
  flavour: string
  routes: { method: string; path: string }[]
  providers: string[]
}

function flavoursOf(served: readonly ServedValidation[]): Flavour[] {
  const flavours = new Map<string, Flavour>()
  for (const { validation, method, path, provider } of served) {
    const { flavour } = validation
    const known = flavours.get(flavour) ?? { flavour, routes: [], providers: [] }
    known.routes.push({ method, path })
    if (!known.providers.includes(provider)) known.providers.push(provider)
    flavours.set(flavour, known)
  }
  return [...flavours.values()]
}

function listsOf(served: readonly ServedValidation[]): NonNullable<RouteValidation['lists']> {
  const lists = served.flatMap(({ validation }) => validation.lists ?? [])
  return [...new Map(lists.map(known => [known.list, known])).values()]
}

function limitsOf(served: readonly ServedValidation[]): (ValidationLimit & { flavour: string })[] {
  const known = new Map(served.map(({ validation }) => [validation.flavour, validation.limits ?? []]))
  return [...known].flatMap(([flavour, limits]) => limits.map(limit => ({ flavour, ...limit })))
}

interface ListedRule {
  rule: ValidationRule
  flavours: string[]
}

/** The rules in the order of evaluation. Flavours with another text of the same rule have an entry of their own. */
function rulesOf(served: readonly ServedValidation[]): ListedRule[] {
  const listed = new Map<ValidationRule, ListedRule>()
  for (const { validation } of served)
    for (const rule of validation.rules) {
      const known = listed.get(rule) ?? { rule, flavours: [] }
      if (!known.flavours.includes(validation.flavour)) known.flavours.push(validation.flavour)
      listed.set(rule, known)
    }
  return [...listed.values()].sort(
    (one, other) =>
      prefixOf(one.rule).localeCompare(prefixOf(other.rule)) ||
      PHASES.indexOf(one.rule.phase) - PHASES.indexOf(other.rule.phase),
  )
}

function prefixOf({ rule }: ValidationRule): string {
  return rule.slice(0, rule.indexOf('.'))
}

function showRule({ rule, flavours }: ListedRule): object {
  const {
    rule: id,
    phase,
    confidence,
    status = 400,
    condition,
    message,
    param,
    code,
    type,
    forms,
    wording,
    sources,
  } = rule
  return {
    rule: id,
    flavours,
    phase,
    confidence,
    status,
    condition,
    message,
    error: { param: param ?? null, code: code ?? null, ...(type === undefined ? {} : { type }) },
    ...(forms === undefined ? {} : { forms }),
    wording: wording ?? 'confirmed',
    sources,
  }
}
