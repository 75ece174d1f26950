/** What Converse refuses, in the order of evaluation. */
import type { RuleSource, ValidationRule, ViolationError } from '../../llm/types.ts'

const READ = '2026-11-27'
const MODEL: RuleSource = {
  title: 'Service model of Amazon Bedrock Runtime',
  url: 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html',
  kind: 'definition',
  read: READ,
}
function report(thread: string): RuleSource {
  return {
    title: `Error quoted in ${thread}`,
    url: `https://github.com/${thread.replace('#', '/issues/')}`,
    kind: 'report',
    read: READ,
  }
}

/** A constraint of the service model; `{at}` counts the items of lists from 1. */
function constraint(what: string): ViolationError {
  return {
    message: `1 validation error detected: Value '{value}' at '{at}' failed to satisfy constraint: Member must ${what}`,
  }
}

export const CONVERSE_RULES: readonly ValidationRule[] = [
  {
    rule: 'converse.content-empty',
    phase: 'shape',
    confidence: 'reported',
    condition: 'A message without content.',
    message:
      'The content field in the Message object at {at} is empty. Add a ContentBlock object to the content field and try again.',
    sources: [MODEL],
  },
  {
    rule: 'converse.text-blank',
    phase: 'shape',
    confidence: 'reported',
    condition: 'An empty or blank text, for other models than Claude.',
    message: 'The text field in the ContentBlock object at {at} is blank. Add text to the text field, and try again.',
    sources: [MODEL],
  },
  {
    rule: 'converse.tool-name',
    phase: 'shape',
    confidence: 'documented',
    condition: 'The name of a tool has no characters, more than 64, or others than letters, digits, _ and -.',
    ...constraint('satisfy regular expression pattern: [a-zA-Z0-9_-]+'),
    forms: {
      empty: constraint('have length greater than or equal to 1'),
      long: constraint('have length less than or equal to 64'),
    },
    sources: [MODEL],
  },
  {
    rule: 'converse.range',
    phase: 'shape',
    confidence: 'documented',
    condition: 'maxTokens below 1, or temperature or topP outside 0 to 1.',
    ...constraint('have value less than or equal to {max}'),
    forms: { below: constraint('have value greater than or equal to {min}') },
    sources: [MODEL],
  },
  {
    rule: 'converse.schema-type',
    phase: 'shape',
    confidence: 'reported',
    condition: 'The schema of a tool is not of type object.',
    message: 'The value at {at}.type must be one of the following: object.',
    sources: [MODEL],
  },
  {
    rule: 'converse.media',
    phase: 'shape',
    confidence: 'documented',
    condition: 'The format of an image or a document is not one that the service knows.',
    ...constraint('satisfy enum value set: [{values}]'),
    sources: [MODEL],
  },
  {
    rule: 'converse.error-empty',
    phase: 'shape',
    confidence: 'reported',
    condition: 'A tool result of status error without content.',
    message: 'The content field at {at} cannot be empty when status value is error.',
    sources: [report('aws-samples/sample-multi-agent-orchestration-chat-on-agentcore#15')],
  },
  {
    rule: 'converse.tool-choice-type',
    phase: 'shape',
    confidence: 'reported',
    condition: 'A tool_choice without type among the additional fields of Claude, without a toolChoice.',
    message: "The model returned the following errors: tool_choice: missing field 'type'",
    wording: 'assumed',
    sources: [MODEL],
  },
  {
    rule: 'converse.tool-config',
    phase: 'conversation',
    confidence: 'reported',
    condition: 'Calls or results of tools without toolConfig.',
    message: 'The toolConfig field must be defined when using toolUse and toolResult content blocks.',
    sources: [report('langgenius/dify#17545'), report('nearai/ironclaw#1629')],
  },
  {
    rule: 'converse.first-user',
    phase: 'conversation',
    confidence: 'reported',
    condition: 'The first message is from the assistant.',
    message:
      'A conversation must start with a user message. Try again with a conversation that starts with a user message.',
    sources: [MODEL],
  },
  {
    rule: 'converse.alternate',
    phase: 'conversation',
    confidence: 'reported',
    condition: 'Two messages of one role in a row.',
    message:
      'A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.',
    sources: [MODEL],
  },
  {
    rule: 'converse.result-missing',
    phase: 'conversation',
    confidence: 'reported',
    condition: 'A call without a result in the next message.',
    message: 'Expected toolResult blocks at {at}.content for the following Ids: {ids}',
    sources: [MODEL],
  },
  {
    rule: 'converse.result-excess',
    phase: 'conversation',
    confidence: 'reported',
    condition: 'More results than calls in the message before, or a result of another call.',
    message: 'The number of toolResult blocks at {at}.content exceeds the number of toolUse blocks of previous turn.',
    sources: [report('strands-agents/harness-sdk#1435')],
  },
  {
    rule: 'converse.mixed',
    phase: 'conversation',
    confidence: 'reported',
    condition: 'Text and results in one message, for Llama and Mistral.',
    message: '{at}.content: Conversation blocks and tool result blocks cannot be provided in the same turn.',
    sources: [MODEL],
  },
]
