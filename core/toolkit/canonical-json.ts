/** The text of a JSON value that is the same for the same value. */
import { isRecord } from '../contract/record.ts'

/** Members are sorted. For values of JSON only. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    isRecord(member) ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1))) : member,
  )
}
