/** Guardrails of Bedrock Runtime, decided by the plugin `guardrails`: what a text generation asks of one, and what it does to it. */
import type { BedrockGuardrails, GuardrailDecision } from '../guardrails/types.ts'
import type { ChatGuardrail, ChatResult, Choice, Engine } from '../llm/types.ts'
import type { GuardedText } from './guardrail-texts.ts'

/** The guardrail that a request names. */
export interface GuardrailWish {
  id: string
  trace: 'disabled' | 'enabled' | 'enabled_full'
}

/** How an operation shows what was assessed; `input` is absent where there was no text, `output` where the model said none. */
export interface Assessed {
  id: string
  actionReason: string
  input?: GuardrailDecision
  output?: GuardrailDecision
  /** What the model has said. */
  said: string
}

export interface GuardrailForm {
  /** The word for a reply that the guardrail has changed; absent: that of the model. */
  finishReason?: string
  trace(assessed: Assessed): object
}

const REASONS = { none: 'No action.', masked: 'Guardrail masked.', blocked: 'Guardrail blocked.' } as const
type Action = keyof typeof REASONS

/** Has the guardrail assess a body; throws what the provider answers to a wrong one. */
export function decide(
  engine: Engine,
  guardrails: BedrockGuardrails,
  body: Record<string, unknown>,
  id: string,
): GuardrailDecision {
  const decided = guardrails.apply(body, id)
  if ('problem' in decided) throw engine.badInput(decided.problem)
  return decided
}

/** Has the input assessed. Personal data in it is masked at its place, before the model reads it; a blocked input never reaches the model. */
export function guardChat(
  engine: Engine,
  guardrails: BedrockGuardrails,
  wish: GuardrailWish,
  texts: readonly GuardedText[],
  form: GuardrailForm,
): ChatGuardrail {
  const outputScope = wish.trace === 'enabled_full' ? 'FULL' : 'INTERVENTIONS'
  const content = texts.map(({ text }) => ({ text: { text } }))
  const input =
    texts.length === 0 ? undefined : decide(engine, guardrails, { source: 'INPUT', outputScope, content }, wish.id)
  const inputAction = actionOf(input)
  if (inputAction === 'masked')
    for (const [index, text] of texts.entries()) text.replace(input?.outputs[index]?.text ?? '')
  return {
    ...(inputAction === 'blocked' ? { blocked: input?.outputs[0]?.text ?? '' } : {}),
    review(result) {
      const said = inputAction === 'blocked' ? '' : (result.choices[0] as Choice).text
      const output = said === '' ? undefined : assessReply(guardrails, said, wish.id)
      const outputAction = actionOf(output)
      const action = inputAction === 'none' || outputAction === 'blocked' ? outputAction : inputAction
      const reviewed = outputAction === 'none' ? result : withText(engine, result, output?.outputs[0]?.text ?? '')
      return {
        ...reviewed,
        guardrail: {
          action,
          ...(action === 'none' || form.finishReason === undefined ? {} : { finishReason: form.finishReason }),
          ...(wish.trace === 'disabled'
            ? {}
            : {
                trace: form.trace({
                  id: wish.id,
                  actionReason: REASONS[action],
                  said,
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

/** What is too long to be assessed is blocked: the head of a stream may be out, so it can't be refused any more. */
function assessReply(guardrails: BedrockGuardrails, text: string, id: string): GuardrailDecision {
  const decided = guardrails.apply({ source: 'OUTPUT', content: [{ text: { text } }] }, id)
  if (!('problem' in decided)) return decided
  return {
    action: 'GUARDRAIL_INTERVENED',
    actionReason: REASONS.blocked,
    outputs: [{ text: `This content was blocked: ${decided.problem}.` }],
    assessments: [],
  }
}

/** The result with another text and nothing else. */
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
