/** Makes the entry of a request that is captured, without its credentials. */
import type { IncomingHttpHeaders } from 'node:http'
import type { ServiceDecision } from '../contract/plugin.ts'
import { copyText } from '../collections/text-memory.ts'
import { findKey } from '../keys/api-key.ts'
import {
  fieldsOf,
  keptBody,
  type CapturedNotes,
  type CapturedRequest,
  type Notified,
  type ResponseProgress,
} from './captured-request.ts'
import type { CapturedService } from './captured-service.ts'
import type { Redaction } from './redaction.ts'
import { BodyConverter, type ResponseCopy } from './response-copy.ts'

/** What a pipeline stage knows about a request when the response headers are sent. */
export interface CaptureFacts
  extends Omit<
    CapturedRequest,
    'id' | 'body' | 'bodyBytes' | 'decodedBody' | 'response' | 'service' | 'tags' | 'notified'
  > {
  body: Buffer
  /** Null for a body without a content coding. */
  decodedBody: Buffer | null
  response: ResponseInProgress
  /** Null if the request did not call a service. */
  service: ServiceDecision | null
  tags: readonly string[]
  notified: readonly Notified[]
  /** Lower-case names, to check quickly whether anything needs redaction. */
  headers: IncomingHttpHeaders
}

/** What is noted about a request until its response has ended: by plugins, and the rule about a later message of a stream. */
export type CaptureNotes = Pick<CaptureFacts, 'service' | 'tags' | 'rule'>

/** A response that may still be sent. */
export interface ResponseInProgress {
  readonly bytesSent: number
  readonly ended: ResponseProgress['ended']
  readonly grpcStatus: number | null
  readonly copy: ResponseCopy | null
}

/** `keys`: whether requests present API keys, which are credentials then. */
export function createEntryMaker(
  redaction: Redaction,
  { keys }: { keys: boolean },
): (facts: CaptureFacts) => CapturedRequest {
  const responses = createResponseViews(redaction)
  return facts => {
    const apiKey = keys ? findKey(keyField(facts.headers), facts.uri) : null
    return {
      id: null,
      requestId: facts.requestId,
      isRequestIdGenerated: facts.isRequestIdGenerated ?? false,
      arrivedAt: facts.arrivedAt,
      method: facts.method,
      uri: compact(redaction.url(facts.uri, apiKey), facts.uri),
      ...(facts.served === undefined ? {} : { served: compact(redaction.url(facts.served, apiKey), facts.served) }),
      httpVersion: facts.httpVersion,
      rawHeaders: redactedHeaders(facts, redaction, apiKey),
      clientIp: facts.clientIp,
      ...(facts.scheme === undefined ? {} : { scheme: facts.scheme }),
      ...(facts.listener === undefined ? {} : { listener: facts.listener }),
      ...(facts.proxy === undefined ? {} : { proxy: facts.proxy }),
      session: facts.session,
      sessionFrom: facts.sessionFrom,
      body: redactedBody(facts.body, redaction, apiKey),
      bodyBytes: facts.body.length,
      ...(facts.decodedBody === null ? {} : { decodedBody: redactedBody(facts.decodedBody, redaction, apiKey) ?? '' }),
      status: facts.status,
      latencyMs: facts.latencyMs,
      trace: facts.trace,
      fault: facts.fault,
      faultSource: facts.faultSource,
      rule: facts.rule,
      faultOrigin: facts.faultOrigin,
      abort: facts.abort,
      failure: facts.failure,
      ...capturedNotes(facts, redaction),
      ...(facts.notified.length === 0 ? {} : { notified: facts.notified }),
      route: facts.route,
      plugin: facts.plugin,
      response:
        facts.response.ended === 'open'
          ? responses.show(facts.response, apiKey)
          : responses.copy(facts.response, apiKey),
    }
  }
}

/** Usually nothing needs redaction, and the entry keeps the list of the parser. */
function redactedHeaders(
  { headers, rawHeaders }: CaptureFacts,
  redaction: Redaction,
  apiKey: string | null,
): readonly string[] {
  if (redaction.isByNameOnly && headers['x-svc-admin-token'] === undefined) return rawHeaders
  let redacted: string[] | null = null
  for (let index = 1; index < rawHeaders.length; index += 2) {
    const shown = redaction.header(rawHeaders[index - 1]!.toLowerCase(), rawHeaders[index]!, apiKey)
    if (shown !== rawHeaders[index]) (redacted ??= [...rawHeaders])[index] = copyText(shown)
  }
  return redacted ?? rawHeaders
}

