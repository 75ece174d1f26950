/**
 * Helpers that several plugins share, and types that few need, exported as `svc/toolkit`. Nothing here is needed to write a
 * plugin: the contract is `svc/plugin`.
 */

// ---------- Values parsed from JSON

export { isRecord } from '../contract/record.ts'
export { deepEqual, mergePatch, own, setOwn, takeSize } from '../contract/json.ts'
export { excessOfJsonText, isNestedWithin, isTextNestedWithin } from './json-depth.ts'
export { applyJsonPatch, type JsonPatch, readJsonPatch } from './json-patch.ts'
export { escapeToken, pointerTokens, valueAt } from './json-pointer.ts'
export { compileJsonPath, type JsonPath, MAX_JSON_PATH } from './json-path.ts'
export { exactAsText, parseExactJson, writeJson } from './exact-json.ts'
export { canonicalJson } from './canonical-json.ts'
export {
  asBoolean,
  asInteger,
  asMembers,
  asObject,
  asText,
  below,
  InputProblem,
  type Problem,
  readOrProblem,
  rejectUnknownKeys,
} from './input-problem.ts'
export { readOrProblems as readAllProblems } from './all-problems.ts'
export { jsonBytes, jsonChunks, JsonList } from '../contract/json-chunks.ts'
export { jsonSerializer } from './json-serializer.ts'
export { jsonRpcProtocol } from './json-rpc.ts'
export { structOf } from './protobuf-struct.ts'

// ---------- Text, patterns and templates

export { type LinearPattern, linearPattern, type PatternOptions, sharedPattern, toRe2Syntax } from './linear-pattern.ts'
export { TextSearch } from './text-search.ts'
export {
  checkReferences,
  expandedBytes,
  expandText,
  expandTexts,
  expandValue,
  type LookUp,
  memberAt,
  type ReferenceShape,
  type ReferenceWords,
} from './references.ts'
export {
  createLookUp,
  RULE_REFERENCES,
  type ReferencedRequest,
  type ReferenceFacts,
} from './request-references.ts'
export {
  fillTemplate,
  readParameters,
  replaceParameters,
  type TemplateForms,
  type TemplateParameter,
  templateParameters,
  templatePattern,
} from './path-template.ts'
export {
  expandHeaderChanges,
  expandLines,
  type HeaderChanges,
  type HeaderLine,
  NO_HEADER_CHANGES,
  readHeaderChanges,
  readHeaderLines,
  readHeaderNames,
  readLines,
  readNames,
  settable,
} from './header-lines.ts'
export { readStepMembers } from './step-members.ts'
export { fillVariables } from './process-variables.ts'
export { nearest } from './nearest.ts'
export { ArgumentError, filledArgument, type ReadArguments, splitArguments } from './split-arguments.ts'
export {
  type CommandUpstream,
  LISTEN_VALUES,
  type ListenPorts,
  readListen,
  startUpstream,
} from './command-upstream.ts'
export { unknownName } from './unknown-name.ts'
export { trimCharacters, trimEndCharacters } from '../fields/trim.ts'
export { cleanPath } from './clean-path.ts'
export { escapeHtml } from './html.ts'
export { type ReportPage, reportPage } from './report-page.ts'
export { type JunitCase, type JunitOutcome, type JunitSuite, junitXml } from './junit.ts'
export { markdownText, visible, visibleLines } from './visible-text.ts'
export { type FollowedEvents, lastEventNumber, sendFollowedEvents } from './followed-events.ts'
export { quoteWord, singleQuote } from './shell.ts'
export { curlArguments, curlHeader, curlLine } from './curl-line.ts'
export { HOST_SCHEMA, hostMatcher } from './served-host.ts'
export { writeYaml, type YamlOptions } from './yaml-text.ts'
/** Reads YAML within bounds, with the position of each item. */
export { parseYaml, type YamlDocument, YamlProblem } from '../config/yaml-document.ts'

// ---------- Conditions, in the language of rules

export { type Comparison, isValueTest, readValueTest, type ValueTest, type ValueTestOptions } from './value-test.ts'
export { failedTests, type FieldTest, readFieldTests } from './field-tests.ts'
export { MATCH_SCHEMA } from '../match/match-schema.ts'
export {
  type ConditionOptions,
  type Conditions,
  conditionSubject,
  type ConditionSubject,
  readConditions,
  referencedRequest,
} from '../match/conditions.ts'

// ---------- Parameters and settings

export {
  capCount,
  emptyRecord,
  isTruthy,
  lastEventIdOf,
  parseDecimal,
  parseInteger,
  queryRecord,
  rawQuery,
  shownText,
} from '../contract/input.ts'
export { hosts, isHttpUrl, splitList, usableEntries } from '../contract/parsers.ts'
export { HTTP_LISTENER_PROPERTIES, LISTENER_NAME, LISTENER_PROPERTIES } from './listener-schema.ts'
export { parseGoDuration } from './go-duration.ts'
export { type Distribution, readDistribution } from './distribution.ts'
export { type FaultListProblem, type ListedFault, parseFaultList } from './fault-list.ts'
export { type FaultCount, FaultCounter } from './fault-counter.ts'

// ---------- Descriptions of routes

export {
  ANY,
  BOOLEAN,
  INTEGER,
  jsonReply,
  list,
  NUMBER,
  nullable,
  object,
  RECORD,
  streamedReply,
  TEXT,
  textReply,
  withReplies,
  typed,
} from './reply-schemas.ts'

// ---------- Header fields and targets of requests

