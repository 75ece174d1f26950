/** Owns the protocol's errors: their codes and bodies in JSON-RPC and HTTP+JSON (A2A 1.0, 5.4). */
import { StateUnavailable } from 'svc/plugin'
import type { JsonObject } from '../types.ts'
import type { ProtocolVersion } from './version.ts'

interface ErrorKind {
  /** JSON-RPC. */
  code: number
  http: number
  /** Name of the `google.rpc.Code`. */
  status: string
  /** Name of the error in protocol version 0.3. */
  type: string
}

const KINDS = {
  TASK_NOT_FOUND: { code: -32001, http: 404, status: 'NOT_FOUND', type: 'TaskNotFoundError' },
  TASK_NOT_CANCELABLE: { code: -32002, http: 400, status: 'FAILED_PRECONDITION', type: 'TaskNotCancelableError' },
  UNSUPPORTED_OPERATION: { code: -32004, http: 400, status: 'FAILED_PRECONDITION', type: 'UnsupportedOperationError' },
  PUSH_NOTIFICATION_NOT_SUPPORTED: {
    code: -32003,
    http: 400,
    status: 'FAILED_PRECONDITION',
    type: 'PushNotificationNotSupportedError',
  },
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: {
    code: -32007,
    http: 400,
    status: 'FAILED_PRECONDITION',
    type: 'AuthenticatedExtendedCardNotConfiguredError',
  },
  EXTENSION_SUPPORT_REQUIRED: {
    code: -32008,
    http: 400,
    status: 'FAILED_PRECONDITION',
    type: 'ExtensionSupportRequiredError',
  },
  CONTENT_TYPE_NOT_SUPPORTED: {
    code: -32005,
    http: 400,
    status: 'INVALID_ARGUMENT',
    type: 'ContentTypeNotSupportedError',
  },
  VERSION_NOT_SUPPORTED: { code: -32009, http: 400, status: 'FAILED_PRECONDITION', type: 'VersionNotSupportedError' },
  UNAUTHENTICATED: { code: -32000, http: 401, status: 'UNAUTHENTICATED', type: 'UnauthenticatedError' },
  JSON_PARSE: { code: -32700, http: 400, status: 'INVALID_ARGUMENT', type: 'JSONParseError' },
  INVALID_REQUEST: { code: -32600, http: 400, status: 'INVALID_ARGUMENT', type: 'InvalidRequestError' },
  METHOD_NOT_FOUND: { code: -32601, http: 404, status: 'NOT_FOUND', type: 'MethodNotFoundError' },
  INVALID_PARAMS: { code: -32602, http: 400, status: 'INVALID_ARGUMENT', type: 'InvalidParamsError' },
  INTERNAL: { code: -32603, http: 500, status: 'INTERNAL', type: 'InternalError' },
  UNKNOWN_FAULT: { code: -32602, http: 400, status: 'INVALID_ARGUMENT', type: 'InvalidParamsError' },
  RESOURCE_EXHAUSTED: { code: -32603, http: 429, status: 'RESOURCE_EXHAUSTED', type: 'InternalError' },
  UNKNOWN_AGENT: { code: -32601, http: 404, status: 'NOT_FOUND', type: 'MethodNotFoundError' },
  STATE_UNAVAILABLE: { code: -32603, http: 503, status: 'UNAVAILABLE', type: 'InternalError' },
  STATE_FULL: { code: -32603, http: 503, status: 'UNAVAILABLE', type: 'InternalError' },
} as const satisfies Record<string, ErrorKind>

export type ErrorReason = keyof typeof KINDS

interface FieldViolation {
  field: string
  description: string
}

/** An error as replicas send it to each other. */
export interface SentError extends Pick<A2aError, 'reason' | 'message' | 'metadata' | 'violations'> {}

/** An error of the protocol. Operations throw it and the binding renders it. */
export class A2aError extends Error {
  readonly reason: ErrorReason
  readonly metadata: Record<string, string>
  readonly violations: readonly FieldViolation[]
  /** Response headers, such as a challenge. */
  readonly headers: Record<string, string>

