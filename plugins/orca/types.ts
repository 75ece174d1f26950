/** The extension point `orca.reports`, for services whose clients choose the reports. */
import type { AnyRequest } from 'svc/plugin'
import type { LoadReport } from './report.ts'

export type { LoadReport }

export interface OrcaReports {
  /** Returns the report. Throws an `HttpError` (400) if one of its names or values is invalid. */
  check(report: LoadReport): LoadReport
  /** The name and the value of the trailing metadata field with a report. */
  trailer(report: LoadReport): [name: string, value: Buffer]
  /** Sets what clients of the session of a request get out of band, for ten minutes. */
  setOutOfBand(request: AnyRequest, report: LoadReport): Promise<void>
}

declare module 'svc/plugin' {
  interface ExtensionPoints {
    'orca.reports': OrcaReports
  }
}
