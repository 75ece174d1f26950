/** Validates values against JSON Schema (2020-12) without generated code, which the content security policy blocks. */
import { Validator, type Schema } from '@cfworker/json-schema'

const MAX_PROBLEMS = 5

/** Validation errors, each with its location. An unusable schema is an error too. */
export function schemaProblems(value: unknown, schema: object): string[] {
  try {
    const { valid, errors } = new Validator(schema as Schema, '2020-12', false).validate(value)
    return valid
      ? []
      : errors.slice(-MAX_PROBLEMS).map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`)
  } catch (error) {
    return [`The schema cannot be used: ${(error as Error).message}`]
  }
}
