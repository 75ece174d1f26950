/** Checks a request as the vendor of the provider does. At `enforce` it is refused in the words of the vendor. */
import type { ModelCall } from '../call/model-call.ts'
import type { CallServices } from '../call/services.ts'
import { ProviderError } from '../contract/errors.ts'
import type { Violation } from '../contract/validation.ts'
import { isProblem, readStrictness, type Strictness, type StrictnessProblem } from '../validation/level.ts'
import { tagsOf } from '../validation/tags.ts'
import { errorOfViolation, isRefused, type CallValidation } from '../validation/violations.ts'

const HEADER = 'X-Svc-Validation'
const NONE: readonly Violation[] = []
const NO_FIELDS: ReadonlySet<string> = new Set()

/** Throws the vendor's error for the first violation that is refused, and an error for a wrong header. */
export function validateRequest(call: ModelCall, services: CallServices): boolean {
  const { modelRoute } = call
  if (modelRoute === null) return true
  const { strictness, isAsked } = chooseStrictness(call, services)
  const { validation } = modelRoute
  if (validation === undefined) return true
  const violations =
    strictness.level === 'off'
      ? NONE
      : strictness.except.length === 0
        ? violationsOf(call, services)
        : find(call, services, strictness.except)
  const refused =
    strictness.level === 'enforce' ? violations.find(({ rule }) => isRefused(rule, strictness)) : undefined
  if (violations.length === 0 && !isAsked) return true
  call.validation = { level: strictness.level, violations, refused: refused ?? null }
  if (call.isCounted) services.metrics.violated(call.validation)
  else if (call.isProbed) call.svc.use('core.tap').note(call.request, 'violations', violations.map(shownViolation))
  if (violations.length > 0) call.svc.inspector.annotate(call.request, { tags: tagsOf(call.validation) })
  if (refused !== undefined) throw refusalOf(refused, call.validation)
  return true
}

/** The violations of a request without regard to its level. Found once. */
export function violationsOf(call: ModelCall, services: CallServices): readonly Violation[] {
  return (call.foundViolations ??= find(call, services))
}

function find(call: ModelCall, { validator }: CallServices, except?: readonly string[]): readonly Violation[] {
  const validation = call.modelRoute?.validation
  const body = validation === undefined ? null : call.jsonOrNull()
  if (validation === undefined || body === null) return NONE
  return validator.find(
    validation,
    {
      path: call.path,
      body,
      bytes: call.body.length,
      // An item of a batch has the headers of the request that contains it.
      headers: call.request.headers,
      params: call.params,
      fields: call.instance.validation?.fields ?? NO_FIELDS,
    },
    except,
  )
}

/** The first that is given applies as a whole. `isAsked`: by the request or a rule. */
function chooseStrictness(call: ModelCall, { validator }: CallServices): { strictness: Strictness; isAsked: boolean } {
  const text = call.outerHeader('x-svc-validation')
  if (text !== undefined) {
    const read = readStrictness(text, validator.ids())
    if (isProblem(read))
      throw new ProviderError('bad_request', { message: `${HEADER}: ${messageOf(read)}`, param: HEADER })
    return { strictness: read, isAsked: true }
  }
  if (call.strictnessOfRule !== null) return { strictness: call.strictnessOfRule, isAsked: true }
  return { strictness: validator.strictnessOf(call.instance.validation), isAsked: false }
}

/** There are few levels and parameters, so the message lists them; of rules there are many. */
function messageOf({ message, at, remedy }: StrictnessProblem): string {
  return remedy === undefined || at.endsWith(']') ? message : `${message}; ${remedy}`
}

/** As a probe of gateways reports it. */
function shownViolation(violation: Violation): Record<string, unknown> {
  const { rule, at } = violation
  const [source] = rule.sources
  return {
    rule: rule.rule,
    at,
    message: errorOfViolation(violation).message,
    confidence: rule.confidence,
    phase: rule.phase,
    ...(source === undefined ? {} : { source: source.url ?? source.title }),
  }
}

function refusalOf(refused: Violation, { violations }: CallValidation): ProviderError {
  const { status, message, param, code, type } = errorOfViolation(refused)
  return new ProviderError('bad_request', {
    status,
    message,
    ...(param === undefined ? {} : { param }),
    ...(code === undefined ? {} : { code }),
    ...(type === undefined ? {} : { type }),
    violation: {
      rule: refused.rule.rule,
      all: violations
        .filter(({ rule }) => rule === refused.rule)
        .map(violation => ({
          at: violation.at,
          values: violation.values,
          message: errorOfViolation(violation).message,
        })),
    },
  })
}
