/** Which tool the mock model calls, and when it answers with a text instead. */
import t from 'tap'
import { StepBudget } from '../../../core/contract/plugin.ts'
import type { Choice, Message, NeutralRequest, Tool, ToolChoice } from '../../../plugins/llm/contract/neutral.ts'
import { createEngine } from '../../../plugins/llm/registry/engine.ts'

const engine = createEngine()

function tool(name: string, description: string): Tool {
  return { name, description, schema: { type: 'object', properties: { query: { type: 'string' } } } }
}

const user = (...texts: string[]): Message => ({ role: 'user', parts: texts.map(text => ({ type: 'text', text })) })

function reply(tools: Tool[], messages: Message[], toolChoice: ToolChoice = 'auto'): Choice {
  const request: NeutralRequest = {
    model: 'svc-gpt',
    system: [],
    messages,
    tools,
    toolChoice,
    format: { type: 'none' },
    stop: [],
    n: 1,
  }
  const result = engine.generate(request, { mode: 'canned', loremWords: 4000, steps: StepBudget.unlimited() })
  if (result.op !== 'chat') throw new Error('a reply was expected')
  return result.choices[0]!
}

const called = (tools: Tool[], messages: Message[], toolChoice?: ToolChoice): string | undefined =>
  reply(tools, messages, toolChoice).calls[0]?.name

/** The kinds of tools that coding agents send with every request. */
const CODING_TOOLS = [
  tool(
    'bash',
    'Executes a given bash command in a persistent shell session with an optional timeout. Run tests with it.',
  ),
  tool('read', 'Reads a file from the local filesystem. You can access any file directly by using this tool.'),
  tool('write', 'Writes a file to the local filesystem. Poems and other texts are files too.'),
  tool('edit', 'Performs exact string replacements in files. Use it to change the function in a file.'),
  tool('glob', '- Fast file pattern matching tool that works with any codebase size\n- Find tests and files by name'),
  tool('grep', '- Fast content search tool that works with any codebase size'),
  tool('list', 'Lists files and directories in a given path. The user may want to know what is in it.'),
  tool('task', 'Launch a new agent to handle complex, multi-step tasks autonomously.\n\nIt is very helpful.'),
  tool('todowrite', 'Use this tool to create and manage a structured task list for your current coding session.'),
  tool('webfetch', '- Fetches content from a specified URL'),
  tool('run_shell_command', 'This tool executes a given shell command as `bash -c <command>`.'),
  tool('replace', 'Replaces text within a file. By default, replaces a single occurrence.'),
  tool('write_file', "Writes content to a specified file in the local filesystem. The user can modify the 'content'."),
  tool('save_memory', 'Saves a specific piece of information or fact to your long-term memory.'),
  tool('apply_patch', 'Use the `apply_patch` tool to edit files.'),
  tool('write_stdin', 'Writes characters to an existing exec session and returns recent output.'),
  tool('update_plan', 'Updates the task plan.\nProvide an optional explanation and a list of plan items.'),
  tool('view_image', 'View a local image from the filesystem.'),
]

const SENTENCES = [
  'hi',
  'Write me a poem about the sea',
  'Run the tests',
  'Thank you, that was very helpful',
  'What is your name?',
  'Do not delete anything.',
  'Explain how this function works',
  'Can you fix the bug in the login page?',
  'What can you do?',
  'Please write a short function that adds two numbers.',
]

t.test('everyday sentences call none of the tools of a coding agent [LLM-8]', async t => {
  for (const text of SENTENCES) t.equal(called(CODING_TOOLS, [user(text)]), undefined, text)
})

t.test('the context that agents send before the request is not part of it [LLM-8]', async t => {
  const context = '<session_context>\nSearch the web, fetch the url, save memory.\n</session_context>'
  const notes = '<env date="2026-01-15">update plan</env>'
  t.equal(called(CODING_TOOLS, [user(`${context}\n${notes}\n\nhi`)]), undefined, 'at the start of the text')
  t.equal(called(CODING_TOOLS, [user(context, 'hi')]), undefined, 'in a part before it')
  const [call] = reply(CODING_TOOLS, [user(`${context}\nplease save memory of this`)]).calls
  t.match(call, { name: 'save_memory', args: { query: 'please save memory of this' } }, 'what follows it counts')
  t.equal(called(CODING_TOOLS, [user('<b>bold</b save memory')]), 'save_memory', 'a tag without its end is text')
  t.equal(called(CODING_TOOLS, [user('save <memory>')]), 'save_memory')
})