/** As an entry has them. */
export function capturedNotes({ service, tags, rule }: CaptureNotes, redaction: Redaction): CapturedNotes {
  return {
    ...(rule === null ? {} : { rule }),
    ...(service === null ? {} : { service: redactedService(service, redaction) }),
    ...(tags.length === 0 ? {} : { tags }),
  }
}

/** The request within the call may have credentials of its own. */
function redactedService({ checked, ...decision }: ServiceDecision, redaction: Redaction): CapturedService {
  const { url, rawHeaders, body, ...facts } = checked
  return {
    ...decision,
    facts: redactedFacts(decision.facts, redaction),
    checked: {
      ...facts,
      url: compact(redaction.url(url, null), url),
      rawHeaders: rawHeaders.map((text, index) =>
        index % 2 === 0 ? text : compact(redaction.header(rawHeaders[index - 1]!.toLowerCase(), text, null), text),
      ),
      body: redactedBody(body, redaction, null),
    },
  }
}

/** The items of a list are `name=value`: as fields of these names. */
function redactedFacts(facts: ServiceDecision['facts'], redaction: Redaction): ServiceDecision['facts'] {
  const redacted = (text: string): string => {
    const equals = text.indexOf('=')
    if (equals === -1) return text
    const shown = redaction.header(text.slice(0, equals).toLowerCase(), text.slice(equals + 1), null)
    return copyText(`${text.slice(0, equals)}=${shown}`)
  }
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [name, Array.isArray(value) ? value.map(redacted) : value]),
  )
}

function redactedBody(body: Buffer, redaction: Redaction, apiKey: string | null): string | null {
  const kept = keptBody(body)
  return kept === null || redaction.isByNameOnly ? kept : compact(redaction.text(kept, apiKey), kept)
}

interface ResponseViews {
  /** Reads the response when it is shown, until `copy` replaces it. */
  show(response: ResponseInProgress, apiKey: string | null): ResponseProgress
  copy(response: ResponseInProgress, apiKey: string | null): ResponseProgress
}

function createResponseViews(redaction: Redaction): ResponseViews {
  const converter = new BodyConverter()

  /** The fields of a response as they may be shown. */
  function redactedHead(head: string, apiKey: string | null): string {
    if (redaction.isByNameOnly) return head
    const fields = fieldsOf(head)
    let lines = ''
    for (let index = 0; index < fields.length; index += 2) {
      const name = fields[index]!
      lines += `${name}: ${redaction.header(name.toLowerCase(), fields[index + 1]!, apiKey)}\r\n`
    }
    return copyText(lines)
  }

  function redactedText(body: string, apiKey: string | null): string {
    return redaction.isByNameOnly ? body : compact(redaction.text(body, apiKey), body)
  }

  return {
    show: (response, apiKey) => ({
      get bytesSent() {
        return response.bytesSent
      },
      get ended() {
        return response.ended
      },
      get grpcStatus() {
        return response.grpcStatus
      },
      get head() {
        const head = response.copy?.head ?? null
        return head && redactedHead(head, apiKey)
      },
      get body() {
        const body = response.copy?.bodyBy(converter) ?? null
        return body && redactedText(body, apiKey)
      },
    }),
    copy({ bytesSent, ended, grpcStatus, copy }, apiKey) {
      const head = copy === null ? null : copy.head
      const body = copy === null ? null : copy.bodyBy(converter)
      return {
        bytesSent,
        ended,
        grpcStatus,
        head: head && redactedHead(head, apiKey),
        body: body && redactedText(body, apiKey),
      }
    },
  }
}

/** Copies a redacted text, so that it does not retain the original. */
export function compact(shown: string, whole: string): string {
  return shown === whole ? whole : copyText(shown)
}

function keyField(headers: IncomingHttpHeaders): string | undefined {
  const value = headers['x-svc-key']
  return Array.isArray(value) ? value[0] : value
}
