/** The names that the checks of requests know, against the types of the vendors' packages. */
import t from 'tap'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CHAT_MEMBERS, RESPONSES_MEMBERS } from '../../plugins/llm-openai/validation/known-members.ts'
import {
  BETAS,
  BLOCK_MEMBERS,
  BLOCK_TYPES,
  BODY_MEMBERS,
  TOOL_MEMBERS,
} from '../../plugins/llm-anthropic/validation/known-names.ts'
import { CONFIG_MEMBERS, PART_MEMBERS } from '../../plugins/llm-gemini/validation/known-members.ts'

/** The members of an interface in the types of a package. */
function membersOf(file: string, name: string): string[] {
  const text = readFileSync(join(import.meta.dirname, 'node_modules', file), 'utf8')
  const start = text.search(new RegExp(`export (?:declare )?(?:interface|class) ${name}\\b`))
  const body = text.slice(start, text.indexOf('\n}', start))
  return [...body.matchAll(/^ {4}([A-Za-z_]+)\??:/gm)].map(([, member]) => member!)
}
/** The content blocks of which members are known, with their names in the package. */
function blockMembers(): [file: string, name: string, known: ReadonlySet<string>][] {
  const names = {
    text: 'BetaTextBlockParam',
    image: 'BetaImageBlockParam',
    document: 'BetaRequestDocumentBlock',
    thinking: 'BetaThinkingBlockParam',
    redacted_thinking: 'BetaRedactedThinkingBlockParam',
    tool_use: 'BetaToolUseBlockParam',
    tool_result: 'BetaToolResultBlockParam',
  }
  return Object.entries(names).map(([type, name]) => [
    '@anthropic-ai/sdk/resources/beta/messages/messages.d.ts',
    name,
    BLOCK_MEMBERS[type] ?? new Set<string>(),
  ])
}

/** Of the packages themselves: not sent. */
const OWN = new Set(['betas', 'stream'])

t.test('the members that are known are those of the official packages [STR-15]', async t => {
  const lists: [file: string, name: string, known: ReadonlySet<string>][] = [
    ['openai/resources/chat/completions/completions.d.ts', 'ChatCompletionCreateParamsBase', CHAT_MEMBERS],
    ['openai/resources/responses/responses.d.ts', 'ResponseCreateParamsBase', RESPONSES_MEMBERS],
    ['@anthropic-ai/sdk/resources/messages/messages.d.ts', 'MessageCreateParamsBase', BODY_MEMBERS],
    ['@anthropic-ai/sdk/resources/beta/messages/messages.d.ts', 'MessageCreateParamsBase', BODY_MEMBERS],
    ['@anthropic-ai/sdk/resources/beta/messages/messages.d.ts', 'BetaTool', TOOL_MEMBERS],
    ...blockMembers(),
    ['@google/genai/dist/genai.d.ts', 'GenerationConfig', CONFIG_MEMBERS],
    ['@google/genai/dist/genai.d.ts', 'Part', PART_MEMBERS],
  ]
  for (const [file, name, known] of lists) {
    const members = membersOf(file, name)
    t.ok(members.length > 1, `${name} is found`)
    t.strictSame(
      members.filter(member => !known.has(member) && !OWN.has(member)),
      [],
      name,
    )
  }
  const messages = readFileSync(
    join(import.meta.dirname, 'node_modules/@anthropic-ai/sdk/resources/beta/messages/messages.d.ts'),
    'utf8',
  )
  const union = /export type BetaContentBlockParam = ([^;]*);/.exec(messages)![1]!
  const types = union.split('|').map(name => {
    const start = messages.indexOf(`export interface ${name.trim()} {`)
    return /^ {4}type: '([a-z_]+)';/m.exec(messages.slice(start, messages.indexOf('\n}', start)))?.[1] ?? name.trim()
  })
  t.ok(types.length > 20)
  t.strictSame(
    types.filter(type => !BLOCK_TYPES.has(type)),
    [],
    'types of blocks',
  )
  const beta = readFileSync(
    join(import.meta.dirname, 'node_modules/@anthropic-ai/sdk/resources/beta/beta.d.ts'),
    'utf8',
  )
  const line = /export type AnthropicBeta = (.*)/.exec(beta)![1]!
  const names = [...line.matchAll(/'([a-z0-9-]+)'/g)].map(([, name]) => name!)
  t.ok(names.length > 20)
  t.strictSame(
    names.filter(name => !BETAS.values.includes(name)),
    [],
  )
})
