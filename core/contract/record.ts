/** Objects of parsed JSON and YAML. Imports nothing, since browsers run it too. */

/** Whether a value is a JSON object (RFC 8259, 4): not null and not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
