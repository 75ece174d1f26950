/** How to fix an item that a schema rejects, in one imperative sentence. */
import type { ErrorObject } from 'ajv'
import { unknownName } from '../toolkit/unknown-name.ts'

/** How to write a value of each JSON Schema type in YAML. */
const HOW_TO_WRITE: Record<string, string> = {
  string: 'text, in quotes if it looks like another type',
  number: 'a number, without quotes',
  integer: 'a whole number, without quotes',
  boolean: 'true or false, without quotes',
  array: 'a list: "- item" lines, or [a, b]',
  object: 'a mapping: "key: value" lines, indented',
  null: 'nothing after the colon',
}

/** Never contains the value, which may be a secret. */
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
      return 'use one of the listed values'
    case 'const':
      return `write ${JSON.stringify(params.allowedValue)}`
    case 'uniqueItems':
      return 'remove one of them'
    case 'maxItems':
    case 'maxProperties':
      return 'remove some of them'
    case 'oneOf':
    case 'anyOf':
      return 'see svc.yaml.example for the accepted forms'
    default:
      return 'change the value, or remove it to use the default'
  }
}

/** Keys that the object may have. */
export function knownKeys(error: ErrorObject): string[] {
  return Object.keys((error.parentSchema?.properties ?? {}) as object)
}
