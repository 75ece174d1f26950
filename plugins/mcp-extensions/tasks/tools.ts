/** Owns the tools of the server `tasks`. The official conformance suite expects most of them. */
import { type JsonSchema } from 'svc/plugin'
import { isRecord } from 'svc/toolkit'
import type { CallContext, JsonObject, Question, ToolDefinition } from '../../mcp/types.ts'
import { objectSchema, READ_ONLY, textResult } from '../definitions.ts'

const NAME = { type: 'string', maxLength: 100 }

export const taskTools: ToolDefinition[] = [
  {
    name: 'greet',
    title: 'Greet',
    description: 'Greets at once, without a task.',
    inputSchema: objectSchema({ name: NAME }, ['name']),
    annotations: READ_ONLY,
    call: ({ name }) => textResult(`Hello, ${String(name)}!`),
  },
  {
    name: 'slow_compute',
    title: 'Compute slowly',
    description: 'Waits for some seconds; with 0 seconds it needs no task.',
    inputSchema: objectSchema({
      seconds: { type: 'integer', minimum: 0, maximum: 60, default: 1 },
      label: { type: 'string', maxLength: 200, default: 'work' },
    }),
    outputSchema: objectSchema({ label: { type: 'string' }, seconds: { type: 'integer' } }, ['label', 'seconds']),
    annotations: READ_ONLY,
    task: 'optional',
    async call({ label, seconds }, context) {
      if (Number(seconds) > 0) await context.sleep(1000 * Number(seconds))
      return textResult(`${String(label)} took ${String(seconds)} s.`, { label, seconds })
    },
  },
  {
    name: 'failing_job',
    title: 'Fail',
    description: 'Fails after one second, with a result for the model.',
    inputSchema: objectSchema({}),
    annotations: READ_ONLY,
    task: 'required',
    async call(_, context) {
      await context.sleep(1000)
      return { ...textResult('The job failed.'), isError: true }
    },
  },
  {
    name: 'protocol_error_job',
    title: 'Fail with a protocol error',
    description: 'Fails after a moment, with a JSON-RPC error.',
    inputSchema: objectSchema({}),
    annotations: READ_ONLY,
    task: 'required',
    async call(_, context) {
      await context.sleep(200)
      throw context.rpcError(-32603, 'The job cannot be done')
    },
  },
  {
    name: 'confirm_delete',
    title: 'Delete after a confirmation',
    description: 'Asks for a confirmation. Nothing is deleted.',
    inputSchema: objectSchema({ filename: { type: 'string', maxLength: 200, default: 'report.txt' } }),
    annotations: { ...READ_ONLY, readOnlyHint: false, destructiveHint: true },
    task: 'required',
    async call({ filename }, context) {
      const { confirm } = await context.ask({
        confirm: form(`Delete ${String(filename)}?`, { confirm: { type: 'boolean', title: 'Confirm' } }),
      })
      const isConfirmed = confirm.action === 'accept' && contentOf(confirm).confirm === true
      return textResult(isConfirmed ? `Deleted ${String(filename)}.` : `Kept ${String(filename)}.`)
    },
  },
  {
    name: 'multi_input',
    title: 'Ask two questions',
    description: 'Asks for the first and the last name at once.',
    inputSchema: objectSchema({}),
    annotations: READ_ONLY,
    task: 'required',
    async call(_, context) {
      const name = { name: { type: 'string', title: 'Name' } }
      const answers = await context.ask({
        first_name: form('What is your first name?', name),
        last_name: form('What is your last name?', name),
      })
      return textResult(`Hello, ${nameOf(answers.first_name)} ${nameOf(answers.last_name)}!`)
    },
  },
  {
    name: 'test_tool_with_task',
    title: 'Ask, then continue in a task',
    description: 'Asks for a name before it becomes a task.',
    inputSchema: objectSchema({}),
    annotations: READ_ONLY,
    task: 'manual',
    async call(_, context) {
      const { user_name } = await context.ask({
        user_name: form('What is your name?', { name: { type: 'string', title: 'Name' } }),
      })
      return context.startTask(() => textResult(`Hello, ${nameOf(user_name)}!`))
    },
  },
  {
    name: 'make_report',
    title: 'Make a report',
    description: 'Makes a report page by page.',
    inputSchema: objectSchema({
      pages: { type: 'integer', minimum: 1, maximum: 20, default: 5 },
      page_ms: { type: 'integer', minimum: 0, maximum: 5000, default: 500 },
    }),
    annotations: READ_ONLY,
    task: 'optional',
    call: ({ pages, page_ms }, context) => makeReport(Number(pages), Number(page_ms), context),
  },
]

async function makeReport(pages: number, pageMs: number, context: CallContext) {
  for (let page = 1; page <= pages; page++) {
    context.progress(page, pages, `page ${page} of ${pages}`)
    await context.sleep(pageMs)
  }
  return {
    content: [
      {
        type: 'resource_link' as const,
        uri: `report://demo/${pages}`,
        name: 'report',
        title: 'Report',
        mimeType: 'text/plain',
      },
      { type: 'text' as const, text: `The report has ${pages} pages.` },
    ],
  }
}

/** A question that shows a form with required fields. */
function form(message: string, properties: Record<string, JsonSchema>): Question {
  return {
    method: 'elicitation/create',
    params: { message, requestedSchema: { type: 'object', properties, required: Object.keys(properties) } },
  }
}

function contentOf({ content }: JsonObject): JsonObject {
  return isRecord(content) ? content : {}
}

/** The name in an answer; a client may decline. */
function nameOf(answer: JsonObject): string {
  const { name } = contentOf(answer)
  return typeof name === 'string' && name !== '' ? name.slice(0, 100) : 'stranger'
}
