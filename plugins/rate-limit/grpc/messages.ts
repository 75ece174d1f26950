/** The messages of `envoy.service.ratelimit.v3`, as the loader gives and takes them. */
import type { JsonObject } from 'svc/plugin'
import { structOf } from 'svc/toolkit'
import { type Code, type Descriptor, type LimitCall, MAX_UINT32, type Status, UNIT_SECS, unitOf } from '../limit.ts'
import type { Answer } from '../limiter.ts'

export interface RateLimitRequest {
  domain: string
  descriptors: {
    entries: { key: string; value: string }[]
    limit?: { requests_per_unit: number; unit: string | number } | null
    hits_addend?: { value: number } | null
  }[]
  hits_addend: number
}

interface HeaderValue {
  key: string
  value: string
}

export interface RateLimitResponse {
  overall_code: Code
  statuses: {
    code: Code
    current_limit?: { requests_per_unit: number; unit: string; name: string }
    limit_remaining: number
    duration_until_reset?: { seconds: number }
  }[]
  response_headers_to_add: HeaderValue[]
  request_headers_to_add: HeaderValue[]
  raw_body?: Buffer
  /** `google.protobuf.Struct`. */
  dynamic_metadata?: JsonObject
}

/** The call of a request; a text for a limit without a unit. */
export function callOf(request: RateLimitRequest): LimitCall | string {
  const descriptors: Descriptor[] = []
  for (const [index, { entries, limit, hits_addend: hits }] of request.descriptors.entries()) {
    const unit = limit == null ? undefined : unitOf(String(limit.unit))
    if (limit != null && unit === undefined)
      return `descriptors[${index}].limit.unit: expected one of ${Object.keys(UNIT_SECS).join(', ')}`
    descriptors.push({
      entries: entries.map(({ key, value }) => ({ key, value })),
      limit:
        limit == null
          ? null
          : { requestsPerUnit: limit.requests_per_unit, unit: unit!, windowSecs: UNIT_SECS[unit!], name: '' },
      hits: hits == null ? null : Math.min(hits.value, MAX_UINT32),
    })
  }
  return { domain: request.domain, descriptors, hits: Math.max(1, request.hits_addend) }
}

export function responseOf({ code, statuses, headers, requestHeaders, metadata, rawBody }: Answer): RateLimitResponse {
  const values = (lines: Answer['headers']): HeaderValue[] => lines.map(([key, value]) => ({ key, value }))
  return {
    overall_code: code,
    statuses: statuses.map(descriptorStatus),
    response_headers_to_add: values(headers),
    request_headers_to_add: values(requestHeaders),
    ...(rawBody === undefined ? {} : { raw_body: Buffer.from(rawBody) }),
    ...(metadata === undefined ? {} : { dynamic_metadata: structOf(metadata) }),
  }
}

function descriptorStatus({ code, limit, remaining, resetSecs }: Status): RateLimitResponse['statuses'][number] {
  return {
    code,
    limit_remaining: remaining,
    ...(limit === null
      ? {}
      : {
          current_limit: {
            requests_per_unit: limit.requestsPerUnit,
            unit: limit.unit ?? 'UNKNOWN',
            name: limit.name,
          },
          duration_until_reset: { seconds: resetSecs! },
        }),
  }
}