t.test('a tool that acts on a machine is called only by its name as it is written [LLM-8]', async t => {
  const asked: [text: string, name: string | undefined][] = [
    ['write the file', undefined],
    ['write file', undefined],
    ['use write_file for it', 'write_file'],
    ['run it with bash', undefined],
    ['run it with `bash`', 'bash'],
    ['apply_patch this', 'apply_patch'],
  ]
  for (const [text, name] of asked) t.equal(called(CODING_TOOLS, [user(text)]), name, text)
  const records = [tool('deleteRecord', 'Deletes a record'), tool('find_record', 'Finds a record')]
  t.equal(called(records, [user('delete the record')]), 'find_record')
  t.equal(called(records, [user('delete the record')], 'required'), 'deleteRecord', 'unless a call is forced')
})

t.test('words of the description count less than those of the name [LLM-8]', async t => {
  const mail = [tool('send_email', 'Sends an email with name and subject. Deliver reports, invoices and letters.')]
  t.equal(called(mail, [user('What is your name and subject?')]), undefined)
  t.equal(called(mail, [user('the name, the subject, it sends')]), 'send_email', 'three words')
  t.equal(called(mail, [user('reports, invoices and letters')]), undefined, 'of the first sentence only')
  t.equal(called(mail, [user('email me')]), 'send_email', 'a part of the name')
  const long = [tool('zz', `${'x'.repeat(115)} tiger lion bear`)]
  t.equal(called(long, [user('tiger lion bear')]), undefined, 'of its first 120 characters')
  t.equal(called([tool('List', 'Shows files')], [user('make a list')]), undefined, 'a name of one stop word')
  t.equal(called([tool('List', ''), weather], [user('list the weather')]), 'get_weather')
})

const weather = tool('get_weather', 'Current weather of a city')
const search = tool('search_web', 'Searches the web')
const answer = tool('final_answer', 'Gives the answer to the question')

const result: Message = { role: 'tool', parts: [{ type: 'result', id: 'c1', content: 'sunny' }] }
const turn = (name: string): Message[] => [
  { role: 'assistant', parts: [{ type: 'call', id: 'c1', name, args: {} }] },
  result,
]

t.test('a forced call is made after tool results as well [LLM-8]', async t => {
  const history = [user('weather in Paris'), ...turn('get_weather')]
  const tools = [weather, search, answer]
  t.equal(called(tools, history), undefined, 'not forced')
  t.equal(called(tools, history, { name: 'final_answer' }), 'final_answer', 'by name')
  t.equal(called(tools, history, { name: 'get_weather' }), 'get_weather', 'by name, again')
  t.equal(called(tools, history, { name: 'unknown' }), undefined, 'an unknown name is auto')
  t.equal(called(tools, history, 'none'), undefined)
  t.equal(called(tools, history, 'required'), 'search_web', 'the first that was not called')
  const answering = [user('what is the answer?'), ...turn('get_weather')]
  t.equal(called(tools, answering, 'required'), 'final_answer', 'the best that was not called')
  const all = [user('weather'), ...turn('search_web'), ...turn('final_answer'), ...turn('get_weather')]
  t.equal(called(tools, all, 'required'), 'get_weather', 'all were called: the first')
})

t.test('a required call goes on when an agent sends calls and results as texts [LLM-8]', async t => {
  const said = (text: string): Message => ({ role: 'assistant', parts: [{ type: 'text', text }] })
  const calling = said("Calling tools:\n[{'id': 'c1', 'function': {'name': 'get_weather', 'arguments': {}}}]")
  const history = [user('weather in Paris'), calling, user('Observation:\nsunny weather')]
  t.equal(called([weather, answer], history, 'required'), 'final_answer')
  t.equal(
    called([weather, answer], [user('weather'), said('I call `get_weather`.'), user('weather')], 'required'),
    'final_answer',
  )
  t.equal(
    called([weather, answer], [user('weather'), said('target_weather'), user('weather')], 'required'),
    'get_weather',
  )
})
