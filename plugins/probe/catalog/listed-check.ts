/** A check as `svc probe list --json` and `GET /_svc/probe/checks` show it. */
import { impactOf, type Check } from './check.ts'

export function listedCheck(check: Check): Record<string, unknown> {
  const { id, title, group, level, sources, since, hostile = false } = check
  return { id, title, group, level, impact: impactOf(check), sources, since, hostile }
}
