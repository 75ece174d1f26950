/** Owns the conformance tools that ask the client (elicitation, sampling, roots) in one or several rounds. */
import { isRecord, shownText } from 'svc/toolkit'
import { firstText } from '../demo/tools/questions.ts'
import type { CallContext, JsonObject, Question, ToolDefinition, ToolResult } from '../types.ts'
import { form, ROOTS, sampling } from './contents.ts'
import { fixtureTool, textResult } from './fixture.ts'

const text = { type: 'string' }

export const askingFixtures: ToolDefinition[] = [
  fixtureTool('test_sampling', 'Asks the model of the client', { 'prompt*': text }, async ({ prompt }, context) => {
    const { sample } = await context.ask({ sample: sampling(shownText(prompt), 100) })
    return textResult(`LLM response: ${firstText(sample.content)}`)
  }),
  fixtureTool(
    'test_elicitation',
    'Asks for a name and an email address',
    { 'message*': text },
    ({ message }, context) =>
      elicit(
        context,
        shownText(message),
        {
          username: { type: 'string', description: "User's response" },
          email: { type: 'string', description: "User's email address" },
        },
        ['username', 'email'],
      ),
  ),
  fixtureTool('test_elicitation_sep1034_defaults', 'Asks with defaults', {}, (_args, context) =>
    elicit(context, 'Please review the form with its defaults', {
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    }),
  ),
  fixtureTool('test_elicitation_sep1330_enums', 'Asks with every kind of choice', {}, (_args, context) =>
    elicit(context, 'Please choose', choices()),
  ),
  fixtureTool('test_missing_capability', 'Needs sampling', {}, async (_args, context) => {
    await context.ask({ sample: sampling('Say hello', 10) })
    return textResult('The client samples.')
  }),
  fixtureTool('test_streaming_elicitation', 'Asks for a name', {}, askName),
  fixtureTool('test_input_required_result_elicitation', 'Asks for a name', {}, askName),
  fixtureTool('test_input_required_result_sampling', 'Asks the model for a capital', {}, async (_args, context) => {
    const { capital_question } = await context.ask({
      capital_question: sampling('What is the capital of France?', 100),
    })
    return textResult(`The model says: ${firstText(capital_question.content)}`)
  }),
  fixtureTool('test_input_required_result_list_roots', 'Asks for the roots', {}, async (_args, context) => {
    const { client_roots } = await context.ask({ client_roots: ROOTS })
    return textResult(`Roots: ${rootUris(client_roots)}`)
  }),
  fixtureTool('test_input_required_result_request_state', 'Asks with state', {}, confirmWithState),
  fixtureTool(
    'test_input_required_result_tampered_state',
    'Asks with state that must come back unchanged',
    {},
    confirmWithState,
  ),
  fixtureTool('test_input_required_result_multiple_inputs', 'Asks three things at once', {}, async (_args, context) => {
    const { user_name, greeting, client_roots } = await context.ask({
      user_name: form('What is your name?', 'name'),
      greeting: sampling('Generate a greeting', 50),
      client_roots: ROOTS,
    })
    return textResult(`${firstText(greeting.content)} ${field(user_name, 'name')}, roots: ${rootUris(client_roots)}`)
  }),
  fixtureTool('test_input_required_result_multi_round', 'Asks twice', {}, async (_args, context) => {
    const { step1 } = await context.ask({ step1: form('Step 1: What is your name?', 'name') })
    const { step2 } = await context.ask({ step2: form('Step 2: What is your favorite color?', 'color') })
    return textResult(`${field(step1, 'name')} likes ${field(step2, 'color')}.`)
  }),
  fixtureTool(
    'test_input_required_result_capabilities',
    'Asks only questions that the client supports',
    {},
    askWhatIsSupported,
  ),
]

async function elicit(
  context: CallContext,
  message: string,
  properties: JsonObject,
  required?: string[],
): Promise<ToolResult> {
  const { answer } = await context.ask({
    answer: {
      method: 'elicitation/create',
      params: { message, requestedSchema: { type: 'object', properties, required: required ?? [] } },
    },
  })
  return textResult(
    `User response: action=${shownText(answer.action)}, content=${JSON.stringify(answer.content ?? {})}`,
  )
}

function choices(): JsonObject {
  const options = ['option1', 'option2', 'option3']
  const titled = [1, 2, 3].map(number => ({ const: `value${number}`, title: `Option ${number}` }))
  return {
    untitledSingle: { type: 'string', enum: options },
    titledSingle: { type: 'string', oneOf: titled },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
    titledMulti: { type: 'array', items: { anyOf: titled } },
  }
}

async function askName(_args: JsonObject, context: CallContext): Promise<ToolResult> {
  const { user_name } = await context.ask({ user_name: form('What is your name?', 'name') })
  return textResult(`Hello, ${field(user_name, 'name')}!`)
}

async function confirmWithState(_args: JsonObject, context: CallContext): Promise<ToolResult> {
  await context.ask({ confirm: form('Please confirm', 'ok', 'boolean') })
  return textResult('state-ok: the state came back as it was.')
}

async function askWhatIsSupported(_args: JsonObject, context: CallContext): Promise<ToolResult> {
  const all: Record<string, Question> = {
    user_name: form('What is your name?', 'name'),
    greeting: sampling('Generate a greeting', 50),
    client_roots: ROOTS,
  }
  const supported = Object.entries(all).filter(([, question]) => context.supports(question.method))
  if (supported.length > 0) await context.ask(Object.fromEntries(supported))
  return textResult(`Asked: ${supported.map(([key]) => key).join(', ') || 'nothing'}`)
}

function field(answer: JsonObject, name: string): string {
  return isRecord(answer.content) ? shownText(answer.content[name] ?? '') : ''
}

function rootUris({ roots }: JsonObject): string {
  return Array.isArray(roots) ? roots.map(root => (isRecord(root) ? shownText(root.uri) : '')).join(', ') : ''
}
