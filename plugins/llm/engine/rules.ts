/** Scripted rules from svc.yaml and from plugins. */
import { StepBudget, type OutputBudget } from 'svc/plugin'
import { linearPattern, TextSearch, type LinearPattern } from 'svc/toolkit'
import type { NeutralRequest } from '../contract/neutral.ts'

/** A condition on a request, and the reply if it holds. All keys of `match` must match. */
export interface Rule {
  match: {
    /** The last user text contains this, or an item of the list, in any case. */
    contains?: string | string[]
    /**
     * A regular expression for the last user text, in any case, in the syntax of JavaScript without look-around and
     * back-references.
     */
    regex?: string
    /** The model name, or a prefix followed by `*`. */
    model?: string
    /** A system text contains this. */
    system?: string
  }
  reply: RuleReply
}

/** A text with the placeholders `{{prompt}}` and `{{model}}`, a tool call, or a fault. */
export type RuleReply =
  | { text: string; finish?: 'stop' | 'length' | 'content_filter' }
  | { tool: string; args?: Record<string, unknown> }
  | { fail: string }

/** A rule with compiled patterns. */
export interface CompiledRule {
  /** Throws `TooExpensive` if the budget has too few steps. */
  matches(request: NeutralRequest, userText: string, steps: StepBudget): boolean
  reply: RuleReply
}

/** The pattern looks at this many characters at the beginning of the text. */
const MAX_PATTERN_TEXT = 4096
/** Characters that are changed to lower case in one step. */
const FOLDED = 0.6
const PLACEHOLDER = /\{\{(prompt|model)\}\}/g

/** Throws a SyntaxError for an invalid regular expression. */
export function compileRule(rule: Rule): CompiledRule {
  const { contains, regex, model, system } = rule.match
  const wanted = (typeof contains === 'string' ? [contains] : contains)?.map(text => new TextSearch(text.toLowerCase()))
  const pattern = regex === undefined ? undefined : readPattern(regex)
  const matchesModel = modelMatcher(model)
  const ofSystem = system === undefined ? undefined : new TextSearch(system)
  return {
    reply: rule.reply,
    matches(request, userText, steps) {
      if (!matchesModel(request.model)) return false
      if (wanted !== undefined) {
        steps.take(userText.length / FOLDED)
        const lowerCase = userText.toLowerCase()
        if (!wanted.some(text => text.isIn(lowerCase, steps))) return false
      }
      if (pattern !== undefined && !pattern.test(userText.slice(0, MAX_PATTERN_TEXT), steps)) return false
      return ofSystem === undefined || request.system.some(text => ofSystem.isIn(text, steps))
    },
  }
}

/** The pattern comes from the operator, but the text from a client: a backtracking engine could take forever. */
function readPattern(regex: string): LinearPattern {
  const pattern = linearPattern(regex, StepBudget.unlimited(), { ignoresCase: true })
  if (pattern !== undefined) return pattern
  // Throws a SyntaxError that says what is wrong.
  new RegExp(regex, 'iu')
  throw new SyntaxError(
    `Invalid regular expression: ${regex.slice(0, 200)}: look-around and back-references are not supported`,
  )
}

function modelMatcher(model: string | undefined): (name: string) => boolean {
  if (model === undefined) return () => true
  if (!model.endsWith('*')) return name => name === model
  const prefix = model.slice(0, -1)
  return name => name.startsWith(prefix)
}

/** Replaces `{{prompt}}` and `{{model}}`; nothing is evaluated. Throws `OutputTooLarge` before the text is made. */
export function fillTemplate(text: string, request: NeutralRequest, userText: string, output: OutputBudget): string {
  const valueOf = (name: string): string => (name === 'prompt' ? userText : request.model)
  let length = text.length
  for (const [, name] of text.matchAll(PLACEHOLDER)) length += valueOf(name!).length
  // It is taken when it becomes a reply.
  output.require(length)
  return text.replace(PLACEHOLDER, (_whole, name: string) => valueOf(name))
}
