/** Errors that rules of chat completions and responses have in common. */
import type { ViolationError } from '../../llm/types.ts'

export const UNKNOWN: ViolationError = {
  message: "Unknown parameter: '{at}'.",
  param: '{at}',
  code: 'unknown_parameter',
}

export const NAME_PATTERN: ViolationError = {
  message:
    "Invalid '{at}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
  param: '{at}',
  code: 'invalid_value',
}

export const TEXT_TOO_LONG: ViolationError = {
  message:
    "Invalid '{at}': string too long. Expected a string with maximum length {max}, but got a string with length {n} instead.",
  param: '{at}',
  code: 'string_above_max_length',
}

export const LIST_TOO_LONG: ViolationError = {
  message:
    "Invalid '{at}': array too long. Expected an array with maximum length {max}, but got an array with length {n} instead.",
  param: '{at}',
  code: 'array_above_max_length',
}

export const ABOVE: ViolationError = {
  message: "Invalid '{at}': {kind} above maximum value. Expected a value <= {bound}, but got {value} instead.",
  param: '{at}',
  code: '{kind}_above_max_value',
}

export const BELOW: ViolationError = {
  message: "Invalid '{at}': {kind} below minimum value. Expected a value >= {bound}, but got {value} instead.",
  param: '{at}',
  code: '{kind}_below_min_value',
}

export const TOO_MANY_PAIRS: ViolationError = {
  message:
    "Invalid 'metadata': too many properties. Expected an object with at most 16 properties, but got an object with {n} properties instead.",
  param: 'metadata',
  code: 'object_above_max_properties',
}

export const STREAM_OPTIONS_ALONE: ViolationError = {
  message: "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
  param: 'stream_options',
}

const UNSUPPORTED = "Unsupported parameter: '{at}' is not supported with this model."

export const UNSUPPORTED_PARAMETER: ViolationError = {
  message: UNSUPPORTED,
  param: '{at}',
  code: 'unsupported_parameter',
}

/** As responses have it: without a code. */
export const UNSUPPORTED_WITHOUT_CODE: ViolationError = { message: UNSUPPORTED, param: '{at}' }

const SCHEMA = "Invalid schema for {of} '{name}': "

/** Errors about the schema of a function or of the format, by what is wrong. */
export function schemaForms(error: Omit<ViolationError, 'message'>): Record<string, ViolationError> {
  return {
    root: { message: `${SCHEMA}schema must be a JSON Schema of 'type: "object"', got 'type: "{type}"'.`, ...error },
    items: { message: `${SCHEMA}In context={context}, array schema missing items.`, ...error },
    additional: {
      message: `${SCHEMA}In context={context}, 'additionalProperties' is required to be supplied and to be false.`,
      ...error,
    },
    required: {
      message: `${SCHEMA}In context={context}, 'required' is required to be supplied and to be an array including every key in properties. Missing '{key}'.`,
      ...error,
    },
    keyword: { message: `${SCHEMA}In context={context}, '{keyword}' is not permitted.`, ...error },
  }
}
