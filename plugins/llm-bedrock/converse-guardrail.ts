/** `guardrailConfig` of Converse and ConverseStream. */
import type { BedrockGuardrails } from '../guardrails/types.ts'
import type { ChatGuardrail, Engine } from '../llm/types.ts'
import { guardChat, type Assessments, type GuardrailForm } from './guardrail.ts'
import { converseTexts } from './guardrail-texts.ts'

const form: GuardrailForm = { finishReason: 'guardrail_intervened', trace: traceOf }

/** Parses `guardrailConfig` and checks the input. Undefined if the request has none; throws if it is invalid. */
export function guardConverse(
  engine: Engine,
  guardrails: BedrockGuardrails | undefined,
  body: Record<string, unknown>,
): ChatGuardrail | undefined {
  const { json } = engine
  if (body.guardrailConfig == null) return undefined
  if (guardrails === undefined)
    throw engine.badInput('guardrailConfig: guardrails are not available because the plugin guardrails is not running.')
  const id = json.textOf(json.own(body.guardrailConfig, 'guardrailIdentifier'))
  const version = json.textOf(json.own(body.guardrailConfig, 'guardrailVersion'))
  if (id === undefined || version === undefined)
    throw engine.badInput(
      `guardrailConfig.${id === undefined ? 'guardrailIdentifier' : 'guardrailVersion'} must not be null.`,
    )
  const trace = json.own(body.guardrailConfig, 'trace') ?? 'disabled'
  if (trace !== 'enabled' && trace !== 'enabled_full' && trace !== 'disabled')
    throw engine.badInput('guardrailConfig.trace must be one of enabled, disabled, enabled_full.')
  return guardChat(engine, guardrails, { id, trace }, converseTexts(engine, body), form)
}

function traceOf({ id, actionReason, input, output, modelOutput }: Assessments): object {
  return {
    guardrail: {
      ...(output === undefined ? {} : { modelOutput: [modelOutput] }),
      ...(input === undefined ? {} : { inputAssessment: { [id]: input.assessments[0] } }),
      ...(output === undefined ? {} : { outputAssessments: { [id]: output.assessments } }),
      actionReason,
    },
  }
}
