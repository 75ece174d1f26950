/** Validates documents against the official JSON Schema of their OpenAPI version. */
import { Validator } from '@seriousme/openapi-schema-validator'
import { issue, type Issue } from '../document/issue.ts'
import type { JsonObject } from '../document/json.ts'
import { withoutKeywordsInData } from '../document/walk.ts'

/** Maximum number of reported issues. */
const LIMIT = 50

/** Created once, because compiling the official schemas takes longer than most checks. */
export class OfficialSchema {
  readonly #validator = new Validator({ allErrors: false, logger: false })

  /** `spec_invalid` warnings; empty if the document is valid. */
  async findings(root: JsonObject): Promise<Issue[]> {
    const { valid, errors } = await this.#validator.validate(withoutKeywordsInData(root))
    if (valid || errors === undefined) return []
    if (typeof errors === 'string') return [issue('spec_invalid', '#', errors)]
    return errors
      .slice(0, LIMIT)
      .map(error =>
        issue('spec_invalid', `#${error.instancePath}`, `${error.message ?? 'is not valid'}${extra(error.params)}`),
      )
  }
}

function extra(params: Record<string, unknown>): string {
  const name = params['unevaluatedProperty'] ?? params['additionalProperty'] ?? params['missingProperty']
  return typeof name === 'string' ? ` (${name})` : ''
}
