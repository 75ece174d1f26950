/** Finds what the Messages API refuses. */
import { isRecord } from 'svc/toolkit'
import type {
  CheckedRequest,
  Engine,
  Report,
  RouteValidation,
  ValidationLimit,
  ValidationList,
  ValidationRule,
} from '../../llm/types.ts'
import { checkBlocks } from './blocks.ts'
import { checkConversation } from './conversation.ts'
import { checkHead, interleaves } from './head.ts'
import { BODY_MEMBERS, CHOICE_MEMBERS, METADATA_MEMBERS, THINKING_MEMBERS } from './known-names.ts'
import { checkMembers, type Body } from './members.ts'
import { MESSAGE_RULES } from './rules.ts'
import { checkTools } from './tools.ts'

/** A platform that serves Claude. */
export interface MessagesVariant {
  flavour: string
  betas: ValidationList
  /** Members of the body in addition. */
  members: ReadonlySet<string>
  /** The API version is in a header. */
  hasVersionHeader: boolean
  /** Beta features can be in a header; false: they are in the body only. */
  hasBetaHeader: boolean
  /** In addition to those of the Messages API. */
  rules?: readonly ValidationRule[]
  limits?: readonly ValidationLimit[]
  /** Finds what only this platform refuses. */
  check?(request: CheckedRequest, report: Report): void
  modelOf(request: CheckedRequest): unknown
}

export function messagesValidation(engine: Engine, variant: MessagesVariant): RouteValidation {
  return {
    flavour: variant.flavour,
    rules: [...(variant.rules ?? []), ...MESSAGE_RULES],
    lists: [variant.betas],
    limits: variant.limits ?? [],
    check(request, report) {
      const { body } = request
      checkHead(request, variant, report)
      checkOptions(request, variant, report)
      checkTools(request, report)
      checkBlocks(request, report)
      checkModel(engine, request, variant.modelOf(request), report)
      checkConversation(engine, body, variant.modelOf(request), report)
      variant.check?.(request, report)
    },
  }
}

function checkOptions(request: CheckedRequest, { members }: MessagesVariant, report: Report): void {
  const { body } = request
  const known = members.size === 0 ? BODY_MEMBERS : new Set([...BODY_MEMBERS, ...members])
  checkMembers(body, known, '', request, report)
  if (isRecord(body.metadata)) checkMembers(body.metadata, METADATA_MEMBERS, 'metadata', request, report)
  for (const [name, byType] of [
    ['thinking', THINKING_MEMBERS],
    ['tool_choice', CHOICE_MEMBERS],
  ] as const) {
    const option = body[name]
    if (!isRecord(option) || typeof option.type !== 'string') continue
    const ofType = Object.hasOwn(byType, option.type) ? byType[option.type] : undefined
    if (ofType !== undefined) checkMembers(option, ofType, `${name}.${option.type}`, request, report)
  }
}

const MIN_BUDGET = 1024
const MIN_TOP_P = 0.95
/** What the vendor takes for the beginning of a reply. */
const BEGINNINGS = new Set(['text', 'thinking', 'redacted_thinking'])

function checkModel(engine: Engine, request: CheckedRequest, model: unknown, report: Report): void {
  const { body } = request
  const classes = engine.modelClasses(typeof model === 'string' ? model : undefined)
  const thinking = isRecord(body.thinking) ? body.thinking : {}
  const isAdaptive = classes.includes('claude-adaptive')
  if (thinking.type === 'enabled') {
    if (isAdaptive) report('anthropic.thinking-enabled', 'thinking')
    checkBudget(thinking.budget_tokens, request, report)
    checkThinkingSampling(body, report)
  }
  if (thinking.type === 'adaptive' && classes.includes('claude-budget'))
    report('anthropic.thinking-adaptive', 'thinking')
  if (isAdaptive) checkSampling(body, report)
  if ((isAdaptive || classes.includes('claude-4-6')) && endsWithPrefill(body)) report('anthropic.prefill', 'messages')
}

function checkBudget(budget: unknown, request: CheckedRequest, report: Report): void {
  const { max_tokens: limit } = request.body
  if (typeof budget !== 'number') return
  if (budget < MIN_BUDGET) report('anthropic.budget-min', 'thinking')
  if (typeof limit === 'number' && budget >= limit && !interleaves(request)) report('anthropic.budget-max', 'thinking')
}

function checkThinkingSampling(body: Body, report: Report): void {
  if (typeof body.temperature === 'number' && body.temperature !== 1)
    report('anthropic.thinking-sampling', 'temperature')
  if (typeof body.top_k === 'number') report('anthropic.thinking-sampling', 'top_k', { form: 'top_k' })
  if (typeof body.top_p === 'number' && body.top_p < MIN_TOP_P)
    report('anthropic.thinking-sampling', 'top_p', { form: 'top_p' })
  const choice = isRecord(body.tool_choice) ? body.tool_choice.type : undefined
  if (choice === 'any' || choice === 'tool') report('anthropic.thinking-forced', 'tool_choice')
}

/** The defaults are still taken. */
function checkSampling(body: Body, report: Report): void {
  for (const name of ['temperature', 'top_p'])
    if (typeof body[name] === 'number' && body[name] !== 1) report('anthropic.sampling', name)
  if (typeof body.top_k === 'number') report('anthropic.sampling', 'top_k')
}

function endsWithPrefill({ messages }: Body): boolean {
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined
  if (!isRecord(last) || last.role !== 'assistant') return false
  return !Array.isArray(last.content) || last.content.every(isBeginning)
}

/** A turn with calls goes on; one that the vendor paused, in its own tools or after a compaction, is sent back as it came. */
function isBeginning(block: unknown): boolean {
  return isRecord(block) && typeof block.type === 'string' && BEGINNINGS.has(block.type)
}
