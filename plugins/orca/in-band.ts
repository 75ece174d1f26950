/** Reports in responses: header and trailer fields of HTTP, trailing metadata of gRPC. */
import type { HttpError } from 'svc/plugin'
import { fieldValue, type Format, FORMATS, readFormat, toBinary } from './encode.ts'
import type { OrcaSvc } from './options.ts'
import type { LoadReport } from './report.ts'
import type { Reports } from './reports.ts'
import { merged, readHeader } from './request-header.ts'

const FIELD = 'endpoint-load-metrics'
const FORMAT_FIELD = 'endpoint-load-metrics-format'
const OWN_FIELD = 'x-svc-orca'
const NOTHING = {}

/** Adds the fields to the responses of all routes. */
export function reportInResponses(svc: OrcaSvc, reports: Reports): void {
  const { in_band: always, format: usual } = svc.options
  const responses = svc.use('core.responses')
  responses.observe(status => reports.measurements.count(performance.now(), status))
  // Without fields, the function runs for all requests.
  const options = always === undefined ? { fields: [FORMAT_FIELD, OWN_FIELD] } : {}
  responses.add(request => {
    const { headers } = request
    const asked = headers[FORMAT_FIELD]
    const wanted = asked === undefined ? null : readFormat(String(asked))
    const given = headers[OWN_FIELD]
    let own: LoadReport = {}
    if (given !== undefined)
      try {
        own = readHeader(String(given))
      } catch (error) {
        return error as HttpError
      }
    const value = (format: Format): string => fieldValue(merged(reports.current(), own), format)
    const isAsked = wanted !== null || given !== undefined
    return {
      ...(asked !== undefined && wanted === null
        ? { ignored: { name: FORMAT_FIELD, expected: `expected ${FORMATS.join(', ')}` } }
        : {}),
      headers(head): Record<string, string> {
        if (isAsked) return { [FIELD]: value(wanted ?? usual) }
        if (always === undefined) return NOTHING
        return always === 'trailer' && head.canTrail ? { Trailer: FIELD } : { [FIELD]: value(usual) }
      },
      trailers: (): Record<string, string> => (always === 'trailer' && !isAsked ? { [FIELD]: value(usual) } : {}),
    }
  }, options)
}

/** Adds the field to calls of all gRPC services. */
export function reportInCalls(svc: OrcaSvc, reports: Reports): void {
  const grpc = svc.use('grpc.services')!
  grpc.trailers(call => {
    reports.measurements.count(performance.now())
    const has = (name: string): boolean => call.metadata.get(name).length > 0
    const isAsked = has(FORMAT_FIELD) || has(OWN_FIELD) || svc.options.in_band !== undefined
    return isAsked
      ? { [`${FIELD}-bin`]: toBinary(merged(reports.current(), ownValues(call.metadata.get(OWN_FIELD)[0]))) }
      : null
  })
}

/** A value that can't be read is ignored: the call has ended when it is needed. */
function ownValues(text: string | Buffer | undefined): LoadReport {
  try {
    return text === undefined ? {} : readHeader(String(text))
  } catch {
    return {}
  }
}
