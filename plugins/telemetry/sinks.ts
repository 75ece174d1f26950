/** What all sinks share. */
import type { FactName } from './records/http-facts.ts'
import type { Reports } from './records/reports.ts'

/** The category of the routes. */
export const CATEGORY = 'Reports of gateways'

export interface Sinks {
  reports: Reports
  /** Names of members of JSON logs and attributes, by the fact that they hold (`telemetry.fields`). */
  renamed: ReadonlyMap<FactName, readonly string[]>
}

/** Where the routes of a sink are for the hosts that have it at their root; other hosts do not reach these. */
export function hostMount(path: string): string {
  return `${path}/.host`
}

/** Adds routes below a path, and the same for hosts. */
export function atMounts(path: string, add: (mount: string, isOfHost: boolean) => void): void {
  add(path, false)
  add(hostMount(path), true)
}

/** A call that is refused; the route's `errorForm` formats it. */
export class CallProblem extends Error {
  readonly statusCode: number

  constructor(statusCode: number, message: string) {
    super(message)
    this.statusCode = statusCode
  }
}
