/** Owns the prompts of the conformance suite. */
import { isRecord, shownText } from 'svc/toolkit'
import type { Content, PromptDefinition, PromptResult } from '../types.ts'
import { form, PNG } from './contents.ts'
import { ON_CONFORMANCE } from './fixture.ts'

export const promptFixtures: PromptDefinition[] = [
  {
    ...ON_CONFORMANCE,
    name: 'test_simple_prompt',
    description: 'Without arguments',
    get: () => promptResult({ type: 'text', text: 'This is a simple prompt for testing.' }),
  },
  {
    ...ON_CONFORMANCE,
    name: 'test_prompt_with_arguments',
    description: 'With two arguments',
    arguments: [
      { name: 'arg1', description: 'First', required: true, complete: ['paris', 'park', 'party'] },
      { name: 'arg2', description: 'Second', required: true, complete: ['one', 'two', 'three'] },
    ],
    get: ({ arg1, arg2 }) =>
      promptResult({ type: 'text', text: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'` }),
  },
  {
    ...ON_CONFORMANCE,
    name: 'test_prompt_with_embedded_resource',
    description: 'With an embedded resource',
    arguments: [{ name: 'resourceUri', description: 'URI of the resource', required: true }],
    get: ({ resourceUri = '' }) =>
      promptResult(
        {
          type: 'resource',
          resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
        },
        { type: 'text', text: 'Please process the embedded resource above.' },
      ),
  },
  {
    ...ON_CONFORMANCE,
    name: 'test_prompt_with_image',
    description: 'With an image',
    get: () =>
      promptResult(
        { type: 'image', data: PNG, mimeType: 'image/png' },
        { type: 'text', text: 'Please analyze the image above.' },
      ),
  },
  {
    ...ON_CONFORMANCE,
    name: 'test_input_required_result_prompt',
    description: 'Asks before it answers',
    async get(_args, context) {
      const { user_context } = await context.ask({
        user_context: form('What context should the prompt use?', 'context'),
      })
      const content = isRecord(user_context.content) ? user_context.content : {}
      return promptResult({ type: 'text', text: `Use this context: ${shownText(content.context ?? '')}` })
    },
  },
]

function promptResult(...contents: Content[]): PromptResult {
  return { messages: contents.map(content => ({ role: 'user', content })) }
}
