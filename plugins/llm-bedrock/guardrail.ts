/** Applies Bedrock guardrails to the prompt and the reply of a text generation, based on the plugin `guardrails`. */
import type { BedrockGuardrails, GuardrailDecision } from '../guardrails/types.ts'
import type { ChatGuardrail, ChatResult, Choice, Engine } from '../llm/types.ts'
import type { GuardedText } from './guardrail-texts.ts'

/** The guardrail that a request selects. */
export interface GuardrailSpec {
  id: string
  trace: 'disabled' | 'enabled' | 'enabled_full'
}

/** The assessments for a trace; `input` is absent if the request has no text, `output` if the reply has none. */
export interface Assessments {
  id: string
  actionReason: string
  input?: GuardrailDecision
  output?: GuardrailDecision
  /** The reply of the model. */
  modelOutput: string
}

export interface GuardrailForm {
  /** Finish reason of a reply that the guardrail has changed; default: that of the model. */
  finishReason?: string
  trace(assessments: Assessments): object
}

const REASONS = { none: 'No action.', masked: 'Guardrail masked.', blocked: 'Guardrail blocked.' } as const
type Action = keyof typeof REASONS

/** Applies the guardrail to a body; throws if the body is invalid. */
export function decide(
  engine: Engine,
  guardrails: BedrockGuardrails,
  body: Record<string, unknown>,
  id: string,
): GuardrailDecision {
  const decision = guardrails.apply(body, id)
  if ('problem' in decision) throw engine.badInput(decision.problem)
  return decision
}

/**
 * Checks the input. Masks personal data in the request, before it is passed to the model. A blocked input never reaches
 * the model.
 */
export function guardChat(
  engine: Engine,
  guardrails: BedrockGuardrails,
  spec: GuardrailSpec,
  texts: readonly GuardedText[],
  form: GuardrailForm,
): ChatGuardrail {
  const outputScope = spec.trace === 'enabled_full' ? 'FULL' : 'INTERVENTIONS'
  const content = texts.map(({ text }) => ({ text: { text } }))
  const input =
    texts.length === 0 ? undefined : decide(engine, guardrails, { source: 'INPUT', outputScope, content }, spec.id)
  const inputAction = actionOf(input)
  if (inputAction === 'masked')
    for (const [index, text] of texts.entries()) text.replace(input?.outputs[index]?.text ?? '')
  return {
    ...(inputAction === 'blocked' ? { blocked: input?.outputs[0]?.text ?? '' } : {}),
    review(result) {
      const modelOutput = inputAction === 'blocked' ? '' : (result.choices[0] as Choice).text
      const output = modelOutput === '' ? undefined : assessReply(guardrails, modelOutput, spec.id)
      const outputAction = actionOf(output)
      const action = inputAction === 'none' || outputAction === 'blocked' ? outputAction : inputAction
      const reviewed = outputAction === 'none' ? result : withText(engine, result, output?.outputs[0]?.text ?? '')
      return {
        ...reviewed,
        guardrail: {
          action,
          ...(action === 'none' || form.finishReason === undefined ? {} : { finishReason: form.finishReason }),
          ...(spec.trace === 'disabled'
            ? {}
            : {
                trace: form.trace({
                  id: spec.id,
                  actionReason: REASONS[action],
                  modelOutput,
                  ...(input && { input }),
                  ...(output && { output }),
                }),
              }),
        },
      }
    },
  }
}

function actionOf(decision: GuardrailDecision | undefined): Action {
  if (decision === undefined || decision.action === 'NONE') return 'none'
  return decision.actionReason === REASONS.blocked ? 'blocked' : 'masked'
}

/**
 * Blocks a reply that is too long to check: the headers of a stream may already be sent, so an error is not possible.
 */
function assessReply(guardrails: BedrockGuardrails, text: string, id: string): GuardrailDecision {
  const decision = guardrails.apply({ source: 'OUTPUT', content: [{ text: { text } }] }, id)
  if (!('problem' in decision)) return decision
  return {
    action: 'GUARDRAIL_INTERVENED',
    actionReason: REASONS.blocked,
    outputs: [{ text: `This content was blocked: ${decision.problem}.` }],
    assessments: [],
  }
}

/** The result with a single choice that consists of the given text. */
function withText(engine: Engine, result: ChatResult, text: string): ChatResult {
  const choice: Choice = {
    index: 0,
    text,
    pieces: engine.pieces(text),
    calls: [],
    reasoning: '',
    reasoningPieces: [],
    finish: 'stop',
    stopSequence: null,
  }
  return { ...result, choices: [choice] }
}
