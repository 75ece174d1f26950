/** Schemas of the responses, for the OpenAPI document. */
import { INTEGER, jsonReply, object, RECORD, TEXT } from 'svc/toolkit'

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
    counters: RECORD,
  }),
  'ReliabilityFlakyStatus',
)

export const FLAKY_RESET_POST = jsonReply(
  object({ status: TEXT, scope: TEXT, counters_removed: INTEGER }, { session: TEXT }),
  'ReliabilityFlakyResetPost',
)

export const FLAKY_RECOVER = jsonReply(object({ status: TEXT, request_number: INTEGER }), 'ReliabilityFlakyRecover')
