/** Where the rules of OpenAI's formats are from. */
import type { RuleSource } from '../../llm/types.ts'

const READ = '2026-11-27'

export const SDK: RuleSource = {
  title: 'Request types of the official package openai',
  url: 'https://github.com/openai/openai-node',
  kind: 'sdk',
  read: READ,
}

export const CHAT_REFERENCE: RuleSource = {
  title: 'API reference: chat completions',
  url: 'https://platform.openai.com/docs/api-reference/chat/create',
  kind: 'reference',
  read: READ,
}

export const RESPONSES_REFERENCE: RuleSource = {
  title: 'API reference: responses',
  url: 'https://platform.openai.com/docs/api-reference/responses/create',
  kind: 'reference',
  read: READ,
}

export const STRUCTURED_OUTPUTS: RuleSource = {
  title: 'Guide: structured outputs, supported schemas',
  url: 'https://platform.openai.com/docs/guides/structured-outputs',
  kind: 'reference',
  read: READ,
}

/** A thread of a public project that quotes the error. */
export function report(thread: string): RuleSource {
  return {
    title: `Error quoted in ${thread}`,
    url: `https://github.com/${thread.replace('#', '/issues/')}`,
    kind: 'report',
    read: READ,
  }
}
