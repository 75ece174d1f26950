/** The gRPC status of a failure that has an HTTP status: of faults, and of what answers both protocols. */
const BY_HTTP = new Map([
  [400, 3 /* INVALID_ARGUMENT */],
  [401, 16 /* UNAUTHENTICATED */],
  [403, 7 /* PERMISSION_DENIED */],
  [404, 5 /* NOT_FOUND */],
  [408, 4 /* DEADLINE_EXCEEDED */],
  [409, 10 /* ABORTED */],
  [429, 14 /* UNAVAILABLE */],
  [501, 12 /* UNIMPLEMENTED */],
  [503, 14 /* UNAVAILABLE */],
  [504, 4 /* DEADLINE_EXCEEDED */],
])
const UNKNOWN = 2

/** Takes an HTTP status from 400 to 599; UNKNOWN (2) for those without a counterpart. */
export function grpcStatusOf(httpStatus: number): number {
  return BY_HTTP.get(httpStatus) ?? UNKNOWN
}
