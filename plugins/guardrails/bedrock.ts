/** Bedrock's ApplyGuardrail: the decision of a guardrail about blocks of text, and its assessment. */
import { codePointLength, unitIndex } from './code-points.ts'
import { harmMatches, highestSeverity, matchesOf } from './findings.ts'
import { findPersonalData, replaceEntities, type Entity } from './personal-data.ts'
import type { GuardrailRequest } from './bedrock-request.ts'
import type { DetectorRegistry, GuardrailDecision, Match } from './types.ts'

const BLOCKED_TEXT = 'This content was blocked by the svc demo guardrail.'
const FILTERS: readonly [category: string, type: string][] = [
  ['Hate', 'HATE'],
  ['SelfHarm', 'MISCONDUCT'],
  ['Sexual', 'SEXUAL'],
  ['Violence', 'VIOLENCE'],
]
const PII_NAMES: Readonly<Record<string, string>> = {
  SSN: 'US_SOCIAL_SECURITY_NUMBER',
  CREDIT_CARD: 'CREDIT_DEBIT_CARD_NUMBER',
}

interface Findings {
  /** Highest severity per category. */
  severities: Map<string, number>
  isAttack: boolean
  /** Distinct terms of the blocklist and of categories that Bedrock does not have, as they first occur in the text. */
  words: string[]
  /** One list per guarded block. */
  entities: Entity[][]
}

export function applyGuardrail(
  registry: DetectorRegistry,
  request: GuardrailRequest,
  guardrailId: string,
  startedAt: number,
): GuardrailDecision {
  const findings = examine(registry, request)
  const hasEntities = findings.entities.some(list => list.length > 0)
  const blocksPii = guardrailId.toLowerCase().includes('block-pii')
  const isHarmful = [...findings.severities.values()].some(severity => severity > 0)
  const isBlocked = isHarmful || findings.isAttack || findings.words.length > 0 || (blocksPii && hasEntities)
  const guardedPoints = request.guarded.reduce((sum, text) => sum + codePointLength(text), 0)
  const units = Math.ceil(guardedPoints / 1000)
  const usage = {
    topicPolicyUnits: 0,
    contentPolicyUnits: units,
    wordPolicyUnits: units,
    sensitiveInformationPolicyUnits: units,
    sensitiveInformationPolicyFreeUnits: 0,
    contextualGroundingPolicyUnits: 0,
  }
  const guardrailCoverage = {
    textCharacters: { guarded: guardedPoints, total: request.totalPoints },
    ...(request.images > 0 ? { images: { guarded: 0, total: request.images } } : {}),
  }
  const outputs = isBlocked
    ? [BLOCKED_TEXT]
    : hasEntities
      ? request.guarded.map((text, index) => replaceEntities(text, findings.entities[index]!, placeholder))
      : []
  const decision = {
    usage,
    action: isBlocked || hasEntities ? ('GUARDRAIL_INTERVENED' as const) : ('NONE' as const),
    actionReason: isBlocked ? 'Guardrail blocked.' : hasEntities ? 'Guardrail masked.' : 'No action.',
    outputs: outputs.map(text => ({ text })),
    assessments: [
      {
        ...policies(findings, request, blocksPii),
        invocationMetrics: {
          guardrailProcessingLatency: Math.round(performance.now() - startedAt),
          usage,
          guardrailCoverage,
        },
      },
    ],
    guardrailCoverage,
  }
  return decision
}

function examine(registry: DetectorRegistry, { source, guarded }: GuardrailRequest): Findings {
  const severities = new Map<string, number>()
  const words = new Map<string, string>()
  let isAttack = false
  for (const text of guarded) {
    const note = (matches: Match[]): void => {
      const toUnit = unitIndex(text)
      for (const match of matches) {
        const written = text.slice(toUnit(match.start), toUnit(match.end))
        const key = match.rule ?? written.toLowerCase()
        if (!words.has(key)) words.set(key, written)
      }
    }
    for (const [category, matches] of harmMatches(registry, text)) {
      if (FILTERS.some(([known]) => known === category))
        severities.set(category, Math.max(severities.get(category) ?? 0, highestSeverity(matches)))
      else note(matches)
    }
    note(matchesOf(registry, 'blocklist', text))
    isAttack ||= source === 'INPUT' && matchesOf(registry, 'injection', text).length > 0
  }
  return {
    severities,
    isAttack,
    words: [...words.values()],
    entities: guarded.map(text => findPersonalData(registry, text)),
  }
}

/** Includes only the policies with findings; all of them with `FULL`. */
function policies(findings: Findings, { source, isFull }: GuardrailRequest, blocksPii: boolean): object {
  const filters = [
    ...FILTERS.map(([category, type]) => filter(type, confidenceOf(findings.severities.get(category) ?? 0))),
    ...(source === 'INPUT' ? [filter('PROMPT_ATTACK', findings.isAttack ? 'HIGH' : 'NONE')] : []),
  ].filter(entry => entry.detected || isFull)
  const piiEntities = findings.entities.flat().map(entity => ({
    match: entity.text,
    type: bedrockType(entity.type),
    action: blocksPii ? 'BLOCKED' : 'ANONYMIZED',
    detected: true,
  }))
  return {
    ...(filters.length > 0 ? { contentPolicy: { filters } } : {}),
    ...(findings.words.length > 0
      ? {
          wordPolicy: {
            customWords: findings.words.map(match => ({ match, action: 'BLOCKED', detected: true })),
            managedWordLists: [],
          },
        }
      : {}),
    ...(piiEntities.length > 0 || isFull ? { sensitiveInformationPolicy: { piiEntities, regexes: [] } } : {}),
  }
}

function filter(
  type: string,
  confidence: string,
): { type: string; confidence: string; filterStrength: string; action: string; detected: boolean } {
  const detected = confidence !== 'NONE'
  return { type, confidence, filterStrength: 'HIGH', action: detected ? 'BLOCKED' : 'NONE', detected }
}

function confidenceOf(severity: number): 'NONE' | 'LOW' | 'MEDIUM' | 'HIGH' {
  return severity === 0 ? 'NONE' : severity <= 2 ? 'LOW' : severity <= 4 ? 'MEDIUM' : 'HIGH'
}

function bedrockType(type: string): string {
  return PII_NAMES[type] ?? type
}

function placeholder(entity: Entity): string {
  return `{${bedrockType(entity.type)}}`
}
