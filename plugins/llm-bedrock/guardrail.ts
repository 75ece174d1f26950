/** Guardrails of Bedrock Runtime: `ApplyGuardrail`, and `guardrailConfig` of Converse, decided by the plugin `guardrails`. */
import type { BedrockGuardrails, GuardrailDecision } from '../guardrails/types.ts'
import type { ChatResult, Choice, Engine, LlmRoute, OwnParsed } from '../llm/types.ts'

/** What a conversation asks of a guardrail. */
export interface GuardedChat {
  id: string
  showsTrace: boolean
  /** About what the user has said; null where there is no text. */
  input: GuardrailDecision | null
}

/** A reply as the guardrail lets it pass. */
export interface GuardedResult {
  result: ChatResult
  hasIntervened: boolean
  /** Absent unless the request asked for it. */
  trace?: object
}

const BLOCKED_REASON = 'Guardrail blocked.'

export function applyRoute(engine: Engine, guardrails: BedrockGuardrails): LlmRoute<OwnParsed<GuardrailDecision>> {
  const names = ['guardrailIdentifier', 'guardrailVersion']
  const body = { source: 'INPUT', content: [{ text: { text: 'Write to post@example.org' } }] }
  return {
    method: 'POST',
    path: '/guardrail/{guardrailIdentifier}/version/{guardrailVersion}/apply',
    op: 'other',
    describe: {
      summary: 'apply a guardrail',
      parameters: names.map(name => ({
        name,
        in: 'path',
        required: true,
        description: 'Any; an id that contains block-pii blocks personal data instead of masking it',
        schema: { type: 'string' },
      })),
      requestBody: { required: true, content: { 'application/json': { type: 'object' } } },
      examples: [
        {
          name: 'Personal data',
          method: 'POST',
          path: '/ai/bedrock/guardrail/demo/version/1/apply',
          body: JSON.stringify(body),
          bodyType: 'json',
          expectStatus: 200,
        },
      ],
    },
    parse: input => ({
      op: 'own',
      mode: 'moderation',
      promptTokens: 0,
      completionTokens: 0,
      wire: decide(engine, guardrails, input.json(), input.params.guardrailIdentifier ?? ''),
    }),
    render: (_result, { wire }) => ({ body: wire }),
  }
}

function decide(
  engine: Engine,
  guardrails: BedrockGuardrails,
  body: Record<string, unknown>,
  id: string,
): GuardrailDecision {
  const decided = guardrails.apply(body, id)
  if ('problem' in decided) throw engine.badInput(decided.problem)
  return decided
}

/** Reads `guardrailConfig` and has the input assessed; null where a request has none. Throws for a wrong one. */
export function readGuardrail(
  engine: Engine,
  guardrails: BedrockGuardrails | undefined,
  body: Record<string, unknown>,
): GuardedChat | null {
  const { json } = engine
  if (body.guardrailConfig == null) return null
  if (guardrails === undefined)
    throw engine.badInput('guardrailConfig: no guardrail exists here, as the plugin guardrails is not running.')
  const id = json.textOf(json.own(body.guardrailConfig, 'guardrailIdentifier'))
  const version = json.textOf(json.own(body.guardrailConfig, 'guardrailVersion'))
  if (id === undefined || version === undefined)
    throw engine.badInput(
      `guardrailConfig.${id === undefined ? 'guardrailIdentifier' : 'guardrailVersion'} must not be null.`,
    )
  const trace = json.own(body.guardrailConfig, 'trace') ?? 'disabled'
  if (trace !== 'enabled' && trace !== 'enabled_full' && trace !== 'disabled')
    throw engine.badInput('guardrailConfig.trace must be one of enabled, disabled, enabled_full.')
  const texts = inputTexts(engine, body)
  const scope = trace === 'enabled_full' ? 'FULL' : 'INTERVENTIONS'
  const content = texts.map(text => ({ text: { text } }))
  return {
    id,
    showsTrace: trace !== 'disabled',
    input: texts.length === 0 ? null : decide(engine, guardrails, { source: 'INPUT', outputScope: scope, content }, id),
  }
}

/** Texts that are marked for the guardrail, else all that the user has said. */
function inputTexts({ json }: Engine, body: Record<string, unknown>): string[] {
  const messages = json.listOf(body.messages)
  const blocks = [
    ...json.listOf(body.system),
    ...messages.flatMap(message => json.listOf(json.own(message, 'content'))),
  ]
  const marked = blocks.flatMap(
    block => json.textOf(json.own(json.own(json.own(block, 'guardContent'), 'text'), 'text')) ?? [],
  )
  if (marked.length > 0) return marked
  return messages
    .filter(message => json.own(message, 'role') === 'user')
    .flatMap(message => json.listOf(json.own(message, 'content')))
    .flatMap(block => json.textOf(json.own(block, 'text')) ?? [])
}

function isBlocked(decision: GuardrailDecision | null): decision is GuardrailDecision {
  return decision !== null && decision.actionReason === BLOCKED_REASON
}

/** The reply after the guardrail: what is blocked is replaced, personal data in it is masked. A blocked input never reaches the model. */
export function guard(
  engine: Engine,
  guardrails: BedrockGuardrails,
  guarded: GuardedChat,
  result: ChatResult,
): GuardedResult {
  const choice = result.choices[0] as Choice
  if (isBlocked(guarded.input)) {
    const replaced = withText(engine, result, guarded.input.outputs[0]?.text ?? '')
    return traced(
      guarded,
      { ...replaced, promptTokens: 0, completionTokens: 0, reasoningTokens: 0 },
      true,
      null,
      choice,
    )
  }
  const output = choice.text === '' ? null : assessReply(guardrails, choice.text, guarded.id)
  if (output === null || output.action === 'NONE') return traced(guarded, result, false, output, choice)
  return traced(guarded, withText(engine, result, output.outputs[0]?.text ?? ''), true, output, choice)
}

/** What is too long to be assessed is blocked: the head of a stream may be out, so it can't be refused any more. */
function assessReply(guardrails: BedrockGuardrails, text: string, id: string): GuardrailDecision {
  const decided = guardrails.apply({ source: 'OUTPUT', content: [{ text: { text } }] }, id)
  if (!('problem' in decided)) return decided
  return {
    action: 'GUARDRAIL_INTERVENED',
    actionReason: BLOCKED_REASON,
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

function traced(
  { id, showsTrace, input }: GuardedChat,
  result: ChatResult,
  hasIntervened: boolean,
  output: GuardrailDecision | null,
  said: Choice,
): GuardedResult {
  if (!showsTrace) return { result, hasIntervened }
  const deciding = isBlocked(input) ? input : output
  const guardrail = {
    ...(output === null ? {} : { modelOutput: [said.text] }),
    ...(input === null ? {} : { inputAssessment: { [id]: input.assessments[0] } }),
    ...(output === null ? {} : { outputAssessments: { [id]: output.assessments } }),
    actionReason: deciding?.actionReason ?? 'No action.',
  }
  return { result, hasIntervened, trace: { guardrail } }
}
