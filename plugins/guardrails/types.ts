/** The detector interface, and the extension points for other plugins. */

/** A match; offsets in code points, `start` inclusive, `end` exclusive. */
export interface Match {
  start: number
  end: number
  /** Harm only: 0 to 7. */
  severity?: number
  /** Injection and blocklist: id of the rule or item. */
  rule?: string
}

interface DetectorBase {
  /** Unique among all detectors. */
  id: string
  /** All matches in a text, in order, in time linear to its length. */
  find(text: string): Match[]
}

/** The generic routes report harm under its category and personal data under its type. */
export type Detector =
  | (DetectorBase & { kind: 'harm'; category: string })
  | (DetectorBase & { kind: 'injection' })
  | (DetectorBase & { kind: 'blocklist' })
  | (DetectorBase & { kind: 'pii'; type: string })

export interface DetectorRegistry {
  /** Adds a detector. Throws if another plugin has registered its id; the message names that plugin. */
  register(detector: Detector): void
  /** All, in order of registration. */
  list(): readonly Detector[]
}

/** The result of ApplyGuardrail. */
export interface GuardrailDecision {
  action: 'NONE' | 'GUARDRAIL_INTERVENED'
  actionReason: string
  /** Replaces the content; empty if nothing was changed. */
  outputs: { text: string }[]
  assessments: object[]
}

/** Bedrock guardrails for plugins that apply them on other routes. */
export interface BedrockGuardrails {
  /** Applies a guardrail to the body of an ApplyGuardrail request; returns a `problem` if the body is invalid. */
  apply(body: Record<string, unknown>, guardrailId: string): GuardrailDecision | { problem: string }
}

/** Personal data in texts, for plugins that redact it. */
export interface PersonalData {
  /** The text with each entity replaced by its label, such as `[EMAIL]`. */
  redact(text: string): string
  /** The entities in order, which do not overlap; `start` (inclusive) and `end` (exclusive) are UTF-16 indexes. */
  entities(text: string): { start: number; end: number; label: string }[]
}

/** What the detectors find in texts, for plugins that block them. */
export interface TextChecks {
  /** The harm categories and kinds that are found, such as `violence` or `prompt_injection`; none: nothing is flagged. */
  flags(text: string): string[]
}

declare module 'svc/plugin' {
  interface ExtensionPoints {
    'guardrails.bedrock': BedrockGuardrails
    'guardrails.detectors': DetectorRegistry
    'guardrails.personal-data': PersonalData
    'guardrails.checks': TextChecks
  }
}
