/** Values against JSON Schema (2020-12), without compiling code, which the page's policy refuses. */
import { Validator, type Schema } from '@cfworker/json-schema'

const MAX_PROBLEMS = 5

/** What does not fit, each as a sentence with its place; a schema that can't be used is a problem too. */
export function schemaProblems(value: unknown, schema: object): string[] {
  try {
    const { valid, errors } = new Validator(schema as Schema, '2020-12', false).validate(value)
    return valid
      ? []
      : errors.slice(-MAX_PROBLEMS).map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`)
  } catch (error) {
    return [`The schema can't be used: ${(error as Error).message}`]
  }
}