  constructor(
    reason: ErrorReason,
    message: string,
    extra: {
      metadata?: Record<string, string>
      violations?: readonly FieldViolation[]
      headers?: Record<string, string>
    } = {},
  ) {
    super(message)
    this.reason = reason
    this.metadata = extra.metadata ?? {}
    this.violations = extra.violations ?? []
    this.headers = extra.headers ?? {}
  }

  /** The error that another replica sent. */
  static received({ reason, message, metadata, violations }: SentError): A2aError {
    return new A2aError(reason, message, { metadata, violations })
  }

  toSend(): SentError {
    return { reason: this.reason, message: this.message, metadata: this.metadata, violations: this.violations }
  }

  get kind(): ErrorKind {
    return KINDS[this.reason]
  }
}

/** The error as one of the protocol: errors of the state store are, others are thrown again. Its details name the tenant. */
export function toA2aError(caught: unknown, tenant: string | null = null): A2aError {
  const error = asA2aError(caught)
  if (tenant !== null) error.metadata.tenant = tenant
  return error
}

function asA2aError(error: unknown): A2aError {
  if (error instanceof A2aError) return error
  if (!(error instanceof StateUnavailable)) throw error
  const isFull = error.code === 'STATE_FULL'
  return new A2aError(error.code, isFull ? 'The state store is full' : 'The state store is unavailable', {
    headers: { 'X-Svc-State-Store': isFull ? 'full' : 'away', 'Retry-After': isFull ? '5' : '1' },
  })
}

export function isTaskNotFound(error: unknown): boolean {
  return error instanceof A2aError && error.reason === 'TASK_NOT_FOUND'
}

/** Invalid parameters; `field` is a path such as `message.parts`. */
export function invalidParams(field: string, description: string): A2aError {
  return new A2aError('INVALID_PARAMS', `invalid ${field}: ${description}`, { violations: [{ field, description }] })
}

export function taskNotFound(taskId: string, configId?: string): A2aError {
  const what =
    configId === undefined
      ? `task ${shorten(taskId)} not found for this agent and session`
      : `push notification config ${shorten(configId)} not found`
  return new A2aError('TASK_NOT_FOUND', what, {
    metadata: { taskId: shorten(taskId), ...(configId === undefined ? {} : { configId: shorten(configId) }) },
  })
}

export function versionNotSupported(requestedVersion: string, hint: string): A2aError {
  return new A2aError(
    'VERSION_NOT_SUPPORTED',
    `protocol version ${shorten(requestedVersion)} is not supported ${hint}`,
    { metadata: { requestedVersion: shorten(requestedVersion), supportedVersions: '1.0,0.3' } },
  )
}

export function shorten(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}

/** Error details of both bindings: `google.rpc.ErrorInfo`, then `BadRequest` if fields are invalid. */
export function detailsOf(error: A2aError): JsonObject[] {
  const info = {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: error.reason,
    domain: 'a2a-protocol.org',
    metadata: { ...error.metadata, timestamp: new Date().toISOString() },
  }
  if (error.violations.length === 0) return [info]
  return [info, { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: error.violations }]
}

/** The member `error` of a JSON-RPC response (JSON-RPC 2.0, 5.1). */
export function rpcError(error: A2aError): JsonObject {
  return { code: error.kind.code, message: error.message, data: detailsOf(error) }
}

/** The body of an HTTP+JSON error; clients of version 0.3 read `code`, `message` and `type` at its top level. */
export function httpError(error: A2aError, protocolVersion: ProtocolVersion, http = error.kind.http): JsonObject {
  const status = http === 405 ? 'UNIMPLEMENTED' : error.kind.status
  const body = { error: { code: http, status, message: error.message, details: detailsOf(error) } }
  return protocolVersion === '1.0'
    ? body
    : { code: error.kind.code, message: error.message, type: error.kind.type, ...body }
}