export { type NegotiatedType, preferredType } from '../fields/accept.ts'
export { splitList as splitField, unquote } from '../fields/list-syntax.ts'
export { firstRawHeader } from '../fields/raw-header.ts'
export { preferredCoding } from '../fields/accept-encoding.ts'
export {
  type Authorization,
  isSameSecret,
  readAuthorization,
  readBasicCredentials,
  readBearerToken,
} from '../fields/authorization.ts'
export { parseCookies } from '../fields/cookie.ts'
export { namesTag } from '../fields/etag.ts'
export {
  type Conditions as RequestConditions,
  isNotModified,
  isPreconditionFailed,
  type Preconditions,
  type Validators,
} from '../fields/conditional.ts'
export { type ByteRange, isRangeCurrent, readRange } from '../fields/byte-range.ts'
export { hasPassed, viaName } from '../fields/via.ts'
export { parseHttpDate } from '../fields/http-date.ts'
export {
  CONTENT_CODINGS,
  contentCodings,
  ContentCodingError,
  createDecoder,
  decodeContent,
  decodeContentSync,
  isContentCodingError,
} from './content-coding.ts'
export { awsEventFrame } from './aws-event-frame.ts'
export { type ContentEncoder, createContentEncoder, type EncoderCoding, type EncoderStream } from './content-encoder.ts'
export { type Encode, loadZstd } from './zstd.ts'
export { isBelow } from '../fields/request-target.ts'
export { isSessionName, takeSessionPrefix } from '../fields/session-prefix.ts'
export { fieldProblem, headerProblem, isOriginWide } from '../fields/settable-header.ts'
export { grpcStatusOf } from './grpc-status.ts'
export { resetSocket } from './reset-socket.ts'
export { DEFER_AND_STREAM, FEDERATION_DIRECTIVES } from './schema-directives.ts'
export { isToken } from '../fields/token.ts'
export { type FormPart, type FormParts, readFormParts } from '../fields/multipart.ts'
export { SANDBOX_POLICY, sandboxPolicy } from './untrusted-content.ts'

// ---------- Secrets

export { isSecretMember, isSecretParameter, Redactor } from './redaction.ts'
export { isOrdinaryText, isSecretName } from './secret-names.ts'
export { SecretValues } from './secret-values.ts'

// ---------- Threads

/** Work that would block other requests. */
export { THREAD_LOADED, type ThreadFailure, ThreadPool, type ThreadResult } from './thread-pool.ts'

// ---------- Bounded collections, and the memory of values in bytes

export { BoundedMap, memoize } from '../collections/bounded-map.ts'
/** A store that every request reads: each replica has its entries in memory. */
export { type MirroredStore, mirrorStore } from './mirrored-store.ts'
/** Keeps the newest entries, for example one per request. Create it with `svc.shared` to keep it across reloads. */
export { newestByTime } from './newest-by-time.ts'
export { type RingBounds, RingBuffer, type RingEntry } from '../collections/ring-buffer.ts'
/** Memory use of text, in bytes, and copies that do not keep a larger string alive. For data bounded in bytes. */
export { copyText, heldBytes } from '../collections/text-memory.ts'
/** The same for values parsed from JSON. */
export { copyData, type DataCopy, heldValueBytes } from '../collections/value-memory.ts'

// ---------- Streams, signals and certificates

export { type ConnectionTls, connectionTls } from './connection-tls.ts'
export { drained, isGone, type Drainable } from '../contract/drained.ts'
export {
  createFetcher,
  type Fetcher,
  type FetcherOptions,
  FetchProblem,
  httpUrl,
  isOwnPlace,
  type OutboundRequest,
  type OutboundResponse,
} from './outbound.ts'
export { boundedFetch, FetchFailure, hostList, type BoundedRequest, type BoundedResponse } from './bounded-fetch.ts'
export { type JoinedSignal, joinSignals } from './joined-signal.ts'
export { turnForBytes } from '../contract/turns.ts'
export { receiveMessages } from './receive-messages.ts'
export { sleep, type SleepOptions } from './sleep.ts'
export { registerIndex, type IndexRoute } from './index-route.ts'
export { connectionFieldTest } from './connection-fields.ts'
export { readPemCertificates } from './pem-certificates.ts'
export {
  DER,
  DerError,
  derContextTag,
  derElement,
  expectDerElement,
  readDerElements,
  readOnlyDerElement,
  type DerElement,
} from './der.ts'

// ---------- Types of the extension points of the core

export type { CallAdmission, CallFailure, ConnectionFacts, MediaTypeCall, SvcMediaTypes } from '../contract/calls.ts'
export type { DocumentFile, DocumentFileOptions, DocumentFiles } from '../contract/documents.ts'
export type { ControlTool, ControlTools, ResolvedControlTool } from '../contract/control-tools.ts'
export type {
  Arrival,
  ArmedTap,
  ConnectionEnd,
  SvcTap,
  TapChunk,
  TapFields,
  TapHttp2Reply,
  TapOptions,
  TapReply,
} from '../contract/tap.ts'
export type {
  ActingStep,
  MatchableRequest,
  MatchFacts,
  MatchField,
  MatchProtocol,
  MatchProtocols,
  MessageSteps,
  RecordQuery,
  ResetKind,
  Resets,
  RuleFileOptions,
  RuleFiles,
  RuleFileSet,
  RuleStep,
  RuleStepKind,
  RuleSteps,
  TranslatedFile,
  TranslatedRule,
  Verifications,
  VerifiedRecords,
} from '../contract/testing.ts'
export type { SvcTls, TlsAccept, TlsConnection } from '../contract/tls.ts'
