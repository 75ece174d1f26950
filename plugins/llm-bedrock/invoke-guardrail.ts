/** Guardrails of InvokeModel with and without streaming: selected by headers, reported in members of the reply. */
import type { BedrockGuardrails } from '../guardrails/types.ts'
import type { ChatGuardrail, ChatResult, Engine, RouteInput } from '../llm/types.ts'
import { guardChat, type Assessments, type GuardrailSpec } from './guardrail.ts'
import { invokeTexts } from './guardrail-texts.ts'

const IDENTIFIER = 'x-amzn-bedrock-guardrailidentifier'
const VERSION = 'x-amzn-bedrock-guardrailversion'
const TRACE = 'x-amzn-bedrock-trace'
const TRACES = ['DISABLED', 'ENABLED', 'ENABLED_FULL'] as const
const CONFIG = 'amazon-bedrock-guardrailConfig'
const TAG_SUFFIX = /^[A-Za-z0-9]{1,20}$/
const NAME_LENGTH = 2048

/** The header parameters for guardrails. */
export const guardrailParameters = [
  {
    name: 'X-Amzn-Bedrock-GuardrailIdentifier',
    in: 'header',
    description: 'Any guardrail id or ARN. Applies the guardrail to the prompt and the reply',
    schema: { type: 'string' },
  },
  {
    name: 'X-Amzn-Bedrock-GuardrailVersion',
    in: 'header',
    description: 'Any guardrail version; required with an identifier',
    schema: { type: 'string' },
  },
  {
    name: 'X-Amzn-Bedrock-Trace',
    in: 'header',
    description: 'Whether the reply includes the assessments',
    schema: { type: 'string', enum: TRACES, default: 'DISABLED' },
  },
] as const

/**
 * Parses the headers and checks the input. Undefined if the request selects no guardrail; throws for invalid headers.
 */
export function guardInvoke(
  engine: Engine,
  guardrails: BedrockGuardrails | undefined,
  input: RouteInput,
  body: Record<string, unknown>,
): ChatGuardrail | undefined {
  const spec = readSpec(engine, input, body)
  if (spec === undefined) return undefined
  if (guardrails === undefined)
    throw engine.badInput(
      'The guardrail identifier or version provided in the request does not exist, because the plugin guardrails is not running.',
    )
  return guardChat(engine, guardrails, spec, invokeTexts(engine, body, readTagSuffix(engine, body)), { trace: traceOf })
}

function readSpec(engine: Engine, { headers }: RouteInput, body: Record<string, unknown>): GuardrailSpec | undefined {
  const id = valueOf(headers[IDENTIFIER])
  const version = valueOf(headers[VERSION])
  const trace = TRACES.find(known => known === (valueOf(headers[TRACE]) ?? 'DISABLED'))
  if (trace === undefined) throw engine.badInput(`trace must be one of ${TRACES.join(', ')}.`)
  if (id === undefined) {
    if (version !== undefined) throw engine.badInput('guardrailIdentifier must be provided with guardrailVersion.')
    if (body[CONFIG] != null) throw engine.badInput(`The body must not have ${CONFIG} without guardrailIdentifier.`)
    return undefined
  }
  if (version === undefined) throw engine.badInput('guardrailVersion must be provided with guardrailIdentifier.')
  if (id.length > NAME_LENGTH) throw engine.badInput(`guardrailIdentifier must have at most ${NAME_LENGTH} characters.`)
  return { id, trace: trace.toLowerCase() as Lowercase<typeof trace> }
}

function valueOf(header: string | string[] | undefined): string | undefined {
  const value = (Array.isArray(header) ? header[0] : header)?.trim()
  return value === '' ? undefined : value
}

function readTagSuffix({ json, badInput }: Engine, body: Record<string, unknown>): string | undefined {
  const suffix = json.own(body[CONFIG], 'tagSuffix')
  if (suffix == null) return undefined
  if (typeof suffix !== 'string' || !TAG_SUFFIX.test(suffix))
    throw badInput(`${CONFIG}.tagSuffix must have 1 to 20 letters and digits.`)
  return suffix
}

function traceOf({ id, input, output, modelOutput }: Assessments): object {
  return {
    guardrail: {
      ...(output === undefined ? {} : { modelOutput: [modelOutput] }),
      ...(input === undefined ? {} : { input: { [id]: input.assessments[0] } }),
      ...(output === undefined ? {} : { outputs: output.assessments.map(assessment => ({ [id]: assessment })) }),
    },
  }
}

/** The guardrail member of the reply and of every chunk. */
export function actionMember({ guardrail }: ChatResult): object {
  return guardrail === undefined
    ? {}
    : { 'amazon-bedrock-guardrailAction': guardrail.action === 'none' ? 'NONE' : 'INTERVENED' }
}

/** The trace member of the complete reply, or of the last chunk. */
export function traceMember({ guardrail }: ChatResult): object {
  return guardrail?.trace === undefined ? {} : { 'amazon-bedrock-trace': guardrail.trace }
}
