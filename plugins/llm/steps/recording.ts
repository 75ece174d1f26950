/** Creates the record of a request and its response. */
import { copyText } from 'svc/toolkit'
import type { ModelCall } from '../call/model-call.ts'
import { flatName } from '../engine/tool-names.ts'
import type { ChatResult, Finish } from '../contract/neutral.ts'
import type { Parsed, ResultOf } from '../contract/parsed.ts'
import {
  keepBody,
  keepHeaders,
  keepPath,
  keepPreview,
  keepPrompt,
  keepQuery,
  type AiRecord,
  type RecordedViolation,
} from '../records/records.ts'
import { errorOfViolation, type CallValidation } from '../validation/violations.ts'

/** The part of a record that describes the result. */
type Report = Pick<
  AiRecord,
  | 'mode'
  | 'normalized_prompt'
  | 'prompt_tokens'
  | 'cached_tokens'
  | 'completion_tokens'
  | 'finish_reason'
  | 'reply_preview'
  | 'guardrail'
>
type Sent = Pick<AiRecord, 'model' | 'stream' | 'status'>

/** One object literal: records are created for every request, and spreading objects is measurably slower. */
function record(call: ModelCall, report: Report, { model, stream, status }: Sent, bodyLine?: string): AiRecord {
  const { svc, request } = call
  const session = svc.http.session(request)
  // In load mode only the counts are read.
  const isKept = !svc.config.loadMode
  const { body, json } = isKept
    ? keepBody(call.body, bodyLine ?? (isMultipart(call) ? 'multipart body' : undefined), call.readText)
    : NO_BODY
  return {
    request_id: call.requestId,
    at: Date.now(),
    provider: call.instance.name,
    method: call.method,
    endpoint: keepPath(call.path, call.hasQuery),
    query: keepQuery(call.url, svc.inspector),
    credential: call.credential === null ? null : call.shownCredential,
    headers: isKept ? keepHeaders(call.receivedHeaders, svc.inspector) : [],
    body,
    json,
    fault: call.fault,
    rule: call.rule,
    validation: call.validation?.level ?? null,
    violations: recordedViolations(call.validation),
    directive: call.shownDirective,
    session_header: session.header,
    session: session.label,
    mode: report.mode,
    normalized_prompt: report.normalized_prompt,
    prompt_tokens: report.prompt_tokens,
    cached_tokens: report.cached_tokens,
    completion_tokens: report.completion_tokens,
    finish_reason: report.finish_reason,
    reply_preview: report.reply_preview,
    guardrail: report.guardrail,
    model: model === null ? null : copyText(model),
    stream,
    status,
  }
}

const NO_BODY = { body: '', json: false }
const NO_VIOLATIONS: RecordedViolation[] = []

function recordedViolations(validation: CallValidation | null): RecordedViolation[] {
  if (validation === null || validation.violations.length === 0) return NO_VIOLATIONS
  return validation.violations.map(violation => ({
    rule: violation.rule.rule,
    at: copyText(violation.at.slice(0, MAX_PLACE)),
    message: copyText(errorOfViolation(violation).message.slice(0, MAX_MESSAGE)),
    confidence: violation.rule.confidence,
    refused: violation === validation.refused,
  }))
}

/** Characters of a violation that a record keeps. */
const MAX_PLACE = 200
const MAX_MESSAGE = 1000

function isMultipart(call: ModelCall): boolean {
  return call.header('content-type')?.toLowerCase().startsWith('multipart/') === true
}

/** Creates the record of an error. */
export function recordError(call: ModelCall, status: number): AiRecord {
  return record(
    call,
    {
      mode: null,
      normalized_prompt: '',
      prompt_tokens: 0,
      cached_tokens: 0,
      completion_tokens: 0,
      finish_reason: 'error',
      reply_preview: '',
      guardrail: null,
    },
    { model: null, stream: false, status },
  )
}

/** Creates the record of a reply; null for requests that are not recorded, such as lists of models. */
export function recordOf(call: ModelCall, status: number): AiRecord | null {
  const { parsed, result, finishReasons, isStream } = call
  if (parsed === null || result === null) return null
  const report = reportOf(parsed, result, finishReasons)
  return report && record(call, report, { model: parsed.model ?? null, stream: isStream, status }, parsed.bodyLine)
}

function reportOf(parsed: Parsed, result: ResultOf<Parsed>, finishReasons: Record<Finish, string>): Report | null {
  const nothing = { cached_tokens: 0, completion_tokens: 0, finish_reason: null, reply_preview: '', guardrail: null }
  switch (result.op) {
    case 'chat':
      return reportChat(result, finishReasons)
    case 'embed':
      return {
        ...nothing,
        mode: result.mode ?? 'embedding',
        normalized_prompt: keepPrompt(parsed.op === 'embed' ? textOf(parsed.inputs) : ''),
        prompt_tokens: result.promptTokens,
      }
    case 'rerank':
      return {
        ...nothing,
        mode: 'rerank',
        normalized_prompt: keepPrompt(parsed.op === 'rerank' ? [parsed.query, ...parsed.documents].join('\n') : ''),
        prompt_tokens: result.promptTokens,
      }
    case 'count':
      return { ...nothing, mode: 'count_tokens', normalized_prompt: '', prompt_tokens: result.promptTokens }
    case 'own': {
      if (parsed.op !== 'own' || parsed.mode === undefined) return null
      return {
        ...nothing,
        mode: parsed.mode,
        normalized_prompt: keepPrompt(parsed.prompt ?? ''),
        prompt_tokens: parsed.promptTokens,
        completion_tokens: parsed.completionTokens,
        reply_preview: keepPreview(parsed.preview ?? ''),
      }
    }
    default:
      return null
  }
}

function textOf(inputs: readonly (string | number[])[]): string {
  return inputs.map(input => (typeof input === 'string' ? input : input.join(' '))).join('\n')
}

function reportChat(result: ChatResult, finishReasons: Record<Finish, string>): Report {
  const [first] = result.choices
  const preview =
    first === undefined || first.calls.length === 0
      ? (first?.text ?? '')
      : [first.text, ...first.calls.map(made => `[tool_call ${flatName(made)}] ${made.json}`)]
          .filter(text => text !== '')
          .join('\n')
  return {
    mode: result.mode,
    normalized_prompt: keepPrompt(result.prompt),
    prompt_tokens: result.promptTokens,
    cached_tokens: result.cachedTokens ?? 0,
    completion_tokens: result.completionTokens,
    finish_reason: result.guardrail?.finishReason ?? (first === undefined ? null : finishReasons[first.finish]),
    reply_preview: keepPreview(preview),
    guardrail: result.guardrail?.action ?? null,
  }
}
