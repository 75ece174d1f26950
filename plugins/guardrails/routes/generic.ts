/** The generic routes: the index, `/guardrails/check` and `/guardrails/pii/redact`. */
import { isUtf8 } from 'node:buffer'
import {
  describe,
  readJsonObject,
  type FastifyInstance,
  type FastifyRequest,
  type Svc,
  type RouteDescription,
} from 'svc/plugin'
import { registerIndex } from 'svc/toolkit'
import { checkText, Lists } from '../check.ts'
import { genericError, unknownPiiType } from '../errors.ts'
import { findPersonalData, label, mask, piiTypes, replaceEntities } from '../personal-data.ts'
import type { DetectorRegistry } from '../types.ts'
import { GUARDRAILS_CHECK_POST, GUARDRAILS_PII_REDACT_POST } from '../replies.ts'

const json = [{ name: 'Content-Type', value: 'application/json' }]
const category = 'AI: Guardrails'
const checkDescription: RouteDescription = {
  summary: 'Run all detectors on a text',
  reply: GUARDRAILS_CHECK_POST,
  category,
  responses: {
    200: { description: 'flagged, action, categories, prompt_injection, blocklist, pii, redacted_text' },
    400: { description: 'The text is missing or invalid' },
  },
  examples: [
    {
      name: 'JSON',
      method: 'POST',
      path: '/guardrails/check',
      headers: json,
      body: '{"text":"A cheap bomb at 192.0.2.7"}',
      bodyType: 'json',
      expectStatus: 200,
    },
    {
      name: 'Text',
      method: 'POST',
      path: '/guardrails/check',
      headers: [{ name: 'Content-Type', value: 'text/plain' }],
      body: 'hello',
      expectStatus: 200,
    },
  ],
}

const redactDescription: RouteDescription = {
  summary: 'Redact personal data in a text',
  reply: GUARDRAILS_PII_REDACT_POST,
  category,
  parameters: [
    {
      name: 'mode',
      in: 'query',
      description: '`label` replaces personal data with its type, `mask` with asterisks',
      schema: { type: 'string', enum: ['label', 'mask'], default: 'label' },
    },
    {
      name: 'types',
      in: 'query',
      description: 'Comma-separated list of types; default: all types',
      schema: { type: 'string' },
    },
  ],
  responses: {
    200: { description: 'redacted_text, count, entities; for a plain-text body, only the redacted text' },
    400: { description: 'The text, mode or types are missing or invalid' },
  },
  examples: [
    {
      name: 'JSON',
      method: 'POST',
      path: '/guardrails/pii/redact',
      headers: json,
      body: '{"text":"Call 555-010-9999","mode":"label"}',
      bodyType: 'json',
      expectStatus: 200,
    },
    {
      name: 'Text, masked',
      method: 'POST',
      path: '/guardrails/pii/redact?mode=mask&types=EMAIL',
      headers: [{ name: 'Content-Type', value: 'text/plain' }],
      body: 'Write to post@example.org',
      expectStatus: 200,
    },
  ],
}

export function registerGeneric(app: FastifyInstance, svc: Svc<unknown>, registry: DetectorRegistry): void {
  registerIndex(app, svc, { path: '/guardrails', category, summary: 'List the guardrail endpoints' })

  app.post('/guardrails/check', describe(checkDescription), (request, reply) => {
    const { text } = readText(request, svc, ['text', 'input'])
    return reply.send(checkText(registry, text))
  })

  app.post('/guardrails/pii/redact', describe(redactDescription), (request, reply) => {
    const { text, body } = readText(request, svc, ['text'])
    const query = new URLSearchParams((request.raw.url ?? '').split('?').slice(1).join('?'))
    const replacement = parseMode(body?.mode ?? query.get('mode') ?? 'label')
    const types = parseTypes(
      body?.types ??
        query
          .get('types')
          ?.split(',')
          .map(type => type.trim())
          .filter(type => type !== '') ??
        [],
      piiTypes(registry),
    )
    const entities = findPersonalData(registry, text, types)
    const redacted = replaceEntities(text, entities, replacement)
    if (body === null)
      return reply.header('X-Svc-Pii-Count', entities.length).type('text/plain; charset=utf-8').send(redacted)
    const lists = new Lists(text)
    const shown = lists.cut(entities)
    return reply.send({
      redacted_text: redacted,
      count: entities.length,
      entities: shown,
      ...(lists.isTruncated ? { truncated: true } : {}),
    })
  })
}

/** Reads the text from a JSON body; a body of any other media type is the text itself. */
function readText(
  request: FastifyRequest,
  svc: Svc<unknown>,
  fields: readonly string[],
): { text: string; body: Record<string, unknown> | null } {
  const bytes = svc.http.body(request)
  if (!/json/i.test(request.headers['content-type'] ?? '')) {
    if (!isUtf8(bytes)) throw genericError('invalid_utf8')
    return { text: bytes.toString('utf8'), body: null }
  }
  const body = bytes.length === 0 ? null : readJsonObject(bytes)
  if (body === null) throw genericError('invalid_json')
  const text = fields.map(field => body[field]).find(value => value !== undefined && value !== null)
  if (text === undefined) throw genericError('missing_text')
  if (typeof text !== 'string') throw genericError('invalid_text')
  return { text, body }
}

function parseMode(mode: unknown): typeof label {
  if (mode === 'label') return label
  if (mode === 'mask') return mask
  throw genericError('invalid_mode')
}

/** Returns undefined for all types. */
function parseTypes(types: unknown, known: readonly string[]): string[] | undefined {
  if (!Array.isArray(types) || !types.every(type => typeof type === 'string')) throw genericError('invalid_types')
  if (types.length === 0) return undefined
  return (types as string[]).map(
    given => known.find(type => type.toLowerCase() === given.toLowerCase()) ?? unknown(given, known),
  )
}

function unknown(given: string, known: readonly string[]): never {
  throw unknownPiiType(given, known)
}
