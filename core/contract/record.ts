/** Records: objects with string keys, as parsed JSON and YAML have them. Imports nothing: the console's client uses it too. */

/** Whether a value is an object in the sense of JSON (RFC 8259, 4): not null, not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
