/** Schemas of the responses, for the OpenAPI document. */
import { INTEGER, jsonReply, list, NUMBER, object, RECORD, TEXT } from 'svc/toolkit'

export const ORCHESTRATION_STATUS = jsonReply(
  object({
    description: TEXT,
    steps: list(
      object({
        step: INTEGER,
        name: TEXT,
        method: TEXT,
        path: TEXT,
        required_headers: list(TEXT),
        example_body: object(
          {},
          {
            merchant_id: TEXT,
            amount: NUMBER,
            currency: TEXT,
            card_number: TEXT,
            risk_score: INTEGER,
            permissions: list(TEXT),
          },
        ),
        output_keys: list(TEXT),
      }),
    ),
  }),
  'OrchestrationStatus',
)

/** The result of a step, whose other members depend on the step. */
export const STEP = jsonReply(
  object(
    { step: INTEGER, name: TEXT, status: TEXT, correlation_id: TEXT, timestamp: TEXT },
    { merchant: RECORD, enrichment: RECORD, validation: RECORD, transaction: RECORD },
  ),
  'OrchestrationStep',
)
