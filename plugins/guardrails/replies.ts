/** Schemas of the responses, for the OpenAPI document. */
import { BOOLEAN, INTEGER, jsonReply, list, object, RECORD, TEXT, textReply } from 'svc/toolkit'

export const GUARDRAILS_AZURE_CONTENTSAFETY_TEXT_ANALYZE_POST = jsonReply(
  object({ blocklistsMatch: list(), categoriesAnalysis: list(object({ category: TEXT, severity: INTEGER })) }),
  'GuardrailsAzureContentsafetyTextAnalyzePost',
)

export const GUARDRAILS_AZURE_CONTENTSAFETY_IMAGE_ANALYZE_POST = jsonReply(
  object({ categoriesAnalysis: list(object({ category: TEXT, severity: INTEGER })) }),
  'GuardrailsAzureContentsafetyImageAnalyzePost',
)

export const GUARDRAILS_AZURE_CONTENTSAFETY_TEXT_SHIELD_PROMPT_POST = jsonReply(
  object({ userPromptAnalysis: object({ attackDetected: BOOLEAN }), documentsAnalysis: list() }),
  'GuardrailsAzureContentsafetyTextShieldPromptPost',
)

export const GUARDRAILS_BEDROCK_GUARDRAIL_VERSION_APPLY_POST = jsonReply(
  object({
    usage: object({
      topicPolicyUnits: INTEGER,
      contentPolicyUnits: INTEGER,
      wordPolicyUnits: INTEGER,
      sensitiveInformationPolicyUnits: INTEGER,
      sensitiveInformationPolicyFreeUnits: INTEGER,
      contextualGroundingPolicyUnits: INTEGER,
    }),
    action: TEXT,
    actionReason: TEXT,
    outputs: list(object({ text: TEXT })),
    assessments: list(
      object({
        sensitiveInformationPolicy: object({ piiEntities: list(RECORD), regexes: list() }),
        invocationMetrics: object({
          guardrailProcessingLatency: INTEGER,
          usage: object({
            topicPolicyUnits: INTEGER,
            contentPolicyUnits: INTEGER,
            wordPolicyUnits: INTEGER,
            sensitiveInformationPolicyUnits: INTEGER,
            sensitiveInformationPolicyFreeUnits: INTEGER,
            contextualGroundingPolicyUnits: INTEGER,
          }),
          guardrailCoverage: RECORD,
        }),
      }),
    ),
    guardrailCoverage: RECORD,
  }),
  'GuardrailsBedrockGuardrailVersionApplyPost',
)

export const GUARDRAILS_CHECK_POST = jsonReply(
  object({
    flagged: BOOLEAN,
    action: TEXT,
    categories: RECORD,
    prompt_injection: object({ detected: BOOLEAN, matches: list() }),
    blocklist: object({ name: TEXT, matches: list() }),
    pii_detected: BOOLEAN,
    pii: list(object({ type: TEXT, text: TEXT, start: INTEGER, end: INTEGER })),
    redacted_text: TEXT,
  }),
  'GuardrailsCheckPost',
)

export const GUARDRAILS_PII_REDACT_POST = {
  ...jsonReply(
    object({
      redacted_text: TEXT,
      count: INTEGER,
      entities: list(object({ type: TEXT, text: TEXT, start: INTEGER, end: INTEGER })),
    }),
    'GuardrailsPiiRedactPost',
  ),
  ...textReply('text/plain'),
}
