/** Bedrock's ApplyGuardrail under `/guardrails/bedrock`. */
import { describe, readJsonObject, type FastifyInstance, type HttpError, type Svc } from 'svc/plugin'
import { applyGuardrail } from '../bedrock.ts'
import { parseGuardrail } from '../bedrock-request.ts'
import { bedrockError } from '../errors.ts'
import type { BedrockGuardrails, DetectorRegistry } from '../types.ts'
import { GUARDRAILS_BEDROCK_GUARDRAIL_VERSION_APPLY_POST } from '../replies.ts'

export function registerBedrock(app: FastifyInstance, svc: Svc<unknown>, registry: DetectorRegistry): void {
  app.post(
    '/guardrails/bedrock/guardrail/:id/version/:version/apply',
    describe({
      summary: 'Apply a guardrail to texts (Bedrock ApplyGuardrail)',
      reply: GUARDRAILS_BEDROCK_GUARDRAIL_VERSION_APPLY_POST,
      description: 'Accepts any id and version. Personal data is masked, or blocked if the id contains `block-pii`.',
      category: 'AI: Guardrails',
      responses: { 200: { description: 'action, outputs, assessments' }, 400: { description: 'ValidationException' } },
      examples: [
        {
          name: 'Personal data',
          method: 'POST',
          path: '/guardrails/bedrock/guardrail/demo/version/1/apply',
          headers: [{ name: 'Content-Type', value: 'application/json' }],
          body: '{"source":"INPUT","content":[{"text":{"text":"Write to post@example.org"}}]}',
          bodyType: 'json',
          expectStatus: 200,
        },
      ],
    }),
    (request, reply) => {
      const startedAt = performance.now()
      const { id, version } = request.params as { id: string; version: string }
      reply.headers({
        'x-amzn-requestid': svc.http.requestId(request),
        'X-Svc-Guardrail-Id': visible(id),
        'X-Svc-Guardrail-Version': visible(version),
      })
      const body = svc.http.body(request)
      const value = body.length === 0 ? null : readJsonObject(body)
      if (value === null) throw bedrockError('the body must be a JSON object')
      return reply.send(applyGuardrail(registry, parseGuardrail(value), id, startedAt))
    },
  )
}

/** ApplyGuardrail for other plugins. */
export function createBedrockGuardrails(registry: DetectorRegistry): BedrockGuardrails {
  return {
    apply(body, guardrailId) {
      const startedAt = performance.now()
      try {
        return applyGuardrail(registry, parseGuardrail(body), guardrailId, startedAt)
      } catch (error) {
        const { code, body: refusal } = error as Partial<HttpError>
        if (code !== 'SVC_HTTP_ERROR') throw error
        return { problem: (refusal as { message: string }).message }
      }
    },
  }
}

/** Removes everything but visible ASCII, which is all that a header value may contain. */
function visible(value: string): string {
  return value.replace(/[^\x21-\x7e]/g, '')
}
