/** Schemas of the responses, for the OpenAPI document. */
import { INTEGER, jsonReply, object, TEXT } from 'svc/toolkit'

export const FLAKY = jsonReply(
  object({ status: TEXT, fail_rate: INTEGER, message: TEXT, request_number: INTEGER }),
  'ReliabilityFlaky',
)

export const FLAKY_PATTERN = jsonReply(
  object({ status: TEXT, pattern: TEXT, position: INTEGER, current: TEXT, request_number: INTEGER }),
  'ReliabilityFlakyPattern',
)

export const FLAKY_AFTER = jsonReply(
  object({ status: TEXT, threshold: INTEGER, message: TEXT, request_number: INTEGER }),
  'ReliabilityFlakyAfter',
)

export const FLAKY_STATUS = jsonReply(
  object({
    session: TEXT,
    counters: object({
      'rate:0': INTEGER,
      'rate:100': INTEGER,
      'rate:30': INTEGER,
      'pattern:SSF': INTEGER,
      'after:2': INTEGER,
      'recover:1': INTEGER,
    }),
  }),
  'ReliabilityFlakyStatus',
)

export const FLAKY_RESET_POST = jsonReply(
  object({ status: TEXT, scope: TEXT, session: TEXT, counters_removed: INTEGER }),
  'ReliabilityFlakyResetPost',
)
