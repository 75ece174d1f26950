/** Scripted rules that others add: those of a named provider in svc.yaml, and those of plugins. */
import type { NeutralRequest } from '../neutral.ts'

/** A condition on a request and what is answered when it holds. Keys of `match` are joined by and. */
export interface Rule {
  match: {
    /** Contained in the last user text, any case; of a list, any. */
    contains?: string | string[]
    /** JavaScript regular expression, flags `iu`, on the last user text. */
    regex?: string
    /** Exact, or a prefix that ends in `*`. */
    model?: string
    /** Contained in a system text. */
    system?: string
  }
  reply: RuleReply
}

/** A text (`{{prompt}}`, `{{model}}` are replaced), a tool call, or a fault. */
export type RuleReply =
  | { text: string; finish?: 'stop' | 'length' | 'content_filter' }
  | { tool: string; args?: Record<string, unknown> }
  | { fail: string }

/** A rule made ready: the patterns are compiled once. */
export interface CompiledRule {
  matches(request: NeutralRequest, userText: string): boolean
  reply: RuleReply
}

const regexTextCharacters = 4096

/** Throws a SyntaxError for a regular expression that is none. */
export function compileRule(rule: Rule): CompiledRule {
  const { contains, regex, model, system } = rule.match
  const wanted = (typeof contains === 'string' ? [contains] : contains)?.map(text => text.toLowerCase())
  const pattern = regex === undefined ? undefined : new RegExp(regex, 'iu')
  const matchesModel = modelMatcher(model)
  return {
    reply: rule.reply,
    matches(request, userText) {
      if (wanted !== undefined) {
        const said = userText.toLowerCase()
        if (!wanted.some(text => said.includes(text))) return false
      }
      // The pattern is the operator's own, the text is not: a bounded text bounds what a slow pattern can cost.
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

/** Replaces `{{prompt}}` and `{{model}}`; nothing is evaluated. */
export function fillTemplate(text: string, request: NeutralRequest, userText: string): string {
  return text.replace(/\{\{(prompt|model)\}\}/g, (_whole, name) => (name === 'prompt' ? userText : request.model))
}
