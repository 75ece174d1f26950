/** What Azure OpenAI refuses in other words than OpenAI. */
import type { ValidationRule } from '../llm/types.ts'

/** Azure OpenAI on your data, whose replies have a context that is sent back, and the context of the user for Defender. */
export const AZURE_MEMBERS = {
  body: ['data_sources', 'enhancements', 'user_security_context'],
  message: ['context', 'end_turn'],
}

export function azureRules(openAi: readonly ValidationRule[]): readonly ValidationRule[] {
  return openAi.map(rule => (rule.rule === 'openai.unknown-field' ? unknownField(rule) : rule))
}

/** Only members of the body have a text of their own, and no parameter and code. */
function unknownField({ param, code, message, ...rule }: ValidationRule): ValidationRule {
  return {
    ...rule,
    message: 'Unrecognized request argument supplied: {at}',
    forms: {
      nested: { message, ...(param === undefined ? {} : { param }), ...(code === undefined ? {} : { code }) },
    },
    sources: [
      ...rule.sources,
      {
        title: 'Error quoted in microsoft/promptflow#3130',
        url: 'https://github.com/microsoft/promptflow/issues/3130',
        kind: 'report',
        read: '2026-11-27',
      },
    ],
  }
}
