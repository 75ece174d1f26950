/** The rules of a provider, from svc.yaml and from plugins: conditions and steps in the language of rules. */
import { OutputBudget, StepBudget, type Json, type JsonObject } from 'svc/plugin'
import {
  asText,
  asObject,
  below,
  checkReferences,
  expandedBytes,
  expandText,
  failedTests,
  InputProblem,
  readFieldTests,
  rejectUnknownKeys,
  type ReferenceWords,
} from 'svc/toolkit'
import type { NeutralRequest } from '../contract/neutral.ts'
import { CHAT_FIELDS, chatFacts } from './facts.ts'
import { translateMatch, type OlderMatch } from './older-rules.ts'

/** Conditions on a request, and the reply if they hold: in the language of rules, or in the older spelling. */
export type Rule = { match: { llm: JsonObject }; then: RuleStep } | { match: OlderMatch; reply: RuleReply }

/** What a rule of a provider can do. Rules of the instance can do more. */
export type RuleStep =
  | {
      reply:
        | { text: string; finish?: string; template?: boolean }
        | { tool_calls: { name: string; namespace?: string; args?: Json }[] }
    }
  | { fail: string }

/** A text with the references `{{prompt}}` and `{{model}}`, a tool call, or a fault. */
export type RuleReply =
  | { text: string; finish?: Finish; template?: boolean }
  | { tool: string; namespace?: string; args?: Record<string, unknown> }
  | { fail: string }

type Finish = (typeof FINISHES)[number]

/** A rule whose conditions are read. */
export interface CompiledRule {
  /** Throws `TooExpensive` if the budget has too few steps. */
  matches(request: NeutralRequest, userText: string, steps: StepBudget): boolean
  reply: RuleReply
  /** In the language of rules; null if it was given in it. */
  translated: JsonObject | null
}

/** The words of references in texts of providers. */
export const PROVIDER_REFERENCES: ReferenceWords = { prompt: 'nothing', model: 'nothing' }
const FINISHES = ['stop', 'length', 'content_filter'] as const
const MAX_TEXT = 262_144
const MAX_NAME = 200

/**
 * Reads a rule. Throws an `InputProblem` with the place below `at`, and a SyntaxError for an invalid regular expression in the
 * older spelling.
 */
export function readRule(rule: Rule, at: string): CompiledRule {
  const isOlder = !('then' in rule)
  const llm = 'llm' in rule.match ? rule.match.llm : translateMatch(rule.match as OlderMatch)
  const matchAt = below(at, 'match')
  // The operator writes them: their cost is that of the texts of requests.
  const options = { checks: StepBudget.unlimited(), isTrusted: true }
  const tests = readFieldTests(CHAT_FIELDS, llm, isOlder ? matchAt : below(matchAt, 'llm'), options)
  const reply = isOlder ? rule.reply : readStep(rule.then as Json, below(at, 'then'))
  if ('text' in reply && reply.template !== false)
    checkReferences(reply.text, PROVIDER_REFERENCES, below(at, isOlder ? 'reply.text' : 'then.reply.text'))
  return {
    reply,
    matches: (request, _userText, steps) => failedTests(tests, chatFacts(request), steps).length === 0,
    translated: isOlder ? { match: { llm }, then: stepOf(reply) } : null,
  }
}

/** Reads the rule of a plugin. Throws like `readRule`. */
export function compileRule(rule: Rule): CompiledRule {
  return readRule(rule, '')
}

/** The step of a reply in the older spelling. */
function stepOf(reply: RuleReply): JsonObject {
  if ('fail' in reply) return { fail: reply.fail }
  if ('text' in reply) return { reply: { ...reply } }
  const call: JsonObject = { name: reply.tool }
  if (reply.namespace !== undefined) call.namespace = reply.namespace
  if (reply.args !== undefined) call.args = reply.args as JsonObject
  return { reply: { tool_calls: [call] } }
}

function readStep(value: Json, at: string): RuleReply {
  const given = asObject(value, at, 'expected a step: an object with reply or fail')
  rejectUnknownKeys(given, ['reply', 'fail'], at)
  if ((given.reply === undefined) === (given.fail === undefined)) throw new InputProblem(at, 'expected reply or fail')
  if (given.fail !== undefined) return { fail: asText(given.fail, below(at, 'fail'), MAX_NAME, 1) }
  return readReply(given.reply!, below(at, 'reply'))
}

function readReply(value: Json, at: string): RuleReply {
  const given = asObject(value, at)
  rejectUnknownKeys(given, ['text', 'finish', 'template', 'tool_calls'], at)
  const calls = given.tool_calls
  if ((given.text === undefined) === (calls === undefined))
    throw new InputProblem(at, 'expected text, or tool_calls with one call; rules of the instance can reply with more')
  if (calls !== undefined) {
    if (!Array.isArray(calls) || calls.length !== 1)
      throw new InputProblem(below(at, 'tool_calls'), 'expected a list of one call')
    const place = `${below(at, 'tool_calls')}[0]`
    const call = asObject(calls[0], place)
    rejectUnknownKeys(call, ['name', 'namespace', 'args'], place)
    return {
      tool: asText(call.name, below(place, 'name'), MAX_NAME, 1),
      ...(call.namespace === undefined
        ? {}
        : { namespace: asText(call.namespace, below(place, 'namespace'), MAX_NAME, 1) }),
      ...(call.args === undefined ? {} : { args: asObject(call.args, below(place, 'args')) }),
    }
  }
  const finish = FINISHES.find(known => known === given.finish)
  if (given.finish !== undefined && finish === undefined)
    throw new InputProblem(below(at, 'finish'), `expected one of ${FINISHES.join(', ')}`)
  return {
    text: asText(given.text, below(at, 'text'), MAX_TEXT),
    ...(finish === undefined ? {} : { finish }),
    ...(given.template === false ? { template: false } : {}),
  }
}

/** Replaces `{{prompt}}` and `{{model}}`; nothing is evaluated. Throws `OutputTooLarge` before the text is made. */
export function fillTemplate(text: string, request: NeutralRequest, userText: string, output: OutputBudget): string {
  const lookUp = (name: string): string | undefined =>
    name === 'prompt' ? userText : name === 'model' ? request.model : undefined
  output.require(expandedBytes(text, lookUp))
  // It is taken when it becomes a reply.
  return expandText(text, lookUp, new OutputBudget(Infinity))
}
