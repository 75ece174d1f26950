/** Owns the conformance tools that send no requests to the client. */
import { shownText } from 'svc/toolkit'
import type { CallContext, ToolDefinition } from '../types.ts'
import { PNG, WAV } from './contents.ts'
import { fixtureTool, ON_CONFORMANCE, textResult } from './fixture.ts'

const PAUSE_MS = 50

const image = { type: 'image' as const, data: PNG, mimeType: 'image/png' }

/** The suite calls the first tool with `{}` and expects no error. */
export const plainFixtures: ToolDefinition[] = [
  fixtureTool('test_simple_text', 'Answers with a text', {}, () =>
    textResult('This is a simple text response for testing.'),
  ),
  fixtureTool('test_image_content', 'Answers with an image', {}, () => ({ content: [image] })),
  fixtureTool('test_audio_content', 'Answers with audio', {}, () => ({
    content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }],
  })),
  fixtureTool('test_embedded_resource', 'Answers with an embedded resource', {}, () => ({
    content: [
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      },
    ],
  })),
  fixtureTool('test_multiple_content_types', 'Answers with text, image and resource', {}, () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      image,
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: '{"test":"data","value":123}',
        },
      },
    ],
  })),
  fixtureTool('test_tool_with_logging', 'Logs three times while it runs', {}, logThreeTimes),
  fixtureTool('test_logging_tool', 'Logs three times while it runs', {}, logThreeTimes),
  fixtureTool('test_tool_with_progress', 'Reports progress 0, 50 and 100', {}, async (_args, context) => {
    for (const progress of [0, 50, 100]) {
      if (progress > 0) await context.sleep(PAUSE_MS)
      context.progress(progress, 100, `Completed step ${progress} of 100`)
    }
    return textResult('Progress was reported.')
  }),
  fixtureTool('test_error_handling', 'Fails', {}, () => ({
    ...textResult('This tool intentionally returns an error for testing'),
    isError: true,
  })),
  fixtureTool('test_reconnection', 'Closes its stream before it answers', {}, async (_args, context) => {
    context.closeStream()
    await context.sleep(2 * PAUSE_MS)
    return textResult('Reconnection test completed.')
  }),
  {
    ...ON_CONFORMANCE,
    name: 'json_schema_2020_12_tool',
    description: 'Has an input schema that uses most keywords of JSON Schema 2020-12',
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: {
          $anchor: 'addressDef',
          type: 'object',
          properties: { street: { type: 'string' }, city: { type: 'string' } },
        },
      },
      properties: {
        name: { type: 'string' },
        address: { $ref: '#/$defs/address' },
        contactMethod: { type: 'string', enum: ['phone', 'email'] },
        phone: { type: 'string' },
        email: { type: 'string' },
      },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }, { not: { required: ['contactMethod'] } }] }],
      if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: { required: ['phone'] },
      else: { properties: { email: { type: 'string' } } },
      additionalProperties: false,
    },
    call: args => textResult(`JSON Schema 2020-12 tool called with: ${JSON.stringify(args)}`),
  },
  fixtureTool(
    'test_header_routed',
    'Takes an argument that is repeated in a header',
    { 'region*': { type: 'string', 'x-mcp-header': 'Region' }, note: { type: 'string' } },
    ({ region }) => textResult(`Routed to ${shownText(region)}.`),
  ),
  fixtureTool('test_trigger_tool_change', 'Announces a change of the tool list', {}, (_args, context) =>
    announce('tools', context),
  ),
  fixtureTool('test_trigger_prompt_change', 'Announces a change of the prompt list', {}, (_args, context) =>
    announce('prompts', context),
  ),
]

async function logThreeTimes(_args: unknown, context: CallContext) {
  for (const message of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
    if (message !== 'Tool execution started') await context.sleep(PAUSE_MS)
    context.log('info', message)
  }
  return textResult('Three messages were logged.')
}

function announce(list: 'tools' | 'prompts', context: CallContext) {
  context.announce(list)
  return textResult(`Announced a change of the ${list}.`)
}
