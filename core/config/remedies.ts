/** What to do about an item that a schema refuses, in one imperative sentence. */
import type { ErrorObject } from 'ajv'
import { unknownName } from '../contract/unknown-name.ts'

/** How a value of each type of JSON Schema is written in YAML. */
const HOW_TO_WRITE: Record<string, string> = {
  string: 'a text, in quotes if it looks like something else',
  number: 'a number, without quotes',
  integer: 'a whole number, without quotes',
  boolean: 'true or false, without quotes',
  array: 'a list: "- item" lines, or [a, b]',
  object: 'a mapping: "key: value" lines, indented',
  null: 'nothing after the colon',
}

/** Never holds the value, which may be a secret. */
export function remedyOf(error: ErrorObject): string {
  if (error.propertyName !== undefined) return 'rename the key'
  const { keyword, params } = error
  switch (keyword) {
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return unknownName('key', params.additionalProperty ?? params.unevaluatedProperty, knownKeys(error)).remedy
    case 'required':
    case 'dependentRequired':
      return `add "${params.missingProperty}: ..." here`
    case 'type':
      return `write ${[...new Set([params.type].flat())].map((type: string) => HOW_TO_WRITE[type] ?? type).join('; or ')}`
    case 'enum':
      return 'write one of these'
    case 'const':
      return `write ${JSON.stringify(params.allowedValue)}`
    case 'uniqueItems':
      return 'remove one of them'
    case 'maxItems':
    case 'maxProperties':
      return 'remove some'
    case 'oneOf':
    case 'anyOf':
      return 'see svc.yaml.example for the forms'
    default:
      return 'change the value, or remove it for its default'
  }
}

/** Keys that the object may have. */
export function knownKeys(error: ErrorObject): string[] {
  return Object.keys((error.parentSchema?.properties ?? {}) as object)
}
