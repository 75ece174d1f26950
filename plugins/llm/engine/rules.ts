/** Scripted rules from svc.yaml and from plugins. */
import type { OutputBudget } from 'svc/plugin'
import type { NeutralRequest } from '../neutral.ts'

/** A condition on a request, and the reply if it holds. All keys of `match` must match. */
export interface Rule {
  match: {
    /** The last user text contains this, or an item of the list, in any case. */
    contains?: string | string[]
    /** A JavaScript regular expression with the flags `iu` for the last user text. */
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
  matches(request: NeutralRequest, userText: string): boolean
  reply: RuleReply
}

const regexTextCharacters = 4096
const PLACEHOLDER = /\{\{(prompt|model)\}\}/g

/** Throws a SyntaxError for an invalid regular expression. */
export function compileRule(rule: Rule): CompiledRule {
  const { contains, regex, model, system } = rule.match
  const wanted = (typeof contains === 'string' ? [contains] : contains)?.map(text => text.toLowerCase())
  const pattern = regex === undefined ? undefined : new RegExp(regex, 'iu')
  const matchesModel = modelMatcher(model)
  return {
    reply: rule.reply,
    matches(request, userText) {
      if (wanted !== undefined) {
        const lowerCase = userText.toLowerCase()
        if (!wanted.some(text => lowerCase.includes(text))) return false
      }
      // The pattern comes from the operator, the text from a client: limiting the text limits the time of a slow pattern.
      if (pattern !== undefined && !pattern.test(userText.slice(0, regexTextCharacters))) return false
      return matchesModel(request.model) && (system === undefined || request.system.some(text => text.includes(system)))
    },
  }
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
