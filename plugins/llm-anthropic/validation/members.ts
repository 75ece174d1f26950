/** Unknown members. */
import type { CheckedRequest, Report } from '../../llm/types.ts'

export type Body = Readonly<Record<string, unknown>>

export function checkMembers(
  value: Body,
  known: ReadonlySet<string>,
  path: string,
  { fields }: CheckedRequest,
  report: Report,
): void {
  for (const name in value)
    if (!known.has(name) && !fields.has(name)) report('anthropic.unknown-field', path === '' ? name : `${path}.${name}`)
}
