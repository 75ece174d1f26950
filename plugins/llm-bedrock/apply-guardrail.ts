/** `ApplyGuardrail`, based on the plugin `guardrails`. */
import type { BedrockGuardrails, GuardrailDecision } from '../guardrails/types.ts'
import type { Engine, LlmRoute, OwnParsed } from '../llm/types.ts'
import { decide } from './guardrail.ts'
import { GUARDRAIL_REPLY } from './replies.ts'

export function applyRoute(engine: Engine, guardrails: BedrockGuardrails): LlmRoute<OwnParsed<GuardrailDecision>> {
  const names = ['guardrailIdentifier', 'guardrailVersion']
  const body = { source: 'INPUT', content: [{ text: { text: 'Write to post@example.org' } }] }
  return {
    method: 'POST',
    path: '/guardrail/{guardrailIdentifier}/version/{guardrailVersion}/apply',
    op: 'other',
    describe: {
      reply: GUARDRAIL_REPLY,
      summary: 'apply a guardrail',
      parameters: names.map(name => ({
        name,
        in: 'path',
        required: true,
        description: 'Any id. Personal data is masked, or blocked if the id contains block-pii',
        schema: { type: 'string' },
      })),
      requestBody: { required: true, content: { 'application/json': { type: 'object' } } },
      examples: [
        {
          name: 'Personal data',
          method: 'POST',
          path: '/ai/bedrock/guardrail/demo/version/1/apply',
          json: body,
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
