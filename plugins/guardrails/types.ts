/** Detectors and the extension point through which other plugins add some. */

/** Where something was found: code points, `start` inclusive, `end` exclusive. */
export interface Match {
  start: number
  end: number
  /** Harm only: 0 to 7. */
  severity?: number
  /** Injection and blocklist: which rule or item it was. */
  rule?: string
}

interface DetectorBase {
  /** Unique among all detectors. */
  id: string
  /** All matches in a text, in order, in time linear to its length. */
  find(text: string): Match[]
}

/** Harm reports under its category, personal data under its type; both show under that name in the generic routes. */
export type Detector =
  | (DetectorBase & { kind: 'harm'; category: string })
  | (DetectorBase & { kind: 'injection' })
  | (DetectorBase & { kind: 'blocklist' })
  | (DetectorBase & { kind: 'pii'; type: string })

export interface DetectorRegistry {
  /** Adds a detector; throws when its id is taken, naming who has it. */
  register(detector: Detector): void
  /** All, in order of registration. */
  list(): readonly Detector[]
}

/** What ApplyGuardrail answers. */
export interface GuardrailDecision {
  action: 'NONE' | 'GUARDRAIL_INTERVENED'
  actionReason: string
  /** What takes the place of the content; empty where nothing was changed. */
  outputs: { text: string }[]
  assessments: object[]
}

/** The guardrails of Bedrock, for plugins that serve them at other places. */
export interface BedrockGuardrails {
  /** Applies the guardrail of this id to the body of an ApplyGuardrail request, or says what is wrong with the body. */
  apply(body: Record<string, unknown>, guardrailId: string): GuardrailDecision | { problem: string }
}

declare module 'svc/plugin' {
  interface ExtensionPoints {
    'guardrails.bedrock': BedrockGuardrails
    'guardrails.detectors': DetectorRegistry
  }
}
