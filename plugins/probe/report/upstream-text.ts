/** What a reader has to know of the upstream. */
import type { Report } from './report.ts'
import { visible } from 'svc/toolkit'

/** Null if every instance was there all the time. */
export function goneText({ upstream: { gone = [] } }: Pick<Report, 'upstream'>): string | null {
  if (gone.length === 0) return null
  const names = gone.map(visible).join(', ')
  return `${names} ended during the run; findings of checks that ran then were tried again.`
}
